#!/usr/bin/env python
"""Regress logP from SMILES strings with a bidirectional GRU."""
import argparse
import os
import random

import pandas as pd
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

from smiles_vocab import Vocabulary


class SmilesGRU(nn.Module):
    def __init__(self, vocab_size, emb=16, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.gru = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, tokens, lengths):
        e = self.embed(tokens)
        packed = pack_padded_sequence(e, lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        return self.out(torch.cat([h[0], h[1]], dim=-1)).squeeze(-1)


def collate(items):
    seqs, targets = zip(*items)
    lengths = torch.tensor([len(s) for s in seqs])
    return pad_sequence(list(seqs), batch_first=True), lengths, torch.tensor(targets)


def get_vocab(frame, path):
    if path and os.path.exists(path):
        vocab = Vocabulary.load(path)
        print(f"vocabulary: {len(vocab)} tokens from {path}")
        return vocab
    vocab = Vocabulary.build(frame["smiles"])
    print(f"vocabulary: {len(vocab)} tokens built from data")
    if path:
        vocab.save(path)
    return vocab


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="logp.csv")
    p.add_argument("--vocab", default="vocab.json")
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--bs", type=int, default=16)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--valid-frac", type=float, default=0.2)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


if __name__ == "__main__":
    args = parse()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    frame = pd.read_csv(args.data)
    vocab = get_vocab(frame, args.vocab)

    items = [
        (torch.tensor(vocab.encode(s)), float(y))
        for s, y in zip(frame["smiles"], frame["logp"])
    ]
    random.shuffle(items)
    n_valid = int(len(items) * args.valid_frac)
    valid, train = items[:n_valid], items[n_valid:]
    train_dl = DataLoader(train, batch_size=args.bs, shuffle=True, collate_fn=collate)
    valid_dl = DataLoader(valid, batch_size=args.bs, collate_fn=collate)

    net = SmilesGRU(len(vocab))
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        net.train()
        for tok, lengths, y in train_dl:
            opt.zero_grad()
            loss = nn.functional.smooth_l1_loss(net(tok, lengths), y)
            loss.backward()
            opt.step()
        net.eval()
        err, n = 0.0, 0
        with torch.no_grad():
            for tok, lengths, y in valid_dl:
                err += (net(tok, lengths) - y).abs().sum().item()
                n += len(y)
        print(f"[{epoch:02d}] train loss {loss.item():.3f} | valid MAE {err / n:.3f}")
