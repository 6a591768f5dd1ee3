import math

import torch


def wave_images(count, size, channels, waves, seed):
    """Sums of plane waves, the second channel is a shifted copy of the first."""
    g = torch.Generator().manual_seed(seed)
    ax = torch.linspace(0, 1, size)
    yy, xx = torch.meshgrid(ax, ax, indexing="ij")
    images = torch.zeros(count, channels, size, size)
    for i in range(count):
        for _ in range(waves):
            angle = math.pi * torch.rand(1, generator=g).item()
            freq = 4 + 6 * torch.rand(1, generator=g).item()
            phase = 2 * math.pi * torch.rand(1, generator=g).item()
            arg = freq * (math.cos(angle) * xx + math.sin(angle) * yy) + phase
            for c in range(channels):
                images[i, c] += torch.sin(arg + c * math.pi / 4)
    return images / waves
