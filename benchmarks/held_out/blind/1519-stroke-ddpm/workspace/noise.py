import math

import torch
from torch import nn


class CosineNoise(nn.Module):
    def __init__(self, steps, s=0.008):
        super().__init__()
        self.steps = steps
        t = torch.arange(steps + 1) / steps
        f = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
        beta = (1 - f[1:] / f[:-1]).clamp(max=0.999)
        bar = torch.cumprod(1 - beta, 0)
        self.register_buffer("beta", beta)
        self.register_buffer("bar", bar)
        self.register_buffer("bar_prev", torch.cat([torch.ones(1), bar[:-1]]))

    @staticmethod
    def pick(table, t, like):
        return table.gather(0, t).view(-1, *[1] * (like.dim() - 1))

    def random_steps(self, n):
        return torch.randint(1, self.steps + 1, (n,), device=self.beta.device)

    def diffuse(self, x0, t, eps):
        bar = self.pick(self.bar, t, x0)
        return bar.sqrt() * x0 + (1 - bar).sqrt() * eps

    def reverse(self, x, t, eps_hat):
        beta, bar, prev = (self.pick(v, t, x) for v in (self.beta, self.bar, self.bar_prev))
        x0 = ((x - (1 - bar).sqrt() * eps_hat) / bar.sqrt()).clamp(-2, 2)
        mean = prev.sqrt() * beta / (1 - bar) * x0 + (1 - beta).sqrt() * (1 - prev) / (1 - bar) * x
        var = beta * (1 - prev) / (1 - bar)
        return mean + var.sqrt() * torch.randn_like(x)
