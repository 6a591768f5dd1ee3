import argparse
from pathlib import Path

import numpy as np
import torch

from denoiser import Denoiser
from diffusion import Diffusion


def parse_args():
    p = argparse.ArgumentParser(description="Draw points from a trained denoiser")
    p.add_argument("--checkpoint", type=Path, default=Path("out/denoiser.pt"))
    p.add_argument("--timesteps", type=int, default=1000)
    p.add_argument("--num", type=int, default=512)
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def load_model(path):
    ckpt = torch.load(path, weights_only=True)
    model = Denoiser(2, ckpt["num_steps"], ckpt["width"])
    model.load_state_dict(ckpt["model"])
    return model.eval()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    model = load_model(args.checkpoint)
    diffusion = Diffusion(args.timesteps)
    points = diffusion.p_sample_loop(model, (args.num, 2))
    print(f"mean {points.mean(0).tolist()} std {points.std(0).tolist()}")
    np.save(args.checkpoint.with_name("samples.npy"), points.numpy())


if __name__ == "__main__":
    main()
