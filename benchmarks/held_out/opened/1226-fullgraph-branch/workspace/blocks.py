import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self, dim, init=1.0):
        super().__init__()
        self.alpha = nn.Parameter(torch.full((dim,), float(init)))
        self.beta = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return self.alpha * x + self.beta


class ResMLPBlock(nn.Module):
    def __init__(self, dim, tokens, scale=0.1):
        super().__init__()
        self.pre1, self.pre2 = Affine(dim), Affine(dim)
        self.post1, self.post2 = Affine(dim, scale), Affine(dim, scale)
        self.cross = nn.Linear(tokens, tokens)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        h = self.cross(self.pre1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.post1(h)
        if torch.isnan(x).any():
            raise FloatingPointError("NaN after the token mixing")
        return x + self.post2(self.ff(self.pre2(x)))


class ResMLP(nn.Module):
    def __init__(self, classes, dim=128, depth=2, patch=4, size=32):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, patch, patch)
        self.blocks = nn.ModuleList(ResMLPBlock(dim, (size // patch) ** 2) for _ in range(depth))
        self.norm = Affine(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)
        for b in self.blocks:
            x = b(x)
        return self.head(self.norm(x).mean(1))
