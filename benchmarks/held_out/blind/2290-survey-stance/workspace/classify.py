#!/usr/bin/env python
"""Train the stance classifier described by a yaml file."""
import argparse
import os

import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader

from text import PAD, Answers, read_tsv, vocabulary


class KimCNN(nn.Module):
    def __init__(self, n_words, n_out, dim, kernel, filters):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim, padding_idx=PAD)
        self.conv = nn.Conv1d(dim, filters, kernel)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(filters, n_out)

    def forward(self, ids):
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2)))
        return self.out(self.drop(h.max(dim=-1).values))


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("config")
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    base = os.path.dirname(os.path.abspath(args.config))
    torch.manual_seed(args.seed)

    rows = {part: read_tsv(os.path.join(base, cfg[part])) for part in ("train", "test")}
    vocab = vocabulary(rows["train"])
    stance_ids = {s: i for i, s in enumerate(cfg["stances"])}
    print(f"{cfg['name']}: {len(rows['train'])} train, {len(rows['test'])} test, "
          f"{len(vocab)} words, {len(stance_ids)} stances")

    sets = {p: Answers(r, vocab, stance_ids, cfg["max_words"]) for p, r in rows.items()}
    train = DataLoader(sets["train"], cfg["batch_size"], shuffle=True)
    test = DataLoader(sets["test"], cfg["batch_size"])
    model = KimCNN(len(vocab) + 2, len(stance_ids), **cfg["model"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        model.train()
        for ids, y in train:
            loss = nn.functional.cross_entropy(model(ids), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            hits = sum((model(ids).argmax(1) == y).sum().item() for ids, y in test)
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {hits / len(sets['test']):.3f}")


if __name__ == "__main__":
    main()
