"""
Toy GAN on 2-D data ("two spirals"), hinge loss, spectral norm in the critic,
EMA copy of the generator used for evaluation.
"""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import spectral_norm
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


def spirals(n, noise=0.03):
    t = torch.rand(n).sqrt() * 2.2 * math.pi
    sign = torch.randint(0, 2, (n,)) * 2.0 - 1.0
    xy = torch.stack([sign * t * t.cos(), sign * t * t.sin()], dim=1) / 7.0
    return xy + noise * torch.randn(n, 2)


def mlp(sizes, act, wrap=lambda m: m):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [wrap(nn.Linear(a, b)), act()]
    return nn.Sequential(*layers[:-1])


class Generator(nn.Module):
    def __init__(self, z_dim, width):
        super().__init__()
        self.z_dim = z_dim
        self.net = mlp([z_dim, width, width, 2], nn.SiLU)

    def sample(self, n):
        return self.net(torch.randn(n, self.z_dim))

    forward = sample


class GanTrainer:
    def __init__(self, args):
        self.args = args
        self.G = Generator(args.z_dim, args.width)
        self.D = mlp([2, args.width, args.width, 1], lambda: nn.LeakyReLU(0.2), spectral_norm)
        self.ema = AveragedModel(self.G, multi_avg_fn=get_ema_multi_avg_fn(0.98))
        betas = (0.0, 0.9)
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=args.lr, betas=betas)
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=2 * args.lr, betas=betas)

    def critic_loss(self, real, fake):
        return F.relu(1 - self.D(real)).mean() + F.relu(1 + self.D(fake)).mean()

    def step(self):
        n = self.args.batch
        real = spirals(n)
        fake = self.G(n)

        # --- critic
        self.opt_d.zero_grad(set_to_none=True)
        d_loss = self.critic_loss(real, fake)
        d_loss.backward()
        self.opt_d.step()

        # --- generator
        self.D.requires_grad_(False)
        self.opt_g.zero_grad(set_to_none=True)
        g_loss = -self.D(fake).mean()
        g_loss.backward()
        self.opt_g.step()
        self.D.requires_grad_(True)

        self.ema.update_parameters(self.G)
        return d_loss.item(), g_loss.item()

    @torch.no_grad()
    def energy_distance(self, n=500):
        a, b = spirals(n), self.ema.module.sample(n)
        off = n / (n - 1)
        return (2 * torch.cdist(a, b).mean()
                - off * torch.cdist(a, a).mean() - off * torch.cdist(b, b).mean()).item()


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--z-dim", type=int, default=4)
    ap.add_argument("--width", type=int, default=64)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--iters", type=int, default=400)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args(argv)
    torch.manual_seed(11)
    tr = GanTrainer(args)
    print(f"start            energy distance {tr.energy_distance():.4f}")
    for it in range(1, args.iters + 1):
        d, g = tr.step()
        if it % 100 == 0:
            print(f"iter {it:4d}  D {d:.3f}  G {g:+.3f}  energy distance {tr.energy_distance():.4f}")
    torch.save(tr.ema.module.state_dict(), "generator_ema.pt")


if __name__ == "__main__":
    main()
