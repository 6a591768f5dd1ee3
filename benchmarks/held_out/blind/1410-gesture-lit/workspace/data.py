import math

import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


def make(n, length, channels, n_classes, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % n_classes
    t = torch.linspace(0, 1, length)
    freq = (1.0 + 1.5 * y)[:, None, None]
    phase = 2 * math.pi * torch.rand(n, channels, 1, generator=g)
    x = torch.sin(2 * math.pi * freq * t + phase) + 0.4 * torch.randn(n, channels, length, generator=g)
    return TensorDataset(x, y)


def loaders(cfg, seed):
    full = make(cfg["sequences"], cfg["length"], cfg["channels"], len(cfg["gestures"]), seed)
    parts = random_split(full, [0.7, 0.15, 0.15], generator=torch.Generator().manual_seed(seed))
    bs = cfg["batch_size"]
    return [DataLoader(p, bs, shuffle=(i == 0)) for i, p in enumerate(parts)]
