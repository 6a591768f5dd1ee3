"""Teach a small Mamba to repeat what it has read."""
import argparse

import torch
import torch.nn.functional as F

from model import Mamba, ModelArgs


def batch(size, length, vocab):
    tokens = torch.randint(2, vocab, (size, length))
    separator = torch.ones(size, 1, dtype=torch.long)
    return torch.cat([tokens, separator, tokens], dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--d-model', type=int, default=32)
    parser.add_argument('--n-layer', type=int, default=2)
    parser.add_argument('--vocab', type=int, default=10)
    parser.add_argument('--length', type=int, default=6)
    parser.add_argument('--steps', type=int, default=25)
    parser.add_argument('--lr', type=float, default=3e-3)
    args = parser.parse_args()

    torch.manual_seed(0)
    config = ModelArgs(d_model=args.d_model, n_layer=args.n_layer, vocab_size=args.vocab)
    model = Mamba(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for step in range(1, args.steps + 1):
        x = batch(16, args.length, args.vocab)
        logits = model(x[:, :-1])
        target = x[:, 1:].clone()
        target[:, :args.length] = -100
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), target.reshape(-1), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 5 == 0:
            print(f'step {step} loss {loss.item():.4f}')


if __name__ == '__main__':
    main()
