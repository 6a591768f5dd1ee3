import argparse
import math

import torch

from .diffusion import Denoiser, Diffusion
from .seeding import make_generator, seed_everything


def two_moons(n):
    t = torch.rand(n) * math.pi
    upper = torch.stack([t.cos(), t.sin()], 1)
    lower = torch.stack([1 - t.cos(), 0.4 - t.sin()], 1)
    pick = torch.rand(n, 1) < 0.5
    return torch.where(pick, upper, lower) + 0.05 * torch.randn(n, 2)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=1000)
    ap.add_argument("--samples", type=int, default=512)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    device = torch.device("cuda")
    seed_everything(args.seed)
    model, diffusion = Denoiser().to(device), Diffusion().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(args.steps):
        loss = diffusion.loss(model, two_moons(256).to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 50 == 0:
            print(f"step {step} loss {loss.item():.4f}")
    gen = make_generator(args.seed + 1, device)
    x = diffusion.sample(model, args.samples, 2, gen).cpu()
    print("sample mean", x.mean(0).tolist(), "std", x.std(0).tolist())


if __name__ == "__main__":
    main()
