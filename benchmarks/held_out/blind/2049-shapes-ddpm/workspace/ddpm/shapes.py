"""16x16 images with one bright shape each (disc, square or cross)."""
import numpy as np
import torch


def draw(kind, rng, size=16):
    yy, xx = np.mgrid[:size, :size]
    cy, cx = rng.uniform(5, size - 6, 2)
    r = rng.uniform(2.5, 4.5)
    if kind == 0:
        m = (yy - cy) ** 2 + (xx - cx) ** 2 <= r ** 2
    elif kind == 1:
        m = (abs(yy - cy) <= r) & (abs(xx - cx) <= r)
    else:
        m = ((abs(yy - cy) <= 1) & (abs(xx - cx) <= r)) | ((abs(xx - cx) <= 1) & (abs(yy - cy) <= r))
    return m.astype(np.float32) * 2 - 1


def make_dataset(n, seed=0):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 3, n)
    imgs = np.stack([draw(k, rng) for k in kinds])
    return torch.from_numpy(imgs)[:, None], torch.from_numpy(kinds)
