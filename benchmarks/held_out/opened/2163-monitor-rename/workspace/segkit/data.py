"""Synthetic two-object scenes with a per-pixel class map."""
import numpy as np
import torch
from lightning.pytorch import LightningDataModule
from torch.utils.data import DataLoader, Dataset


def draw_scene(rng, size, noise):
    yy, xx = np.mgrid[0:size, 0:size]
    img = rng.normal(0.0, noise, (size, size)).astype(np.float32)
    mask = np.zeros((size, size), dtype=np.int64)
    # disk
    r = rng.uniform(0.1, 0.2) * size
    cy, cx = rng.uniform(r, size - r, 2)
    disk = (yy - cy) ** 2 + (xx - cx) ** 2 < r**2
    img[disk] += 0.8
    mask[disk] = 1
    # bar
    h = int(rng.integers(3, 7))
    top = int(rng.integers(0, size - h))
    left = int(rng.integers(0, size // 2))
    img[top : top + h, left : left + size // 2] -= 0.8
    mask[top : top + h, left : left + size // 2] = 2
    return img[None], mask


class Scenes(Dataset):
    def __init__(self, n, size, noise, seed):
        self.n, self.size, self.noise, self.seed = n, size, noise, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng(self.seed * 100_003 + i)
        img, mask = draw_scene(rng, self.size, self.noise)
        return torch.from_numpy(img), torch.from_numpy(mask)


class ShapesDataModule(LightningDataModule):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg

    def setup(self, stage=None):
        c = self.cfg
        self.train_set = Scenes(c.n_train, c.size, c.noise, seed=1)
        self.val_set = Scenes(c.n_val, c.size, c.noise, seed=2)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.cfg.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.cfg.batch_size)
