"""Pen strokes (24 points, x/y) of four shapes; class-conditional toy data."""
import math

import torch

SHAPES = ["spiral", "wave", "loop", "zigzag"]
POINTS = 24


def draw(shape, gen):
    u = torch.linspace(0, 1, POINTS)
    a = 0.8 + 0.3 * torch.rand(1, generator=gen)
    ph = 0.6 * torch.rand(1, generator=gen)
    if shape == "spiral":
        x, y = a * u * torch.cos(9 * u + ph), a * u * torch.sin(9 * u + ph)
    elif shape == "wave":
        x, y = 2 * u - 1, 0.5 * a * torch.sin(2 * math.pi * (1.5 * u + ph))
    elif shape == "loop":
        x, y = a * torch.cos(2 * math.pi * u + ph), a * torch.sin(2 * math.pi * u + ph)
    else:
        x, y = 2 * u - 1, a * (2 * torch.abs(2 * ((3 * u + ph) % 1) - 1) - 1) * 0.6
    return torch.stack([x, y]) + 0.01 * torch.randn(2, POINTS, generator=gen)


def dataset(n, seed=0):
    gen = torch.Generator().manual_seed(seed)
    label = torch.randint(0, len(SHAPES), (n,), generator=gen)
    return torch.stack([draw(SHAPES[i], gen) for i in label]), label
