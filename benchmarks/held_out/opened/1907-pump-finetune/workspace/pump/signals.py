import math
import torch


def make_batch(n, length, gen, n_states=4):
    """(n, length, 3) vibration windows and the pump state of each"""
    state = torch.randint(n_states, (n,), generator=gen)
    t = torch.arange(length) / 16.0
    f0 = 1.0 + 0.1 * torch.randn(n, 1, generator=gen)
    ph = 2 * math.pi * torch.rand(n, 1, generator=gen)
    base = torch.sin(2 * math.pi * f0 * t + ph)
    noise = torch.randn(n, length, 3, generator=gen)
    x = torch.stack([base, base.roll(4, 1), 0.5 * base], -1)
    s = state[:, None]
    x[..., 0] += (s == 2) * 0.6 * torch.sin(4 * math.pi * f0 * t + ph)
    x[..., 1] += (s == 3) * 0.8 * (torch.sin(7 * t) > 0.9)
    amp = torch.where(state == 1, 0.5, 0.12)[:, None, None]
    return x + amp * noise, state
