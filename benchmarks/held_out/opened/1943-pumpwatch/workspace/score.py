import argparse

import numpy as np
import torch

import windows
from autoencoder import WindowAE

ap = argparse.ArgumentParser()
ap.add_argument("--csv", required=True)
ap.add_argument("--model", required=True)
ap.add_argument("--quantile", type=float, default=0.99)
ap.add_argument("--out", required=True)
a = ap.parse_args()

ckpt = torch.load(a.model)
net = WindowAE(len(windows.CHANNELS), ckpt["window"], ckpt["latent"])
net.load_state_dict(ckpt["weights"])
net.eval()

values, normal = windows.read(a.csv)
z = (values - ckpt["mean"].numpy()) / ckpt["std"].numpy()
x, starts = windows.cut(z, ckpt["window"], stride=1)
with torch.no_grad():
    err = net.errors(torch.from_numpy(x)).numpy()
bad = np.array([not normal[s:s + ckpt["window"]].all() for s in starts])
threshold = np.quantile(err[~bad], a.quantile)
flag = err > threshold
with open(a.out, "w") as f:
    f.write(f"threshold {threshold:.4f}\n")
    f.write(f"found {flag[bad].mean():.3f} of faulty windows, false alarms {flag[~bad].mean():.3f}\n")
