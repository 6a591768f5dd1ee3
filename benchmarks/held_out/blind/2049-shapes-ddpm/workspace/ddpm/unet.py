import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, t):
        half = self.dim // 2
        freqs = torch.exp(-math.log(1000.0) * torch.arange(half) / half)
        ang = t.float()[:, None] * freqs[None]
        return self.mlp(torch.cat([ang.sin(), ang.cos()], dim=-1))


class ResBlock(nn.Module):
    def __init__(self, c_in, c_out, emb_dim):
        super().__init__()
        self.norm1 = nn.GroupNorm(4, c_in) if c_in % 4 == 0 else nn.Identity()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.emb = nn.Linear(emb_dim, c_out)
        self.norm2 = nn.GroupNorm(4, c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.skip = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x, emb):
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.emb(emb)[:, :, None, None]
        h = self.conv2(F.silu(self.norm2(h)))
        return h + self.skip(x)


class TinyUNet(nn.Module):
    def __init__(self, n_classes, base=16, emb_dim=32):
        super().__init__()
        self.time = TimeEmbedding(emb_dim)
        self.label = nn.Embedding(n_classes, emb_dim)
        self.inp = nn.Conv2d(1, base, 3, padding=1)
        self.down1 = ResBlock(base, base, emb_dim)
        self.pool1 = nn.Conv2d(base, base * 2, 3, stride=2, padding=1)
        self.down2 = ResBlock(base * 2, base * 2, emb_dim)
        self.pool2 = nn.Conv2d(base * 2, base * 2, 3, stride=2, padding=1)
        self.mid = ResBlock(base * 2, base * 2, emb_dim)
        self.up2 = ResBlock(base * 4, base * 2, emb_dim)
        self.up1 = ResBlock(base * 3, base, emb_dim)
        self.out = nn.Conv2d(base, 1, 3, padding=1)

    def forward(self, x, t, labels):
        emb = self.time(t) + self.label(labels)
        h1 = self.down1(self.inp(x), emb)
        h2 = self.down2(self.pool1(h1), emb)
        h = self.mid(self.pool2(h2), emb)
        h = F.interpolate(h, scale_factor=2)
        h = self.up2(torch.cat([h, h2], dim=1), emb)
        h = F.interpolate(h, scale_factor=2)
        h = self.up1(torch.cat([h, h1], dim=1), emb)
        return self.out(h)
