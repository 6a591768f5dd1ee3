import math

import torch
from torch import nn


def time_features(t, dim):
    freqs = torch.exp(-math.log(1000) * torch.arange(dim // 2) / (dim // 2))
    angles = t.float().unsqueeze(1) * freqs
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class ResBlock(nn.Module):
    def __init__(self, hidden, time_dim):
        super().__init__()
        self.lin1 = nn.Linear(hidden, hidden)
        self.lin2 = nn.Linear(hidden, hidden)
        self.shift = nn.Linear(time_dim, hidden)

    def forward(self, x, temb):
        h = torch.tanh(self.lin1(x))
        h += self.shift(temb)
        return x + self.lin2(torch.relu(h))


class Denoiser(nn.Module):
    def __init__(self, hidden, depth, time_dim):
        super().__init__()
        self.time_dim = time_dim
        self.inp = nn.Linear(2, hidden)
        self.blocks = nn.ModuleList(ResBlock(hidden, time_dim) for _ in range(depth))
        self.out = nn.Linear(hidden, 2)

    def forward(self, x, t):
        temb = time_features(t, self.time_dim)
        h = self.inp(x)
        for block in self.blocks:
            h = block(h, temb)
        return self.out(h)
