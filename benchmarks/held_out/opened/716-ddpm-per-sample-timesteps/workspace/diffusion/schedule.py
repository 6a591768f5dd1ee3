import torch


def linear_betas(timesteps, start=1e-4, end=2e-2):
    return torch.linspace(start, end, timesteps)


def cosine_betas(timesteps, s=0.008):
    x = torch.linspace(0, timesteps, timesteps + 1)
    f = torch.cos((x / timesteps + s) / (1 + s) * torch.pi / 2) ** 2
    alphas = f / f[0]
    return (1 - alphas[1:] / alphas[:-1]).clamp(max=0.999)


class NoiseSchedule:
    def __init__(self, kind, timesteps):
        make = {"linear": linear_betas, "cosine": cosine_betas}[kind]
        self.timesteps = timesteps
        self.betas = make(timesteps)
        self.alphas = 1.0 - self.betas
        self.abar = torch.cumprod(self.alphas, dim=0)

    def add_noise(self, x0, noise, t):
        a = self.abar[t].view(-1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def step_back(self, xt, eps, t):
        beta, alpha, abar = self.betas[t], self.alphas[t], self.abar[t]
        mean = (xt - beta / (1 - abar).sqrt() * eps) / alpha.sqrt()
        if t == 0:
            return mean
        return mean + beta.sqrt() * torch.randn_like(xt)
