import torch
from torch import nn


class ChurnNet(nn.Module):
    def __init__(self, cardinalities, n_numeric, emb_dim, hidden, dropout):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(n, emb_dim) for n in cardinalities])
        dims = [len(cardinalities) * emb_dim + n_numeric] + list(hidden)
        layers = []
        for a, b in zip(dims[:-1], dims[1:]):
            layers += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU(), nn.Dropout(dropout)]
        self.body = nn.Sequential(*layers)
        self.out = nn.Linear(dims[-1], 1)

    def forward(self, cats, nums):
        e = [emb(cats[:, i]) for i, emb in enumerate(self.embeddings)]
        return self.out(self.body(torch.cat(e + [nums], dim=1))).squeeze(1)
