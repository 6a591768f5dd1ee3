import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from .transforms import build_transforms

CLASSES = ["round", "needle", "lobed"]


def render_leaf(rng, size, kind):
    yy, xx = np.mgrid[:size, :size] / size - 0.5
    angle = rng.uniform(0, np.pi)
    u = xx * np.cos(angle) + yy * np.sin(angle)
    v = -xx * np.sin(angle) + yy * np.cos(angle)
    if kind == 0:
        body = (u / 0.35) ** 2 + (v / 0.3) ** 2 < 1
    elif kind == 1:
        body = (u / 0.42) ** 2 + (v / 0.08) ** 2 < 1
    else:
        r, phi = np.hypot(u, v), np.arctan2(v, u)
        body = r < 0.28 + 0.1 * np.cos(5 * phi)
    green = body * rng.uniform(0.5, 0.9) + rng.normal(0, 0.05, body.shape)
    return np.stack([green * 0.5, green, green * 0.3]).astype(np.float32)


class LeafDataset(Dataset):
    def __init__(self, n, size, seed, transform):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, len(CLASSES), n)
        self.images = [render_leaf(rng, size, k) for k in self.labels]
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.transform(torch.from_numpy(self.images[i])), int(self.labels[i])


def make_loaders(cfg):
    d, bs = cfg["data"], cfg["optim"]["batch_size"]
    train = LeafDataset(d["n_train"], d["raw_size"], cfg["seed"], build_transforms(d, train=True))
    val = LeafDataset(d["n_val"], d["raw_size"], cfg["seed"] + 1, build_transforms(d, train=False))
    return DataLoader(train, bs, shuffle=True), DataLoader(val, bs)
