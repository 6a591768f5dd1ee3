import torch


class Diffusion:
    def __init__(self, timesteps, beta_start, beta_end):
        self.T = timesteps
        self.betas = torch.linspace(beta_start, beta_end, timesteps)
        self.alphas = 1 - self.betas
        self.abar = torch.cumprod(self.alphas, 0)

    def noisy(self, x0, t, noise):
        a = self.abar[t][:, None, None, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    @torch.no_grad()
    def sample(self, model, n, size):
        x = torch.randn(n, 1, size, size)
        for step in reversed(range(self.T)):
            t = torch.full((n,), step, dtype=torch.long)
            eps = model(x, t)
            coef = self.betas[step] / (1 - self.abar[step]).sqrt()
            x = (x - coef * eps) / self.alphas[step].sqrt()
            if step > 0:
                x = x + self.betas[step].sqrt() * torch.randn_like(x)
        return x.clamp(-1, 1)
