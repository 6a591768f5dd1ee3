import argparse
import pathlib

import torch
import torch.nn.functional as F
import yaml
from torch import nn
from torch.utils.data import DataLoader

from metric_learning.datasets import BalancedBatchSampler, DescriptorTable
from metric_learning.losses import REGISTRY


class Embedder(nn.Module):
    def __init__(self, n_in, hidden, embedding_dim):
        super().__init__()
        layers = []
        for h in hidden:
            layers += [nn.Linear(n_in, h), nn.BatchNorm1d(h), nn.ReLU()]
            n_in = h
        self.body = nn.Sequential(*layers, nn.Linear(n_in, embedding_dim))

    def forward(self, x):
        return F.normalize(self.body(x), dim=-1)


def recall_at_k(emb, labels, k):
    sim = emb @ emb.T
    sim.fill_diagonal_(-2)
    nearest = sim.topk(k, dim=1).indices
    return (labels[nearest] == labels[:, None]).any(1).float().mean().item()


def train(cfg):
    torch.manual_seed(cfg["seed"])
    table = DescriptorTable(cfg["data"]["csv"], cfg["data"]["label_column"], cfg["data"]["min_per_class"])
    print(f"{len(table)} samples, {len(table.classes)} classes: {', '.join(table.classes)}")
    loader = DataLoader(table, batch_sampler=BalancedBatchSampler(table.y, seed=cfg["seed"], **cfg["sampler"]))
    model = Embedder(table.x.size(1), **cfg["model"])
    loss_fn = REGISTRY[cfg["loss"]["name"]]
    opt = torch.optim.AdamW(model.parameters(), **cfg["optim"])
    for epoch in range(cfg["epochs"]):
        model.train()
        losses = []
        for x, y in loader:
            loss = loss_fn(model(x), y, cfg["loss"]["margin"])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.detach())
        model.eval()
        with torch.no_grad():
            emb = model(table.x)
        scores = " ".join(f"R@{k} {recall_at_k(emb, table.y, k):.3f}" for k in (1, 4))
        print(f"epoch {epoch} loss {torch.stack(losses).mean():.4f} {scores}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("-c", "--config", type=pathlib.Path, default=pathlib.Path("conf/triplet.yaml"))
    train(yaml.safe_load(ap.parse_args().config.read_text()))
