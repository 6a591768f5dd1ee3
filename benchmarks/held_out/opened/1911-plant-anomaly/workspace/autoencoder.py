import torch
from torch import nn


class DenoisingAE(nn.Module):
    def __init__(self, n_in, hidden, latent, noise):
        super().__init__()
        self.noise = noise
        self.enc = nn.Sequential(nn.Linear(n_in, hidden), nn.SiLU(), nn.Linear(hidden, latent))
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, n_in))

    def forward(self, x):
        if self.training:
            x = x + self.noise * torch.randn_like(x)
        return self.dec(self.enc(x))

    @torch.no_grad()
    def score(self, x):
        self.eval()
        return (self(x) - x).square().mean(1)
