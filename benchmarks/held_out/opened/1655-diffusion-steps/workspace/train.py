import argparse
from pathlib import Path

import torch

from denoiser import Denoiser
from diffusion import Diffusion


def two_moons(n):
    angle = torch.rand(n) * torch.pi
    upper = torch.rand(n) < 0.5
    x = torch.where(upper, angle.cos(), 1 - angle.cos())
    y = torch.where(upper, angle.sin(), 0.5 - angle.sin())
    pts = torch.stack([x, y], 1) + 0.05 * torch.randn(n, 2)
    return (pts - torch.tensor([0.5, 0.25])) * 1.5


def parse_args():
    p = argparse.ArgumentParser(description="Train a denoiser on the two-moons points")
    p.add_argument("--out", type=Path, default=Path("out"))
    p.add_argument("--timesteps", type=int, default=250)
    p.add_argument("--width", type=int, default=64)
    p.add_argument("--iters", type=int, default=600)
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--lr", type=float, default=2e-3)
    return p.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(0)
    args.out.mkdir(exist_ok=True)
    model = Denoiser(2, args.timesteps, args.width)
    diffusion = Diffusion(args.timesteps)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    running = 0.0
    for it in range(1, args.iters + 1):
        loss = diffusion.loss(model, two_moons(args.batch_size))
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item()
        if it % 200 == 0:
            print(f"iter {it} loss {running / 200:.4f}")
            running = 0.0
    torch.save({"model": model.state_dict(), "width": args.width, "num_steps": args.timesteps}, args.out / "denoiser.pt")
    print("saved", args.out / "denoiser.pt")


if __name__ == "__main__":
    main()
