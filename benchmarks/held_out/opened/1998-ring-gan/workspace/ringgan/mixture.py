import math

import torch


class RingMixture:
    """Gaussians placed on a circle."""

    def __init__(self, modes, radius, std):
        angle = torch.arange(modes) * (2 * math.pi / modes)
        self.centres = radius * torch.stack([angle.cos(), angle.sin()], dim=1)
        self.std = std

    def sample(self, n):
        which = torch.randint(0, len(self.centres), (n,))
        return self.centres[which] + self.std * torch.randn(n, 2)

    def coverage(self, points, radius_in_std=5.0):
        dist = torch.cdist(points, self.centres)
        near, mode = dist.min(dim=1)
        good = near < radius_in_std * self.std
        return good.float().mean().item(), mode[good].unique().numel()
