import argparse

import torch

from diffusion import GaussianDiffusion
from unet import UNet


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--ckpt", required=True)
    p.add_argument("--n", type=int, default=16)
    args = p.parse_args()
    ck = torch.load(args.ckpt)
    a = ck["args"]
    model = UNet(a["channels"])
    model.load_state_dict(ck["ema"])
    model.eval()
    diff = GaussianDiffusion(a["timesteps"], a["schedule"], a["beta_start"], a["beta_end"])
    x = diff.sample(model, (args.n, 1, 8, 8))
    print("samples", tuple(x.shape), "mean %.3f std %.3f" % (x.mean(), x.std()))
    for row in x[0, 0]:
        print("".join(" .:-=+*#%@"[int((v + 1) / 2 * 9)] for v in row))


if __name__ == "__main__":
    main()
