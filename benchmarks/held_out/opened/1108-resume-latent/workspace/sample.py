import argparse

import torch

from vae import VAE

ap = argparse.ArgumentParser()
ap.add_argument("ckpt")
ap.add_argument("--n", type=int, default=2)
args = ap.parse_args()

ckpt = torch.load(args.ckpt, weights_only=True)
model = VAE(**ckpt["hparams"])
model.load_state_dict(ckpt["model"])
model.eval()
torch.manual_seed(0)
for img in model.sample(args.n):
    for row in img[0].int().tolist():
        print("".join(".#"[v] for v in row))
    print()
