"""Random circles and boxes with their masks."""
import numpy as np
import torch
from torch.utils.data import Dataset


def draw_sample(rng, size):
    yy, xx = np.mgrid[:size, :size]
    image = rng.normal(0.3, 0.1, (size, size))
    mask = np.zeros((size, size))
    for _ in range(rng.integers(1, 4)):
        cy, cx = rng.integers(8, size - 8, 2)
        r = rng.integers(4, 9)
        if rng.random() < 0.5:
            area = (yy - cy) ** 2 + (xx - cx) ** 2 <= r**2
        else:
            area = (np.abs(yy - cy) <= r) & (np.abs(xx - cx) <= r)
        image[area] += rng.uniform(0.3, 0.6)
        mask[area] = 1
    return image.astype(np.float32), mask.astype(np.float32)


def augment(image, mask, rng):
    if rng.random() < 0.5:
        image = np.flip(image, axis=1).copy()
        mask = np.flip(mask, axis=1).copy()
    if rng.random() < 0.5:
        image = np.flip(image, axis=0)
        mask = np.flip(mask, axis=0)
    return image, mask


class ShapesDataset(Dataset):
    def __init__(self, n, size, seed, train=False):
        self.rng = np.random.default_rng(seed)
        self.samples = [draw_sample(self.rng, size) for _ in range(n)]
        self.train = train

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        image, mask = self.samples[i]
        if self.train:
            image, mask = augment(image, mask, self.rng)
        image = torch.from_numpy(image).unsqueeze(0)
        mask = torch.from_numpy(mask).unsqueeze(0)
        return image, mask
