import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10_000) * torch.arange(half) / half)
    args = t.float()[:, None] * freqs[None]
    return torch.cat([args.sin(), args.cos()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, c_in, c_out, c_time):
        super().__init__()
        self.norm1 = nn.GroupNorm(4, c_in)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.time = nn.Linear(c_time, c_out)
        self.norm2 = nn.GroupNorm(4, c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.skip = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x, temb):
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.time(temb)[:, :, None, None]
        h = self.conv2(F.silu(self.norm2(h)))
        return h + self.skip(x)


class SmallUNet(nn.Module):
    def __init__(self, base, mult):
        super().__init__()
        self.base = base
        c_time = base * 4
        self.time_mlp = nn.Sequential(nn.Linear(base, c_time), nn.SiLU(), nn.Linear(c_time, c_time))
        self.stem = nn.Conv2d(1, base, 3, padding=1)
        widths = [base * m for m in mult]
        self.down = nn.ModuleList()
        c = base
        for w in widths:
            self.down.append(ResBlock(c, w, c_time))
            c = w
        self.mid = ResBlock(c, c, c_time)
        self.up = nn.ModuleList()
        for w in reversed(widths):
            self.up.append(ResBlock(c + w, w, c_time))
            c = w
        self.head = nn.Sequential(nn.GroupNorm(4, c), nn.SiLU(), nn.Conv2d(c, 1, 3, padding=1))

    def forward(self, x, t):
        temb = self.time_mlp(timestep_embedding(t, self.base))
        h = self.stem(x)
        skips = []
        for block in self.down:
            h = block(h, temb)
            skips.append(h)
            h = F.avg_pool2d(h, 2)
        h = self.mid(h, temb)
        for block in self.up:
            h = F.interpolate(h, scale_factor=2)
            h = block(torch.cat([h, skips.pop()], dim=1), temb)
        return self.head(h)
