import numpy as np
import torch
from torch.utils.data import Dataset


def draw_case(rng, size, radius):
    """One dermoscopy-like slice with a bright lesion on a noisy background."""
    yy, xx = np.mgrid[0:size, 0:size]
    r = rng.integers(radius[0], radius[1])
    cy, cx = rng.integers(r, size - r, size=2)
    stretch = rng.uniform(0.7, 1.4)
    mask = ((yy - cy) ** 2 + stretch * (xx - cx) ** 2) <= r ** 2
    img = rng.normal(0.3, 0.1, size=(size, size))
    img[mask] += rng.uniform(0.25, 0.5)
    return img.astype("float32"), mask.astype("float32")


class LesionSlices(Dataset):
    def __init__(self, count, size, radius, transform, seed):
        rng = np.random.default_rng(seed)
        self.cases = [draw_case(rng, size, radius) for _ in range(count)]
        self.transform = transform

    def __len__(self):
        return len(self.cases)

    def __getitem__(self, i):
        img, mask = self.cases[i]
        img, mask = self.transform(img, mask)
        img = (img - img.mean()) / (img.std() + 1e-6)
        return (
            torch.from_numpy(np.ascontiguousarray(img))[None],
            torch.from_numpy(np.ascontiguousarray(mask))[None],
        )
