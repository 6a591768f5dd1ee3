import torch
from torch import nn
import torch.nn.functional as F


class _VAE(nn.Module):
    def reparam(self, mu, logvar):
        if not self.training:
            return mu
        return mu + torch.randn_like(mu) * (0.5 * logvar).exp()

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.reparam(mu, logvar)), mu, logvar


class ConvVAE(_VAE):
    def __init__(self, image_size, latent, width):
        super().__init__()
        self.side = image_size // 4
        flat = 2 * width * self.side ** 2
        self.enc = nn.Sequential(nn.Conv2d(1, width, 4, 2, 1), nn.GELU(),
                                 nn.Conv2d(width, 2 * width, 4, 2, 1), nn.GELU(),
                                 nn.Flatten(), nn.Linear(flat, 2 * latent))
        self.fc = nn.Linear(latent, flat)
        self.dec = nn.Sequential(nn.Unflatten(1, (2 * width, self.side, self.side)), nn.GELU(),
                                 nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.GELU(),
                                 nn.ConvTranspose2d(width, 1, 4, 2, 1))

    def encode(self, x):
        return self.enc(x).chunk(2, dim=1)

    def decode(self, z):
        return self.dec(self.fc(z))


class MLPVAE(_VAE):
    def __init__(self, image_size, latent, hidden):
        super().__init__()
        d = image_size ** 2
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(d, hidden), nn.GELU(), nn.Linear(hidden, 2 * latent))
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.GELU(), nn.Linear(hidden, d),
                                 nn.Unflatten(1, (1, image_size, image_size)))

    def encode(self, x):
        return self.enc(x).chunk(2, dim=1)

    def decode(self, z):
        return self.dec(z)


def elbo_terms(logits, x, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="none").flatten(1).sum(1).mean()
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
    return rec, kl
