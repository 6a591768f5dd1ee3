from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset


class ShardDataset(Dataset):
    def __init__(self, files, train):
        parts = [np.load(f) for f in files]
        self.images = np.concatenate([p["images"] for p in parts])
        self.labels = np.concatenate([p["labels"] for p in parts])
        self.train = train

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = torch.from_numpy(self.images[i]).permute(2, 0, 1).float() / 127.5 - 1
        if self.train:
            if torch.rand(()) < 0.5:
                x = x.flip(2)
            x = x + 0.05 * torch.randn_like(x)
        return x, int(self.labels[i])


def split(folder):
    files = sorted(Path(folder).glob("*.npz"))
    if len(files) < 2:
        raise FileNotFoundError(f"need at least two shards in {folder}")
    return ShardDataset(files[:-1], True), ShardDataset(files[-1:], False)
