from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset


class TileDataset(Dataset):
    """Non-overlapping square tiles of one scene."""

    def __init__(self, scenes_dir, scene, size, stats, augment=False):
        arr = np.load(Path(scenes_dir) / f"{scene}.npz")
        self.bands = arr["bands"].astype(np.float32)
        self.mask = arr["mask"].astype(np.int64)
        self.size = size
        self.mean = np.asarray(stats["mean"], dtype=np.float32)
        self.std = np.asarray(stats["std"], dtype=np.float32)
        self.augment = augment
        height, width = self.mask.shape
        self.corners = [
            (r, c)
            for r in range(0, height - size + 1, size)
            for c in range(0, width - size + 1, size)
        ]

    def __len__(self):
        return len(self.corners)

    def normalise(self, x):
        return (x - self.mean[:, None, None]) / self.std[:, None, None]

    def __getitem__(self, i):
        r, c = self.corners[i]
        x = self.normalise(self.bands[:, r:r + self.size, c:c + self.size])
        y = self.mask[r:r + self.size, c:c + self.size]
        if self.augment and np.random.rand() < 0.5:
            x, y = x[:, :, ::-1].copy(), y[:, ::-1].copy()
        return torch.from_numpy(x), torch.from_numpy(y)
