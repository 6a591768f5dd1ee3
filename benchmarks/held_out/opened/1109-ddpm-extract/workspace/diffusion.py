import math

import torch
import torch.nn.functional as F
from torch import nn


def cosine_beta_schedule(timesteps, s=0.008):
    x = torch.linspace(0, timesteps, timesteps + 1, dtype=torch.float64)
    alphas_bar = torch.cos((x / timesteps + s) / (1 + s) * math.pi / 2) ** 2
    alphas_bar = alphas_bar / alphas_bar[0]
    return (1 - alphas_bar[1:] / alphas_bar[:-1]).clamp(0, 0.999)


def extract(a, t, x_shape):
    """Pick a[t] for every sample, shaped so that it broadcasts over x."""
    return a.gather(-1, t)


class GaussianDiffusion(nn.Module):
    def __init__(self, model, timesteps, objective="eps"):
        super().__init__()
        self.model = model
        self.timesteps = timesteps
        self.objective = objective
        betas = cosine_beta_schedule(timesteps)
        alphas = 1 - betas
        bar = torch.cumprod(alphas, 0)
        bar_prev = F.pad(bar[:-1], (1, 0), value=1.0)
        reg = lambda name, v: self.register_buffer(name, v.float())
        reg("betas", betas)
        reg("sqrt_bar", bar.sqrt())
        reg("sqrt_one_minus_bar", (1 - bar).sqrt())
        reg("sqrt_recip_alphas", (1 / alphas).sqrt())
        reg("posterior_variance", betas * (1 - bar_prev) / (1 - bar))

    def q_sample(self, x0, t, noise):
        return extract(self.sqrt_bar, t, x0.shape) * x0 + extract(self.sqrt_one_minus_bar, t, x0.shape) * noise

    def forward(self, x0):
        t = torch.randint(0, self.timesteps, (x0.size(0),), device=x0.device)
        noise = torch.randn_like(x0)
        xt = self.q_sample(x0, t, noise)
        pred = self.model(xt, t)
        target = noise if self.objective == "eps" else x0
        return F.mse_loss(pred, target)

    @torch.no_grad()
    def p_sample(self, x, step):
        t = torch.full((x.size(0),), step, dtype=torch.long)
        eps = self.model(x, t)
        coef = extract(self.betas, t, x.shape) / extract(self.sqrt_one_minus_bar, t, x.shape)
        mean = extract(self.sqrt_recip_alphas, t, x.shape) * (x - coef * eps)
        if step == 0:
            return mean
        return mean + extract(self.posterior_variance, t, x.shape).sqrt() * torch.randn_like(x)

    @torch.no_grad()
    def sample(self, n, shape):
        x = torch.randn(n, *shape)
        for step in reversed(range(self.timesteps)):
            x = self.p_sample(x, step)
        return x.clamp(-1, 1)
