"""Class conditional DDPM on synthetic 16x16 shapes."""
import argparse
import time

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from ddpm.ema import EMA
from ddpm.schedule import GaussianDiffusion
from ddpm.shapes import make_dataset
from ddpm.unet import TinyUNet


def ascii_preview(img):
    return "\n".join("".join(" .:*#"[int((v + 1) / 2 * 4.999)] for v in row) for row in img[::2].tolist())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=640)
    ap.add_argument("--timesteps", type=int, default=60)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--ema-decay", type=float, default=0.98)
    args = ap.parse_args()
    torch.manual_seed(0)

    x, y = make_dataset(args.n)
    loader = DataLoader(TensorDataset(x, y), args.batch_size, shuffle=True, drop_last=True)
    diffusion = GaussianDiffusion(args.timesteps)
    model = TinyUNet(n_classes=3)
    ema = EMA(model, args.ema_decay)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(x)} images, T={args.timesteps}")

    for epoch in range(1, args.epochs + 1):
        t0, total = time.time(), 0.0
        for xb, yb in loader:
            t = torch.randint(0, diffusion.T, (len(xb),))
            noise = torch.randn_like(xb)
            pred = model(diffusion.q_sample(xb, t, noise), t, yb)
            loss = F.mse_loss(pred, noise)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            ema.update(model)
            total += loss.item()
        print(f"epoch {epoch}: mse {total / len(loader):.4f}  ({time.time() - t0:.1f}s)", flush=True)

    samples = diffusion.sample(ema.shadow, (3, 1, 16, 16), torch.arange(3))
    print(f"sample mean {samples.mean():.3f} std {samples.std():.3f}")
    print(ascii_preview(samples[0, 0]))


if __name__ == "__main__":
    main()
