import math

import torch
import torch.nn as nn


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([args.sin(), args.cos()], dim=-1)


class Block(nn.Module):
    def __init__(self, cin, cout, tdim):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, padding=1)
        self.norm = nn.GroupNorm(8, cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1)
        self.temb = nn.Linear(tdim, cout)
        self.skip = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()
        self.act = nn.SiLU()

    def forward(self, x, t):
        h = self.act(self.norm(self.conv1(x)))
        h = h + self.temb(t)[:, :, None, None]
        h = self.conv2(self.act(h))
        return h + self.skip(x)


class UNet(nn.Module):
    def __init__(self, channels=32, in_ch=1):
        super().__init__()
        c = channels
        self.tdim = 4 * c
        self.time = nn.Sequential(nn.Linear(c, self.tdim), nn.SiLU(), nn.Linear(self.tdim, self.tdim))
        self.c = c
        self.inp = nn.Conv2d(in_ch, c, 3, padding=1)
        self.d1 = Block(c, c, self.tdim)
        self.down = nn.Conv2d(c, c, 3, stride=2, padding=1)
        self.mid = Block(c, 2 * c, self.tdim)
        self.up = nn.ConvTranspose2d(2 * c, c, 4, stride=2, padding=1)
        self.u1 = Block(2 * c, c, self.tdim)
        self.out = nn.Conv2d(c, in_ch, 3, padding=1)

    def forward(self, x, t):
        t = self.time(timestep_embedding(t, self.c))
        h1 = self.d1(self.inp(x), t)
        h = self.mid(self.down(h1), t)
        h = self.up(h)
        h = self.u1(torch.cat([h, h1], dim=1), t)
        return self.out(h)
