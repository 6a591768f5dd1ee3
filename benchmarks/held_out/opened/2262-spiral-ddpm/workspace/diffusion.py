import torch
import torch.nn.functional as F


class GaussianDiffusion:
    def __init__(self, timesteps, beta_start, beta_end):
        self.timesteps = timesteps
        self.betas = torch.linspace(beta_start, beta_end, timesteps)
        self.alphas = 1.0 - self.betas
        self.alpha_bar = torch.cumprod(self.alphas, dim=0)

    def add_noise(self, x0, t, noise):
        a = self.alpha_bar[t][:, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def loss(self, model, x0):
        t = torch.randint(self.timesteps, (len(x0),))
        noise = torch.randn_like(x0)
        return F.mse_loss(model(self.add_noise(x0, t, noise), t), noise)

    def step_back(self, model, x, t):
        eps = model(x, t)
        beta, alpha, a_bar = self.betas[t][..., None], self.alphas[t][..., None], self.alpha_bar[t][..., None]
        mean = (x - beta / (1 - a_bar).sqrt() * eps) / alpha.sqrt()
        keep = (t > 0).float()[..., None]
        return mean + keep * beta.sqrt() * torch.randn_like(x)

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for i in reversed(range(self.timesteps)):
            t = torch.tensor(i)
            x = self.step_back(model, x, t)
        return x
