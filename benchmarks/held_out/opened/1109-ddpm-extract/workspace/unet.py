import math

import torch
from torch import nn


class SinusoidalEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, t):
        half = self.dim // 2
        freqs = torch.exp(-math.log(1000.0) * torch.arange(half, device=t.device) / half)
        args = t[:, None].float() * freqs[None]
        return torch.cat([args.sin(), args.cos()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, cin, cout, temb_dim, groups=4):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, cin)
        self.conv1 = nn.Conv2d(cin, cout, 3, padding=1)
        self.temb = nn.Linear(temb_dim, cout)
        self.norm2 = nn.GroupNorm(groups, cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1)
        self.skip = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()
        self.act = nn.SiLU()

    def forward(self, x, temb):
        h = self.conv1(self.act(self.norm1(x)))
        h = h + self.temb(self.act(temb))[:, :, None, None]
        h = self.conv2(self.act(self.norm2(h)))
        return h + self.skip(x)


class UNet(nn.Module):
    def __init__(self, in_ch=1, base=16, mults=(1, 2), temb_dim=32):
        super().__init__()
        self.time = nn.Sequential(SinusoidalEmbedding(temb_dim), nn.Linear(temb_dim, temb_dim), nn.SiLU(),
                                  nn.Linear(temb_dim, temb_dim))
        self.stem = nn.Conv2d(in_ch, base, 3, padding=1)
        widths = [base * m for m in mults]
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        ch = base
        for w in widths:
            self.downs.append(nn.ModuleList([ResBlock(ch, w, temb_dim), nn.Conv2d(w, w, 4, 2, 1)]))
            ch = w
        self.mid = ResBlock(ch, ch, temb_dim)
        for w in reversed(widths):
            self.ups.append(nn.ModuleList([nn.ConvTranspose2d(ch, w, 4, 2, 1), ResBlock(2 * w, w, temb_dim)]))
            ch = w
        self.out = nn.Sequential(nn.GroupNorm(4, ch), nn.SiLU(), nn.Conv2d(ch, in_ch, 3, padding=1))

    def forward(self, x, t):
        temb = self.time(t)
        x = self.stem(x)
        skips = []
        for block, down in self.downs:
            x = block(x, temb)
            skips.append(x)
            x = down(x)
        x = self.mid(x, temb)
        for up, block in self.ups:
            x = block(torch.cat([up(x), skips.pop()], dim=1), temb)
        return self.out(x)
