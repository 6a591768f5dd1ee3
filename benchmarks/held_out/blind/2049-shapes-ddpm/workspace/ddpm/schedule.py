import math

import torch


def cosine_betas(T, s=0.008):
    t = torch.linspace(0, T, T + 1, dtype=torch.float64) / T
    f = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
    return (1 - f[1:] / f[:-1]).clamp(max=0.999).float()


class GaussianDiffusion:
    def __init__(self, T):
        self.T = T
        self.betas = cosine_betas(T)
        self.alphas = 1.0 - self.betas
        self.abar = torch.cumprod(self.alphas, 0)

    @staticmethod
    def at(a, t, like):
        return a[t].view(-1, *([1] * (like.dim() - 1)))

    def q_sample(self, x0, t, noise):
        abar = self.at(self.abar, t, x0)
        return abar.sqrt() * x0 + (1 - abar).sqrt() * noise

    @torch.no_grad()
    def sample(self, model, shape, labels):
        x = torch.randn(shape)
        for step in reversed(range(self.T)):
            t = torch.full((shape[0],), step, dtype=torch.long)
            eps = model(x, t, labels)
            a, ab = self.alphas[step], self.abar[step]
            mean = (x - (1 - a) / (1 - ab).sqrt() * eps) / a.sqrt()
            x = mean + self.betas[step].sqrt() * torch.randn_like(x) if step > 0 else mean
        return x.clamp(-1, 1)
