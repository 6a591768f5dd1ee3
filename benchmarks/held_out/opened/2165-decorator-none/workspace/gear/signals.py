import numpy as np
import torch
from torch.utils.data import TensorDataset, random_split


def make_windows(n, window, channels, classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    t = np.arange(window) / window
    x = rng.normal(0, 0.4, (n, channels, window))
    for i, c in enumerate(y):
        phase = rng.uniform(0, 2 * np.pi)
        x[i, c % channels] += np.sin(2 * np.pi * (3 + 4 * c) * t + phase)
    return x.astype(np.float32), y.astype(np.int64)


def build_sets(cfg, seed):
    x, y = make_windows(cfg["n"], cfg["window"], cfg["channels"], cfg["classes"], seed)
    full = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    n_val = int(len(full) * cfg["val_fraction"])
    gen = torch.Generator().manual_seed(seed)
    return random_split(full, [len(full) - n_val, n_val], generator=gen)
