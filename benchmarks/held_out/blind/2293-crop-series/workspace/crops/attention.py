import math

import torch
from torch import nn


class TemporalAttention(nn.Module):
    """One learned query per head over the season (a light L-TAE)."""

    def __init__(self, n_in=3, dim=32, heads=4, n_out=5, max_len=40):
        super().__init__()
        self.inp = nn.Sequential(nn.Linear(n_in, dim), nn.LayerNorm(dim), nn.ReLU())
        pos = torch.arange(max_len)[:, None] * torch.exp(torch.arange(0, dim, 2) * (-math.log(1000.0) / dim))
        self.register_buffer("pos", torch.stack([pos.sin(), pos.cos()], -1).flatten(1))
        self.query = nn.Parameter(torch.randn(heads, dim // heads))
        self.key = nn.Linear(dim, dim)
        self.out = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Dropout(0.2), nn.Linear(dim, n_out))

    def forward(self, x):
        h = self.inp(x) + self.pos[: x.shape[1]]
        b, t, d = h.shape
        heads, dk = self.query.shape
        k = self.key(h).view(b, t, heads, dk)
        a = torch.softmax((k * self.query).sum(-1) / math.sqrt(dk), dim=1)
        v = h.view(b, t, heads, dk)
        return self.out((a[..., None] * v).sum(1).flatten(1))
