import torch
import torch.nn as nn


class RentNet(nn.Module):
    def __init__(self, sizes, n_numeric, emb_dim, hidden):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(n, emb_dim) for n in sizes])
        self.mlp = nn.Sequential(
            nn.Linear(len(sizes) * emb_dim + n_numeric, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden // 2),
            nn.ReLU(),
            nn.Linear(hidden // 2, 1),
        )

    def forward(self, cat, num):
        parts = [table(cat[:, i]) for i, table in enumerate(self.tables)]
        out = self.mlp(torch.cat(parts + [num], dim=1))
        return out.squeeze(1)
