import math

import torch
import torch.nn.functional as F


def make_betas(schedule, T, beta_start, beta_end):
    if schedule == "linear":
        return torch.linspace(beta_start, beta_end, T)
    if schedule == "cosine":
        s = 0.008
        steps = torch.arange(T + 1) / T
        f = torch.cos((steps + s) / (1 + s) * math.pi / 2) ** 2
        betas = 1 - f[1:] / f[:-1]
        return betas.clamp(max=0.999)
    raise NotImplementedError(f"schedule {schedule!r}")


def extract(a, t, x):
    return a.gather(0, t).view(-1, *([1] * (x.dim() - 1)))


class GaussianDiffusion:
    def __init__(self, timesteps, schedule="linear", beta_start=1e-4, beta_end=0.02):
        self.T = timesteps
        self.betas = make_betas(schedule, timesteps, beta_start, beta_end)
        alphas = 1.0 - self.betas
        self.alphas = alphas
        self.abar = torch.cumprod(alphas, dim=0)
        self.sqrt_abar = self.abar.sqrt()
        self.sqrt_1m_abar = (1 - self.abar).sqrt()

    def q_sample(self, x0, t, noise):
        return extract(self.sqrt_abar, t, x0) * x0 + extract(self.sqrt_1m_abar, t, x0) * noise

    def loss(self, model, x0):
        t = torch.randint(0, self.T, (x0.size(0),))
        noise = torch.randn_like(x0)
        pred = model(self.q_sample(x0, t, noise), t)
        return F.mse_loss(pred, noise)

    @torch.no_grad()
    def sample(self, model, shape):
        x = torch.randn(shape)
        for i in reversed(range(self.T)):
            t = torch.full((shape[0],), i, dtype=torch.long)
            eps = model(x, t)
            coef = self.betas[i] / self.sqrt_1m_abar[i]
            x = (x - coef * eps) / self.alphas[i].sqrt()
            if i > 0:
                x = x + self.betas[i].sqrt() * torch.randn_like(x)
        return x.clamp(-1, 1)
