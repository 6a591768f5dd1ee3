"""Synthetic fluorescence tiles with elliptical nuclei."""
import numpy as np
import torch
from torch.utils.data import Dataset


def _draw(rng, size, n, noise):
    yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
    img = np.zeros((size, size), dtype=np.float32)
    mask = np.zeros((size, size), dtype=np.float32)
    for _ in range(n):
        cy, cx = rng.uniform(4, size - 4, size=2)
        a, b = rng.uniform(3, 7, size=2)
        th = rng.uniform(0, np.pi)
        u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
        v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
        d = (u / a) ** 2 + (v / b) ** 2
        img = np.maximum(img, np.exp(-0.7 * d) * rng.uniform(0.6, 1.0))
        mask[d < 1.0] = 1.0
    img = (img + rng.normal(0, noise, img.shape)).astype(np.float32)
    return img, mask


class NucleiTiles(Dataset):
    def __init__(self, n, tile, max_nuclei, noise, seed, augment=False):
        rng = np.random.default_rng(seed)
        pairs = [_draw(rng, tile, int(rng.integers(1, max_nuclei + 1)), noise) for _ in range(n)]
        self.images = np.stack([p[0] for p in pairs])
        self.masks = np.stack([p[1] for p in pairs])
        self.augment = augment
        self.rng = np.random.default_rng(seed + 1)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        img, mask = self.images[i], self.masks[i]
        if self.augment:
            if self.rng.random() < 0.5:
                img, mask = img[:, ::-1], mask[:, ::-1]
            k = int(self.rng.integers(4))
            img, mask = np.rot90(img, k), np.rot90(mask, k)
        img = torch.from_numpy(np.ascontiguousarray(img)).unsqueeze(0)
        mask = torch.from_numpy(np.ascontiguousarray(mask)).unsqueeze(0)
        return img, mask
