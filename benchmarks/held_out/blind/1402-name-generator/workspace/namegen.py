#!/usr/bin/env python
"""GRU that invents village names, character by character.

    python namegen.py villages.txt --steps 200
"""
from __future__ import annotations

import argparse
import random
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F

BOS, EOS = "^", "$"


class CharVocab:
    def __init__(self, words):
        chars = sorted({c for w in words for c in w.lower()})
        self.itos = [BOS, EOS] + chars
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, word):
        return [self.stoi[c] for c in BOS + word.lower() + EOS]

    def decode(self, ids):
        return "".join(self.itos[i] for i in ids if i > 1).title()


class NameModel(nn.Module):
    def __init__(self, n_chars, emb=24, hidden=64, tie=False):
        super().__init__()
        self.emb = nn.Embedding(n_chars, emb)
        self.gru = nn.GRU(emb, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.out = nn.Linear(hidden, n_chars)

    def forward(self, x, h=None):
        y, h = self.gru(self.emb(x), h)
        return self.out(self.norm(y)), h


def read_words(path):
    words = [w.strip() for w in Path(path).read_text().splitlines()]
    return [w for w in words if w]


def make_batch(words, vocab):
    seqs = [torch.tensor(vocab.encode(w)) for w in words]
    x = nn.utils.rnn.pad_sequence(seqs, batch_first=True, padding_value=1)
    lengths = torch.tensor([len(s) for s in seqs])
    mask = torch.arange(x.size(1) - 1)[None] < (lengths - 1)[:, None]
    return x[:, :-1], x[:, 1:], mask


def nll(model, batch):
    x, y, mask = batch
    logits, _ = model(x)
    loss = F.cross_entropy(logits.transpose(1, 2), y, reduction="none")
    return (loss * mask).sum() / mask.sum()


@torch.no_grad()
def sample(model, vocab, max_len=16, temperature=0.8):
    model.eval()
    tok, h, out = torch.tensor([[0]]), None, []
    for _ in range(max_len):
        logits, h = model(tok, h)
        p = F.softmax(logits[0, -1] / temperature, dim=-1)
        nxt = int(torch.multinomial(p, 1))
        if nxt == 1:
            break
        out.append(nxt)
        tok = torch.tensor([[nxt]])
    model.train()
    return vocab.decode(out)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("words")
    p.add_argument("--steps", type=int, default=200)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--holdout", type=float, default=0.2)
    p.add_argument("--seed", type=int, default=3)
    args = p.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)

    words = read_words(args.words)
    n_val = int(len(words) * args.holdout)
    train_words, val_words = words[:-n_val], words[-n_val:]
    vocab = CharVocab(train_words)
    print(f"{len(train_words)} train / {len(val_words)} held out, {len(vocab)} symbols")

    model = NameModel(len(vocab))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for step in range(1, args.steps + 1):
        batch = make_batch(random.sample(train_words, args.batch), vocab)
        loss = nll(model, batch)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 50 == 0:
            with torch.no_grad():
                val = nll(model, make_batch(val_words, vocab))
            print(f"step {step:4d}  train {loss.item():.3f}  held-out {val.item():.3f}")
    print("invented:", ", ".join(sample(model, vocab) for _ in range(6)))


if __name__ == "__main__":
    main()
