#!/usr/bin/env python
# WGAN-GP for daily load curves (24 values), standardised per day
import time
import numpy as np
import torch
from torch import nn, autograd

SEED, LATENT, HOURS = 1, 10, 24
N_CRITIC, LAMBDA_GP = 3, 10.0
EPOCHS, BS = 4, 64
torch.manual_seed(SEED); rng = np.random.default_rng(SEED)


def load_curves(n=768):
    h = np.arange(HOURS)
    peak = rng.normal(18, 1.0, (n, 1))
    morning = rng.normal(8, 0.7, (n, 1))
    amp = rng.uniform(0.7, 1.3, (n, 1))
    c = amp * (np.exp(-0.5 * ((h - peak) / 2.2) ** 2) + 0.6 * np.exp(-0.5 * ((h - morning) / 1.5) ** 2))
    c += rng.normal(0, 0.02, c.shape)
    return torch.tensor((c - c.mean()) / c.std(), dtype=torch.float32)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(LATENT, 32 * 6)
        self.up = nn.Sequential(
            nn.ReLU(),
            nn.ConvTranspose1d(32, 16, 4, 2, 1), nn.ReLU(),
            nn.ConvTranspose1d(16, 8, 4, 2, 1), nn.ReLU(),
            nn.Conv1d(8, 1, 3, padding=1),
        )

    def forward(self, z):
        return self.up(self.fc(z).view(-1, 32, 6)).squeeze(1)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(1, 16, 5, 2, 2), nn.LeakyReLU(0.2),
            nn.Conv1d(16, 32, 5, 2, 2), nn.LeakyReLU(0.2),
            nn.Flatten(), nn.Linear(32 * 6, 1),
        )

    def forward(self, x):
        return self.net(x.unsqueeze(1)).squeeze(-1)


def gradient_penalty(critic, real, fake):
    eps = torch.rand(len(real), 1)
    mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(mix)
    grad = autograd.grad(score.sum(), mix, create_graph=True)[0]
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


def main():
    data = load_curves()
    loader = torch.utils.data.DataLoader(data, BS, shuffle=True, drop_last=True)
    G, D = Generator(), Critic()
    opt_g = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.9))
    opt_d = torch.optim.Adam(D.parameters(), 1e-3, betas=(0.5, 0.9))
    it = 0
    for epoch in range(EPOCHS):
        t0, w_dist, g_hist = time.time(), [], []
        for real in loader:
            fake = G(torch.randn(BS, LATENT))
            # critic
            d_real, d_fake = D(real).mean(), D(fake).mean()
            gp = gradient_penalty(D, real, fake.detach())
            loss_d = d_fake - d_real + LAMBDA_GP * gp
            opt_d.zero_grad()
            loss_d.backward()
            opt_d.step()
            w_dist.append((d_real - d_fake).item())
            # generator
            it += 1
            if it % N_CRITIC == 0:
                loss_g = -D(fake).mean()
                opt_g.zero_grad()
                loss_g.backward()
                opt_g.step()
                g_hist.append(loss_g.item())
        print('epoch %d W %.3f G %.3f (%.1fs)' % (epoch, np.mean(w_dist), np.mean(g_hist), time.time() - t0))
    with torch.no_grad():
        s = G(torch.randn(200, LATENT))
    print('real mean curve max hour', int(data.mean(0).argmax()), 'generated', int(s.mean(0).argmax()))


if __name__ == '__main__':
    main()
