import torch
from torch import nn

from .hashing import buckets


class BagClassifier(nn.Module):
    def __init__(self, n_buckets, dim, n_classes):
        super().__init__()
        self.n_buckets = n_buckets
        self.bag = nn.EmbeddingBag(n_buckets, dim, mode="mean")
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(dim, n_classes)

    def forward(self, texts):
        rows = [buckets(t, self.n_buckets) for t in texts]
        flat = torch.tensor([b for r in rows for b in r], dtype=torch.long)
        offsets = torch.tensor([0] + [len(r) for r in rows[:-1]]).cumsum(0)
        return self.fc(self.drop(self.bag(flat, offsets)))
