import argparse

import torch

from denoiser import StrokeDenoiser
from noise import CosineNoise
from strokes import POINTS


@torch.no_grad()
def sample(net, noise, label, guidance, n_shapes):
    x = torch.randn(len(label), 2, POINTS)
    none = torch.full_like(label, n_shapes)
    for i in reversed(range(noise.steps)):
        t = torch.full((len(x),), i)
        cond, free = net(x, t, label), net(x, t, none)
        x = noise.reverse(x, t, free + guidance * (cond - free))
    return x


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("checkpoint")
    ap.add_argument("--width", type=int, default=48)
    ap.add_argument("--guidance", type=float, default=1.5)
    ap.add_argument("-n", type=int, default=8)
    args = ap.parse_args()
    ckpt = torch.load(args.checkpoint, weights_only=True)
    net = StrokeDenoiser(len(ckpt["shapes"]), args.width).eval()
    net.load_state_dict(ckpt["ema"])
    noise = CosineNoise(ckpt["steps"])
    torch.manual_seed(1)
    for i, name in enumerate(ckpt["shapes"]):
        pts = sample(net, noise, torch.full((args.n,), i), args.guidance, len(ckpt["shapes"]))
        length = pts.diff(dim=-1).norm(dim=1).sum(-1)
        print(f"{name:>7}: mean length {length.mean():.2f}, extent {pts.abs().amax():.2f}")


if __name__ == "__main__":
    main()
