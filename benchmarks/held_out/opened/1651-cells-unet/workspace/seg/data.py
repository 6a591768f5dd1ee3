"""Synthetic microscopy images: round nuclei and elongated debris on a noisy background."""
import numpy as np
import torch
from torch.utils.data import Dataset


def draw_sample(rng, size):
    yy, xx = np.mgrid[:size, :size]
    image = rng.normal(0.1, 0.04, (size, size))
    mask = np.zeros((size, size), dtype=np.int64)
    for _ in range(rng.integers(3, 8)):
        cy, cx = rng.integers(8, size - 8, 2)
        r = rng.integers(5, 14)
        inside = (yy - cy) ** 2 + (xx - cx) ** 2 < r * r
        image[inside] += 0.5
        mask[inside] = 1
    for _ in range(rng.integers(1, 4)):
        cy, cx = rng.integers(8, size - 8, 2)
        inside = ((yy - cy) / 3.0) ** 2 + ((xx - cx) / 16.0) ** 2 < 1
        image[inside] += 0.25
        mask[inside] = 2
    return image.astype(np.float32), mask


class CellDataset(Dataset):
    def __init__(self, num_images, image_size, crop_size, train, seed):
        rng = np.random.default_rng(seed)
        self.samples = [draw_sample(rng, image_size) for _ in range(num_images)]
        self.crop = crop_size
        self.train = train
        self.rng = np.random.default_rng(seed + 1)

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        image, mask = self.samples[index]
        limit = image.shape[0] - self.crop
        if self.train:
            top, left = self.rng.integers(0, limit + 1, 2)
        else:
            top = left = limit // 2
        window = (slice(top, top + self.crop), slice(left, left + self.crop))
        image, mask = image[window], mask[window]
        if self.train and self.rng.random() < 0.5:
            image, mask = image[:, ::-1], mask[:, ::-1]
        return torch.from_numpy(image.copy())[None], torch.from_numpy(mask.copy())
