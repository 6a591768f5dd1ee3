import math

import torch


def spiral(points, noise):
    t = torch.rand(points) ** 0.5 * 3 * math.pi
    xy = torch.stack([t * t.cos(), t * t.sin()], dim=1) / (3 * math.pi)
    return xy + noise * torch.randn_like(xy)
