import math

import torch
from torch import nn


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([args.cos(), args.sin()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, cin, cout, temb_dim, groups=4):
        super().__init__()
        self.norm = nn.GroupNorm(groups, cin)
        self.conv = nn.Conv1d(cin, cout, 3, padding=1)
        self.time = nn.Linear(temb_dim, cout)
        self.skip = nn.Conv1d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, temb):
        h = self.conv(torch.nn.functional.silu(self.norm(x)))
        h = h + self.time(temb)[:, :, None]
        return h + self.skip(x)


class Denoiser(nn.Module):
    def __init__(self, channels=16, temb_dim=32):
        super().__init__()
        self.temb_dim = temb_dim
        self.inp = nn.Conv1d(1, channels, 3, padding=1)
        self.down1 = ResBlock(channels, channels, temb_dim)
        self.pool = nn.Conv1d(channels, channels * 2, 4, stride=2, padding=1)
        self.mid = ResBlock(channels * 2, channels * 2, temb_dim)
        self.up = nn.ConvTranspose1d(channels * 2, channels, 4, stride=2, padding=1)
        self.up1 = ResBlock(channels * 2, channels, temb_dim)
        self.out = nn.Conv1d(channels, 1, 3, padding=1)

    def forward(self, x, t):
        temb = timestep_embedding(t, self.temb_dim)
        h0 = self.inp(x)
        h1 = self.down1(h0, temb)
        h2 = self.mid(self.pool(h1), temb)
        h3 = self.up(h2)
        h4 = self.up1(torch.cat([h3, h1], dim=1), temb)
        return self.out(h4)
