import torch
from torch import nn
from torch.distributions import Independent, Normal, kl_divergence


class VAE(nn.Module):
    """Conv encoder, MLP decoder; 1x12x12 images with Bernoulli pixels."""

    def __init__(self, latent_dim=8, hidden=64):
        super().__init__()
        self.latent_dim = latent_dim
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.GELU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.GELU(),
            nn.Flatten(), nn.Linear(16 * 3 * 3, hidden), nn.GELU(),
        )
        self.to_stats = nn.Linear(hidden, 2 * latent_dim)
        self.decoder = nn.Sequential(
            nn.Linear(latent_dim, hidden), nn.GELU(),
            nn.Linear(hidden, 12 * 12), nn.Unflatten(1, (1, 12, 12)),
        )

    def posterior(self, x):
        mu, raw = self.to_stats(self.encoder(x)).chunk(2, dim=-1)
        return Independent(Normal(mu, nn.functional.softplus(raw) + 1e-4), 1)

    def prior(self, n=1):
        return Independent(Normal(torch.zeros(n, self.latent_dim), torch.ones(n, self.latent_dim)), 1)

    def elbo(self, x, beta=1.0):
        q = self.posterior(x)
        logits = self.decoder(q.rsample())
        rec = nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="none").sum((1, 2, 3))
        kl = kl_divergence(q, self.prior(len(x)))
        return (rec + beta * kl).mean(), rec.mean().item(), kl.mean().item()

    @torch.no_grad()
    def sample(self, n):
        return torch.bernoulli(torch.sigmoid(self.decoder(self.prior(n).sample())))
