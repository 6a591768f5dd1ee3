import torch


class Schedule:
    def __init__(self, timesteps, beta_start, beta_end):
        self.timesteps = timesteps
        self.betas = torch.linspace(beta_start, beta_end, timesteps)
        self.alphas = 1 - self.betas
        self.abar = torch.cumprod(self.alphas, dim=0)

    def sample_t(self, n):
        return torch.randint(0, self.timesteps, (n,))

    def noisy(self, x0, t, eps):
        a = self.abar[t].unsqueeze(1)
        return a.sqrt() * x0 + (1 - a).sqrt() * eps

    @torch.no_grad()
    def generate(self, model, n):
        x = torch.randn(n, 2)
        for t in reversed(range(self.timesteps)):
            eps = model(x, torch.full((n,), t))
            x = (x - self.betas[t] / (1 - self.abar[t]).sqrt() * eps) / self.alphas[t].sqrt()
            if t > 0:
                x = x + self.betas[t].sqrt() * torch.randn_like(x)
        return x
