"""Same as the `bert` console script."""
from bert_pytorch.__main__ import train

if __name__ == '__main__':
    train()
