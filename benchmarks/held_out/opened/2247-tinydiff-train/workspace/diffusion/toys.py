import math

import torch


def rings(size, noise, generator):
    angle = 2 * math.pi * torch.rand(size, generator=generator)
    radius = torch.where(torch.rand(size, generator=generator) < 0.5, 0.5, 1.0)
    points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return points + noise * torch.randn(size, 2, generator=generator)


def moons(size, noise, generator):
    angle = math.pi * torch.rand(size, generator=generator)
    upper = torch.rand(size, generator=generator) < 0.5
    x = torch.where(upper, angle.cos(), 1 - angle.cos()) - 0.5
    y = torch.where(upper, angle.sin(), 0.5 - angle.sin()) - 0.25
    return torch.stack([x, y], dim=1) + noise * torch.randn(size, 2, generator=generator)


MAKERS = {"rings": rings, "moons": moons}


def make(kind, size, noise, seed):
    return MAKERS[kind](size, noise, torch.Generator().manual_seed(seed))
