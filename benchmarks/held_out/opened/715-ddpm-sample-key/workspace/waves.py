import math

import torch


def make_waves(n, length, seed=0):
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(length) / length
    freq = torch.randint(1, 4, (n, 1), generator=g)
    phase = torch.rand(n, 1, generator=g) * 2 * math.pi
    return torch.sin(2 * math.pi * freq * t + phase).unsqueeze(1)
