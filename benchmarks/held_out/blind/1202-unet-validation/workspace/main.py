"""Gaussian denoising with a U-Net on synthetic textures."""
import argparse
import math

import torch
from torch import nn

from unet import UNet

DEVICE = torch.device("cuda")


def textures(n, size, gen):
    yy, xx = torch.meshgrid(torch.linspace(0, 1, size), torch.linspace(0, 1, size), indexing="ij")
    freq = torch.rand(n, 2, 1, 1, generator=gen) * 20
    phase = torch.rand(n, 1, 1, generator=gen) * 2 * math.pi
    img = torch.sin(freq[:, 0] * xx + freq[:, 1] * yy + phase)
    return img.unsqueeze(1)


def batches(count, batch_size, size, seed, sigma=0.3):
    gen = torch.Generator().manual_seed(seed)
    for _ in range(count):
        clean = textures(batch_size, size, gen)
        noisy = clean + sigma * torch.randn(clean.shape, generator=gen)
        yield noisy, clean


def train_epoch(model, opt, criterion, args):
    model.train()
    running = 0.0
    for noisy, clean in batches(args.train_batches, args.batch_size, args.size, seed=1):
        noisy, clean = noisy.to(DEVICE), clean.to(DEVICE)
        loss = criterion(model(noisy), clean)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item()
    return running / args.train_batches


def validate(model, criterion, args):
    model.eval()
    losses = []
    for noisy, clean in batches(args.val_batches, args.batch_size, args.size, seed=2):
        pred = model(noisy.to(DEVICE))
        losses.append(criterion(pred, clean.to(DEVICE)))
    losses = torch.stack(losses)
    return losses.mean().item(), (-10 * torch.log10(losses / 4)).mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--size", type=int, default=256)
    p.add_argument("--width", type=int, default=64)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--train-batches", type=int, default=10)
    p.add_argument("--val-batches", type=int, default=20)
    p.add_argument("--epochs", type=int, default=1)
    args = p.parse_args()

    torch.manual_seed(0)
    model = UNet(width=args.width).to(DEVICE)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.MSELoss()
    for epoch in range(args.epochs):
        tr = train_epoch(model, opt, criterion, args)
        print(f"epoch {epoch}: train {tr:.4f}", flush=True)
        va, psnr = validate(model, criterion, args)
        print(f"epoch {epoch}: val {va:.4f} psnr {psnr:.2f}dB")


if __name__ == "__main__":
    main()
