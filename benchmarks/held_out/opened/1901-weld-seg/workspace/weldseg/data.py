"""Synthetic weld-seam crops (stand-in for the plant recordings, same geometry and labels)."""
import numpy as np
import torch
from torch.utils.data import Dataset

from .transforms import Compose, PadToSize, RandomHFlip, ToTensor


def _draw_sample(rng, size):
    yy, xx = np.mgrid[0:size, 0:size]
    img = rng.normal(0.35, 0.05, (size, size)).astype(np.float32)
    mask = np.zeros((size, size), dtype=np.int64)

    # the seam is a slightly curved horizontal band
    centre = size / 2 + rng.uniform(-6, 6) + 4 * np.sin(xx / rng.uniform(9, 16))
    seam = np.abs(yy - centre) < rng.uniform(4, 7)
    img[seam] += 0.3
    mask[seam] = 1

    for label, n, radius, delta in ((2, 4, (1.5, 3), 0.5), (3, 3, (1.5, 2.5), -0.4)):
        for _ in range(rng.integers(1, n + 1)):
            cx, cy = rng.uniform(5, size - 5, 2)
            if label == 3:
                cy = size / 2 + rng.uniform(-3, 3)
            blob = (xx - cx) ** 2 + (yy - cy) ** 2 < rng.uniform(*radius) ** 2
            img[blob] += delta
            mask[blob] = label
    return np.clip(img, 0, 1), mask


class WeldDataset(Dataset):
    def __init__(self, n, cfg, train, seed):
        rng = np.random.default_rng(seed)
        self.samples = [_draw_sample(rng, cfg["image_size"]) for _ in range(n)]
        steps = [PadToSize(cfg["pad_to"], fill_mask=cfg["void_label"])]
        if train:
            steps.append(RandomHFlip(0.5))
        steps.append(ToTensor(mean=0.45, std=0.2))
        self.transform = Compose(steps)

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        img, mask = self.samples[i]
        return self.transform(img, mask)


def class_histogram(dataset, n_classes):
    counts = torch.zeros(n_classes)
    for _, mask in dataset:
        valid = mask[mask < n_classes]
        counts += torch.bincount(valid, minlength=n_classes)
    return counts / counts.sum()
