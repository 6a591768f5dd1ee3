import torch
from torch import nn


class Fourier(nn.Module):
    def __init__(self, m=4):
        super().__init__()
        self.register_buffer("freq", torch.arange(1, m + 1) * torch.pi / 2)

    def forward(self, x):
        z = x * self.freq
        return torch.cat([x, z.sin(), z.cos()], dim=-1)


class BeamNet(nn.Module):
    """Deflection w(s) on the unit interval, with the unknown log stiffness as a parameter."""

    def __init__(self, width, depth, ei_guess):
        super().__init__()
        enc = Fourier()
        dims = [1 + 2 * enc.freq.numel()] + [width] * depth
        layers = [enc]
        for a, b in zip(dims[:-1], dims[1:]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        layers.append(nn.Linear(dims[-1], 1))
        self.body = nn.Sequential(*layers)
        self.log_ei = nn.Parameter(torch.tensor(float(ei_guess)).log())

    @property
    def ei(self):
        return self.log_ei.exp()

    def forward(self, s):
        return self.body(s)
