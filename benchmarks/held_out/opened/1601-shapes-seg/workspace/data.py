"""Rendered images of simple parts with per-pixel labels."""
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

CLASSES = ("background", "disc", "plate", "bar")
VOID = 255


def _disc(rng, yy, xx, size):
    cy, cx = rng.uniform(0.2, 0.8, 2) * size
    r = rng.uniform(0.08, 0.2) * size
    return (yy - cy) ** 2 + (xx - cx) ** 2 <= r**2


def _plate(rng, yy, xx, size):
    cy, cx = rng.uniform(0.2, 0.8, 2) * size
    h, w = rng.uniform(0.08, 0.18, 2) * size
    return (abs(yy - cy) <= h) & (abs(xx - cx) <= w)


def _bar(rng, yy, xx, size):
    cy, cx = rng.uniform(0.3, 0.7, 2) * size
    angle = rng.uniform(0, np.pi)
    u = (xx - cx) * np.cos(angle) + (yy - cy) * np.sin(angle)
    v = -(xx - cx) * np.sin(angle) + (yy - cy) * np.cos(angle)
    return (abs(u) <= 0.3 * size) & (abs(v) <= 0.04 * size)


def _contour(mask):
    p = np.pad(mask, 1)
    inner = p[:-2, 1:-1] & p[2:, 1:-1] & p[1:-1, :-2] & p[1:-1, 2:]
    return mask & ~inner


class PartsDataset(Dataset):
    shapes = (_disc, _plate, _bar)

    def __init__(self, n, image_size, max_objects, noise, seed):
        self.n, self.size = n, image_size
        self.max_objects, self.noise, self.seed = max_objects, noise, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng((self.seed, i))
        yy, xx = np.mgrid[: self.size, : self.size]
        image = np.ones((self.size, self.size, 3)) * rng.uniform(0.1, 0.4, 3)
        label = np.zeros((self.size, self.size), dtype=np.int64)
        for _ in range(rng.integers(1, self.max_objects + 1)):
            kind = rng.integers(len(self.shapes))
            mask = self.shapes[kind](rng, yy, xx, self.size)
            image[mask] = rng.uniform(0.5, 1.0, 3)
            label[mask] = kind + 1
            label[_contour(mask)] = VOID
        image += rng.normal(0, self.noise, image.shape)
        x = torch.from_numpy(image.astype(np.float32)).permute(2, 0, 1)
        return x, torch.from_numpy(label)


def make_loaders(cfg):
    d, bs = cfg["data"], cfg["train"]["batch_size"]
    common = (d["image_size"], d["max_objects"], d["noise"])
    train = PartsDataset(d["train_images"], *common, seed=cfg["seed"])
    val = PartsDataset(d["val_images"], *common, seed=cfg["seed"] + 1)
    return DataLoader(train, bs, shuffle=True), DataLoader(val, bs)
