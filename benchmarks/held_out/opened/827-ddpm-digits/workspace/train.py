import argparse
import os

import torch
from sklearn.datasets import load_digits

from diffusion import GaussianDiffusion
from unet import UNet


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--out_dir", default="runs/tmp")
    p.add_argument("--timesteps", type=int, default=200)
    p.add_argument("--schedule", default="linear")
    p.add_argument("--beta_start", type=float, default=1e-4)
    p.add_argument("--beta_end", type=float, default=0.02)
    p.add_argument("--channels", type=int, default=32)
    p.add_argument("--iters", type=int, default=200)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--ema", type=float, default=0.95)
    return p.parse_args()


def digits():
    x = torch.tensor(load_digits().images, dtype=torch.float32)
    return (x / 8.0 - 1.0).unsqueeze(1)


def main():
    args = get_args()
    torch.manual_seed(0)
    os.makedirs(args.out_dir, exist_ok=True)
    x = digits()
    model = UNet(args.channels)
    ema = {k: v.clone() for k, v in model.state_dict().items()}
    diff = GaussianDiffusion(args.timesteps, args.schedule, args.beta_start, args.beta_end)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    running = None
    for it in range(1, args.iters + 1):
        batch = x[torch.randint(0, len(x), (args.batch,))]
        loss = diff.loss(model, batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for k, v in model.state_dict().items():
            ema[k].mul_(args.ema).add_(v, alpha=1 - args.ema)
        running = loss.item() if running is None else 0.9 * running + 0.1 * loss.item()
        if it % 15 == 0:
            print(f"iter {it:4d}  loss {running:.4f}", flush=True)
    torch.save({"args": vars(args), "ema": ema}, os.path.join(args.out_dir, "model.pt"))
    print("saved", os.path.join(args.out_dir, "model.pt"))


if __name__ == "__main__":
    main()
