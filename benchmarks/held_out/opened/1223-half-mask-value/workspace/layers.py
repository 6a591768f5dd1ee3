import math

import torch
from torch import nn

from constants import MASK_VALUE


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.dk = heads, dim // heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))

    def forward(self, query, memory, mask=None):
        def heads(x):
            return x.unflatten(-1, (self.heads, self.dk)).transpose(1, 2)

        q, k, v = heads(self.wq(query)), heads(self.wk(memory)), heads(self.wv(memory))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(self.dk)
        if mask is not None:
            scores = scores.masked_fill(mask, MASK_VALUE)
        out = torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)
        return self.wo(out.transpose(1, 2).flatten(-2))


class Layer(nn.Module):
    def __init__(self, dim, heads, cross=False):
        super().__init__()
        self.self_attn = MultiHead(dim, heads)
        self.cross_attn = MultiHead(dim, heads) if cross else None
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.ReLU(), nn.Linear(4 * dim, dim))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(3))

    def forward(self, x, mask, memory=None, memory_mask=None):
        h = self.norms[0](x)
        x = x + self.self_attn(h, h, mask)
        if self.cross_attn is not None:
            x = x + self.cross_attn(self.norms[1](x), memory, memory_mask)
        return x + self.ff(self.norms[2](x))
