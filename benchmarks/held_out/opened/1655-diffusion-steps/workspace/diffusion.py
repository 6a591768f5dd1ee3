import torch
import torch.nn.functional as F


def cosine_betas(steps, s=0.008):
    t = torch.linspace(0, steps, steps + 1) / steps
    f = torch.cos((t + s) / (1 + s) * torch.pi / 2) ** 2
    return (1 - f[1:] / f[:-1]).clamp(max=0.999)


class Diffusion:
    def __init__(self, steps):
        self.steps = steps
        self.betas = cosine_betas(steps)
        self.alphas = 1 - self.betas
        self.alpha_bar = torch.cumprod(self.alphas, 0)

    def q_sample(self, x0, t, noise):
        ab = self.alpha_bar[t][:, None]
        return ab.sqrt() * x0 + (1 - ab).sqrt() * noise

    def loss(self, model, x0):
        t = torch.randint(0, self.steps, (x0.size(0),))
        noise = torch.randn_like(x0)
        return F.mse_loss(model(self.q_sample(x0, t, noise), t), noise)

    @torch.no_grad()
    def p_sample_loop(self, model, shape):
        x = torch.randn(shape)
        for i in reversed(range(self.steps)):
            t = torch.full((shape[0],), i)
            eps = model(x, t)
            coef = self.betas[i] / (1 - self.alpha_bar[i]).sqrt()
            x = (x - coef * eps) / self.alphas[i].sqrt()
            if i > 0:
                x = x + self.betas[i].sqrt() * torch.randn_like(x)
        return x
