import torch
from torch import nn


class TabularNet(nn.Module):
    def __init__(self, n_numeric, cardinalities, hidden, emb_dim=4):
        super().__init__()
        self.embs = nn.ModuleList([nn.Embedding(c, emb_dim) for c in cardinalities])
        dims = [n_numeric + emb_dim * len(cardinalities)] + list(hidden)
        layers = []
        for a, b in zip(dims[:-1], dims[1:]):
            layers += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU()]
        self.body = nn.Sequential(*layers)
        self.out = nn.Linear(dims[-1], 1)

    def forward(self, num, cat):
        parts = [num]
        for j, emb in enumerate(self.embs):
            parts.append(emb(cat[:, j]))
        h = self.body(torch.cat(parts, dim=1))
        return self.out(h).squeeze(1)
