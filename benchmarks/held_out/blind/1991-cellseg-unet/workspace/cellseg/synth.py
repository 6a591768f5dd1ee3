"""Fluorescence-like synthetic cells: a disc of cytoplasm with a nucleus inside."""
import numpy as np
import torch
from torch.utils.data import Dataset


class SyntheticCells(Dataset):
    def __init__(self, count, size, max_cells, noise, seed):
        self.count = count
        self.size = size
        self.max_cells = max_cells
        self.noise = noise
        self.seed = seed

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if index >= self.count:
            raise IndexError(index)
        rng = np.random.default_rng(self.seed * 100_003 + index)
        image = np.full((self.size, self.size), 0.1, dtype=np.float32)
        mask = np.zeros((self.size, self.size), dtype=np.int64)
        yy, xx = np.mgrid[: self.size, : self.size]
        for _ in range(rng.integers(2, self.max_cells + 1)):
            cy, cx = rng.uniform(6, self.size - 6, size=2)
            radius = rng.uniform(5, 8)
            dist = np.hypot(yy - cy, xx - cx)
            body, nucleus = dist < radius, dist < radius * 0.45
            image[body] = 0.5
            image[nucleus] = 0.9
            mask[body] = 1
            mask[nucleus] = 2
        image += rng.normal(0, self.noise, image.shape).astype(np.float32)
        return torch.from_numpy(image)[None], torch.from_numpy(mask)
