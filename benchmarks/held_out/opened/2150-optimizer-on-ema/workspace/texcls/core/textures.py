import math

import torch
from torch.utils.data import TensorDataset


def make_textures(n, size, classes, noise, seed):
    """Gratings; the class is the direction of the stripes."""
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(classes, (n,), generator=g)
    phase = torch.rand(n, 1, 1, generator=g) * 2 * math.pi
    angle = (y.float() * math.pi / classes)[:, None, None]
    grid = torch.arange(size).float()
    xx, yy = grid[None, None, :], grid[None, :, None]
    wave = torch.sin(1.2 * (xx * angle.cos() + yy * angle.sin()) + phase)
    x = wave + noise * torch.randn(n, size, size, generator=g)
    return TensorDataset(x.unsqueeze(1), y)
