from __future__ import annotations

import sys
from types import SimpleNamespace

import pandas as pd
import torch
import torch.nn.functional as F
import yaml
from torch import nn


def to_ns(d):
    return SimpleNamespace(**{k: to_ns(v) if isinstance(v, dict) else v for k, v in d.items()})


class Interactions:
    def __init__(self, path, holdout):
        df = pd.read_csv(path).sort_values("ts")
        self.readers = {r: i for i, r in enumerate(sorted(df["reader"].unique()))}
        self.books = {b: i for i, b in enumerate(sorted(df["book"].unique()))}
        df["u"] = df["reader"].map(self.readers)
        df["i"] = df["book"].map(self.books)
        rank = df.groupby("u").cumcount(ascending=False)
        self.train = df[rank >= holdout]
        self.test = df[rank < holdout]

    def pairs(self, part):
        return torch.tensor(part[["u", "i"]].to_numpy())


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, dim):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.bias = nn.Parameter(torch.zeros(n_items))
        for e in (self.user, self.item):
            nn.init.normal_(e.weight, std=0.1)

    def score(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.bias[i]

    def all_scores(self, u):
        return self.user(u) @ self.item.weight.T + self.bias


def bpr_epoch(model, opt, pairs, n_items, batch):
    total = 0.0
    for chunk in pairs[torch.randperm(len(pairs))].split(batch):
        u, pos = chunk.unbind(1)
        neg = torch.randint(0, n_items, pos.shape)
        loss = -F.logsigmoid(model.score(u, pos) - model.score(u, neg)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(chunk)
    return total / len(pairs)


@torch.no_grad()
def hit_rates(model, inter, ks):
    test = inter.pairs(inter.test)
    seen = inter.pairs(inter.train)
    scores = model.all_scores(test[:, 0])
    row_of = {u: r for r, u in enumerate(test[:, 0].tolist())}
    rows = torch.tensor([row_of[u] for u in seen[:, 0].tolist()])
    scores[rows, seen[:, 1]] = float("-inf")
    top = scores.topk(max(ks), dim=1).indices
    return {f"hit@{k}": (top[:, :k] == test[:, 1:]).any(1).float().mean().item() for k in ks}


def main(path="towers.yaml"):
    with open(path) as fh:
        cfg = to_ns(yaml.safe_load(fh))
    torch.manual_seed(0)
    inter = Interactions(cfg.data.path, cfg.data.holdout)
    n_users, n_items = len(inter.readers), len(inter.books)
    print(f"{n_users} readers, {n_items} books, {len(inter.train)} training loans")
    model = TwoTower(n_users, n_items, cfg.model.dim)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.train.lr, weight_decay=cfg.train.l2)
    pairs = inter.pairs(inter.train)
    for epoch in range(cfg.train.epochs):
        loss = bpr_epoch(model, opt, pairs, n_items, cfg.train.batch)
        if (epoch + 1) % 4 == 0:
            m = hit_rates(model, inter, cfg.eval.ks)
            print(f"epoch {epoch + 1} bpr {loss:.4f} " + " ".join(f"{k} {v:.3f}" for k, v in m.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
