import numpy as np
import torch


def draw(rng, size):
    """One picture: a disc, a bar or a frame at some place, values in [-1, 1]."""
    yy, xx = np.mgrid[:size, :size]
    cx, cy = rng.uniform(size * 0.3, size * 0.7, 2)
    kind = rng.integers(3)
    if kind == 0:
        r = rng.uniform(2.5, size * 0.3)
        img = ((xx - cx) ** 2 + (yy - cy) ** 2) < r ** 2
    elif kind == 1:
        img = np.abs(xx - cx) < rng.uniform(1, 3)
    else:
        d = np.maximum(np.abs(xx - cx), np.abs(yy - cy))
        img = (d < 5) & (d > 2.5)
    return img.astype(np.float32) * 2 - 1


def endless_batches(batch_size, size, seed=0):
    rng = np.random.default_rng(seed)
    while True:
        yield torch.from_numpy(np.stack([draw(rng, size) for _ in range(batch_size)]))[:, None]
