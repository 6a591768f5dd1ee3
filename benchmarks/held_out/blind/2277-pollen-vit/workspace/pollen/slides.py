"""Synthetic stand-in for the scanned slides: ring-like grains with 0-4 pores."""
import numpy as np
import torch
from torch.utils.data import Dataset

TAXA = ["betula", "alnus", "corylus", "poaceae", "quercus"]


class GrainDataset(Dataset):
    def __init__(self, n, image_size=32, seed=0):
        self.n, self.size, self.seed = n, image_size, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng(self.seed * 100_000 + i)
        label = int(rng.integers(len(TAXA)))
        yy, xx = np.mgrid[: self.size, : self.size] - self.size / 2 + 0.5
        r = np.hypot(yy, xx)
        img = np.exp(-((r - rng.uniform(8, 11)) ** 2) / 4)
        phase = rng.uniform(0, 2 * np.pi)
        for k in range(label):
            a = phase + 2 * np.pi * k / max(label, 1)
            img -= np.exp(-((xx - 9 * np.cos(a)) ** 2 + (yy - 9 * np.sin(a)) ** 2) / 6)
        img += rng.normal(0, 0.05, img.shape)
        return torch.tensor(img, dtype=torch.float32)[None], label
