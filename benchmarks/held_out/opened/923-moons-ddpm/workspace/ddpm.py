"""Tiny DDPM on the two-moons toy set. usage: python ddpm.py [--steps N]"""
import argparse
import math

import torch
import torch.nn as nn
from sklearn.datasets import make_moons
from tqdm import tqdm


class SinusoidalEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, t):
        half = self.dim // 2
        freqs = torch.exp(-math.log(10000) * torch.arange(half) / (half - 1))
        args = t[:, None].float() * freqs[None, :]
        return torch.cat([args.sin(), args.cos()], dim=-1)


class Denoiser(nn.Module):
    def __init__(self, time_dim=32, hidden=128):
        super().__init__()
        self.time = nn.Sequential(
            SinusoidalEmbedding(time_dim), nn.Linear(time_dim, hidden), nn.SiLU()
        )
        self.inp = nn.Linear(2, hidden)
        self.body = nn.Sequential(
            nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 2)
        )

    def forward(self, x, t):
        return self.body(self.inp(x) + self.time(t))


class Diffusion:
    def __init__(self, timesteps, beta_start=1e-4, beta_end=0.04):
        self.timesteps = timesteps
        self.betas = torch.linspace(beta_start, beta_end, timesteps)
        self.alphas = 1.0 - self.betas
        self.alpha_bar = torch.cumprod(self.alphas, dim=0)

    def add_noise(self, x0, t, noise):
        a = self.alpha_bar[t].sqrt().unsqueeze(1)
        s = (1.0 - self.alpha_bar[t]).sqrt().unsqueeze(1)
        return a * x0 + s * noise

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for i in reversed(range(self.timesteps)):
            t = torch.full((n,), i, dtype=torch.long)
            eps = model(x, t)
            coef = self.betas[i] / (1.0 - self.alpha_bar[i]).sqrt()
            x = (x - coef * eps) / self.alphas[i].sqrt()
            if i > 0:
                x = x + self.betas[i].sqrt() * torch.randn_like(x)
        return x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--timesteps", type=int, default=100)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()

    torch.manual_seed(0)
    data, _ = make_moons(1000, noise=0.05, random_state=0)
    data = torch.tensor(data, dtype=torch.float32)
    data = (data - data.mean(0)) / data.std(0)

    diffusion = Diffusion(args.timesteps)
    model = Denoiser()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)

    running = None
    for step in tqdm(range(args.steps), mininterval=2.0):
        x0 = data[torch.randint(0, len(data), (args.batch_size,))]
        t = torch.randint(1, args.timesteps + 1, (args.batch_size,))
        noise = torch.randn_like(x0)
        x_t = diffusion.add_noise(x0, t, noise)
        loss = (model(x_t, t) - noise).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
        if (step + 1) % 200 == 0:
            tqdm.write(f"step {step + 1}: loss {running:.4f}")

    samples = diffusion.sample(model, 256)
    print("sample mean", samples.mean(0).tolist(), "std", samples.std(0).tolist())


if __name__ == "__main__":
    main()
