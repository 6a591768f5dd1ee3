import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import Dataset


def draw_tile(size, rng):
    img = rng.normal(0.35, 0.05, (3, size, size))
    mask = np.zeros((size, size), dtype="int64")
    for _ in range(rng.integers(1, 4)):
        h, w = rng.integers(8, 16, 2)
        r, c = rng.integers(0, size - h), rng.integers(0, size - w)
        kind = int(rng.integers(1, 3))
        mask[r:r + h, c:c + w] = kind
        img[:, r:r + h, c:c + w] = 0.6
        if kind == 2:
            img[0, r:r + h // 2, c:c + w] += 0.25
            img[2, r + h // 2:r + h, c:c + w] += 0.25
    return img.astype("float32"), mask


class RoofTiles(Dataset):
    def __init__(self, cfg, n, seed):
        rng = np.random.default_rng(seed)
        self.items = [draw_tile(cfg.tile_size, rng) for _ in range(n)]
        self.crop = cfg.crop
        self.border = cfg.border_label

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        img, mask = (torch.from_numpy(a) for a in self.items[i])
        gap = self.crop - img.shape[-1]
        if gap > 0:
            pad = (gap // 2, gap - gap // 2) * 2
            img = F.pad(img, pad)
            mask = F.pad(mask, pad, value=self.border)
        return img, mask
