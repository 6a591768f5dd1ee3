import math

import torch
import torch.nn.functional as F


def sample_real(n, n_modes):
    """points on n_modes gaussians on the unit circle, with one-hot mode"""
    k = torch.randint(0, n_modes, (n,))
    ang = 2 * math.pi * k.float() / n_modes
    centers = torch.stack([ang.cos(), ang.sin()], dim=1)
    x = centers + 0.05 * torch.randn(n, 2)
    return x, F.one_hot(k, n_modes).float()
