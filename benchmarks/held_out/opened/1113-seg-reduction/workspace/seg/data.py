import numpy as np
import torch


class Cells(torch.utils.data.Dataset):
    """Fake microscopy: background 0, cytoplasm 1, nucleus 2, unlabelled rim 255."""

    def __init__(self, n, size, ignore_index, seed):
        self.n, self.size, self.ignore_index, self.seed = n, size, ignore_index, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng((self.seed, i))
        mask = np.zeros((self.size, self.size), dtype=np.int64)
        yy, xx = np.mgrid[: self.size, : self.size]
        for _ in range(rng.integers(1, 4)):
            cy, cx = rng.integers(6, self.size - 6, size=2)
            r = rng.integers(4, 8)
            d = np.hypot(yy - cy, xx - cx)
            mask[d < r] = 1
            mask[d < r / 2] = 2
            mask[(d >= r) & (d < r + 1)] = self.ignore_index
        img = np.choose(np.where(mask == self.ignore_index, 0, mask), [0.1, 0.5, 0.9])
        img = img + rng.normal(0, 0.15, img.shape)
        if rng.random() < 0.5:
            img, mask = img[:, ::-1], mask[:, ::-1]
        return torch.from_numpy(img[None].astype(np.float32)), torch.from_numpy(mask.copy())
