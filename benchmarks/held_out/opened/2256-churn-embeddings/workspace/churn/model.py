import torch
import torch.nn as nn


class ChurnNet(nn.Module):
    def __init__(self, cardinalities, n_numeric, hidden=32, dropout=0.1):
        super().__init__()
        dims = [min(16, (c + 1) // 2 + 1) for c in cardinalities]
        self.embeddings = nn.ModuleList(nn.Embedding(c, d) for c, d in zip(cardinalities, dims))
        self.mlp = nn.Sequential(
            nn.Linear(sum(dims) + n_numeric, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, hidden // 2),
            nn.ReLU(),
            nn.Linear(hidden // 2, 1),
        )

    def forward(self, cat, num):
        embedded = [emb(cat[:, i]) for i, emb in enumerate(self.embeddings)]
        return self.mlp(torch.cat([*embedded, num], dim=1)).squeeze(1)
