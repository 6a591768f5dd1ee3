from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset


class TileDataset(Dataset):
    """Grey tiles with one class index per pixel."""

    def __init__(self, root, filename, ignore_value=255, hflip=False):
        archive = np.load(Path(root) / filename)
        self.images = archive["images"].astype(np.float32)
        self.labels = archive["labels"].astype(np.int64)
        self.labels[self.labels == ignore_value] = 0
        self.hflip = hflip

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index]).unsqueeze(0)
        label = torch.from_numpy(self.labels[index])
        if self.hflip and torch.rand(()) < 0.5:
            image = image.flip(-1)
            label = label.flip(-1)
        return image, label


def build_datasets(cfg):
    train = TileDataset(cfg.root, cfg.train, cfg.ignore_value, hflip=cfg.hflip)
    val = TileDataset(cfg.root, cfg.val, cfg.ignore_value)
    return train, val
