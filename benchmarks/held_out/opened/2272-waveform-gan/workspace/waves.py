import math

import torch


def wave_stream(batch_size, length, seed):
    """Endless stream of two-tone waveforms in [-1, 1], shape (batch, 1, length)."""
    gen = torch.Generator().manual_seed(seed)
    t = torch.linspace(0, 1, length)
    while True:
        f = 2 + 4 * torch.rand(batch_size, 2, 1, generator=gen)
        p = 2 * math.pi * torch.rand(batch_size, 2, 1, generator=gen)
        yield torch.sin(2 * math.pi * f * t + p).mean(dim=1, keepdim=True)
