import math

import torch
from torch import nn


def sinusoid(t, dim):
    freq = torch.exp(-math.log(10000.0) * torch.arange(dim // 2, device=t.device) / (dim // 2))
    ang = t[:, None].float() * freq[None]
    return torch.cat([ang.sin(), ang.cos()], dim=1)


class FiLMBlock(nn.Module):
    def __init__(self, ch, cond, dilation):
        super().__init__()
        self.norm = nn.GroupNorm(4, ch)
        self.conv = nn.Conv1d(ch, ch, 3, padding=dilation, dilation=dilation)
        self.film = nn.Linear(cond, 2 * ch)
        self.out = nn.Conv1d(ch, ch, 1)

    def forward(self, x, c):
        scale, shift = self.film(c).unsqueeze(-1).chunk(2, dim=1)
        h = self.norm(x) * (1 + scale) + shift
        return x + self.out(torch.nn.functional.silu(self.conv(h)))


class StrokeDenoiser(nn.Module):
    def __init__(self, n_shapes, width=48, blocks=4):
        super().__init__()
        self.width = width
        self.shape = nn.Embedding(n_shapes + 1, width)  # last row: no class
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.inp = nn.Conv1d(2, width, 3, padding=1)
        self.blocks = nn.ModuleList(FiLMBlock(width, width, 2**i) for i in range(blocks))
        self.head = nn.Conv1d(width, 2, 1)
        nn.init.zeros_(self.head.weight)

    def forward(self, x, t, y):
        c = self.time(sinusoid(t, self.width)) + self.shape(y)
        h = self.inp(x)
        for b in self.blocks:
            h = b(h, c)
        return self.head(h)
