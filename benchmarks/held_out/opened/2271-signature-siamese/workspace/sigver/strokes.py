"""Simulated pen signatures: each writer has a fixed curve, each signature wobbles around it."""
import numpy as np
import torch


class Writer:
    def __init__(self, rng):
        self.freq = rng.uniform(1, 4, size=(2, 3))
        self.phase = rng.uniform(0, 6.28, size=(2, 3))

    def sign(self, rng, points=64, wobble=0.08):
        t = np.linspace(0, 2 * np.pi, points)
        xy = [np.sin(f[:, None] * t + p[:, None] + rng.normal(0, wobble)).sum(0) for f, p in zip(self.freq, self.phase)]
        return np.stack(xy).astype("float32")


def make_pairs(n_pairs, n_writers, seed):
    rng = np.random.default_rng(seed)
    writers = [Writer(rng) for _ in range(n_writers)]
    left, right, same = [], [], []
    for k in range(n_pairs):
        a = rng.integers(n_writers)
        b = a if k % 2 == 0 else (a + rng.integers(1, n_writers)) % n_writers
        left.append(writers[a].sign(rng))
        right.append(writers[b].sign(rng))
        same.append(float(a == b))
    return torch.tensor(np.stack(left)), torch.tensor(np.stack(right)), torch.tensor(same)
