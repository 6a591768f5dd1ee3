import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine_alpha_bar(T, s=0.008):
    t = np.arange(T + 1) / T
    f = np.cos((t + s) / (1 + s) * np.pi / 2) ** 2
    return f / f[0]


class Schedule:
    """Noise schedule with T steps, index 0 .. T-1."""

    def __init__(self, T):
        self.T = T
        ab = cosine_alpha_bar(T)
        betas = np.clip(1 - ab[1:] / ab[:-1], 0, 0.999)
        as_t = torch.from_numpy
        self.betas = as_t(betas)
        self.alphas = as_t(1 - betas)
        self.alpha_bar = as_t(np.cumprod(1 - betas))

    def q_sample(self, x0, t, noise):
        ab = self.alpha_bar[t].unsqueeze(-1)
        return ab.sqrt() * x0 + (1 - ab).sqrt() * noise

    @torch.no_grad()
    def sample(self, net, n, dim):
        x = torch.randn(n, dim)
        for i in reversed(range(self.T)):
            t = torch.full((n,), i)
            eps = net(x, t)
            a, ab = self.alphas[i], self.alpha_bar[i]
            x = (x - (1 - a) / (1 - ab).sqrt() * eps) / a.sqrt()
            if i > 0:
                x = x + self.betas[i].sqrt() * torch.randn_like(x)
        return x


class TimeEmbedding(nn.Module):
    def __init__(self, dim, max_period=1000.0):
        super().__init__()
        half = dim // 2
        freqs = torch.exp(-torch.arange(half) / half * np.log(max_period))
        self.register_buffer("freqs", freqs)

    def forward(self, t):
        ang = t.float()[:, None] * self.freqs
        return torch.cat([ang.sin(), ang.cos()], dim=-1)


class EpsNet(nn.Module):
    def __init__(self, dim=2, width=128, t_dim=32):
        super().__init__()
        self.temb = TimeEmbedding(t_dim)
        self.inp = nn.Linear(dim + t_dim, width)
        self.mid = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.out = nn.Linear(width, dim)

    def forward(self, x, t):
        h = F.silu(self.inp(torch.cat([x, self.temb(t)], dim=-1)))
        for layer in self.mid:
            h = h + F.silu(layer(h))
        return self.out(h)
