"""Same as the `bert-vocab` console script."""
from bert_pytorch.dataset.vocab import build

if __name__ == '__main__':
    build()
