"""Encode every split once; later stages read the .npy files."""
import numpy as np
import torch

from autoenc import VAE
from digits import splits
from settings import S


def latents(split):
    path = S.work / f"z_{split}.npy"
    if path.exists():
        print(f"[latents] reuse {path}")
        return np.load(path)
    x, _ = splits()[split]
    net = VAE(x.shape[1], S.hidden, S.latent)
    net.load_state_dict(torch.load(S.work / "vae.pt"))
    net.eval()
    with torch.no_grad():
        mu, _ = net.encode(x)
    np.save(path, mu.numpy())
    print(f"[latents] wrote {path} {tuple(mu.shape)}")
    return mu.numpy()


if __name__ == "__main__":
    for s in ("train", "test"):
        latents(s)
