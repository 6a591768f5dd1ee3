import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, dim=2, hidden=128, steps=100):
        super().__init__()
        self.time = nn.Embedding(steps, hidden)
        self.inp = nn.Linear(dim, hidden)
        self.body = nn.Sequential(nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, dim))

    def forward(self, x, t):
        return self.body(self.inp(x) + self.time(t))


class Diffusion(nn.Module):
    def __init__(self, steps=100):
        super().__init__()
        self.steps = steps
        betas = torch.linspace(1e-4, 0.05, steps)
        self.register_buffer("betas", betas)
        self.register_buffer("abar", torch.cumprod(1 - betas, 0))

    def loss(self, model, x0):
        t = torch.randint(0, self.steps, (len(x0),), device=x0.device)
        noise = torch.randn_like(x0)
        a = self.abar[t, None]
        xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
        return nn.functional.mse_loss(model(xt, t), noise)

    @torch.no_grad()
    def sample(self, model, n, dim, generator):
        device = self.betas.device
        x = torch.randn(n, dim, device=device, generator=generator)
        for i in reversed(range(self.steps)):
            t = torch.full((n,), i, device=device)
            eps = model(x, t)
            beta, abar = self.betas[i], self.abar[i]
            x = (x - beta / (1 - abar).sqrt() * eps) / (1 - beta).sqrt()
            if i > 0:
                x = x + beta.sqrt() * torch.randn(n, dim, device=device, generator=generator)
        return x
