import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

MEAN = torch.tensor([0.62, 0.68, 0.60]).view(3, 1, 1)
STD = torch.tensor([0.27, 0.20, 0.28]).view(3, 1, 1)


class LeafCrops(Dataset):
    def __init__(self, images, labels, hflip=False):
        self.images = images
        self.labels = labels
        self.hflip = hflip

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = torch.from_numpy(self.images[i]).permute(2, 0, 1).float() / 255
        x = (x - MEAN) / STD
        if self.hflip and torch.rand(()) < 0.5:
            x = x.flip(-1)
        return x, int(self.labels[i])


def make_loaders(cfg, seed):
    with np.load(cfg["path"]) as f:
        images, labels = f["images"], f["labels"]
    order = np.random.default_rng(seed).permutation(len(labels))
    n_val = int(len(labels) * cfg["val_fraction"])
    val_idx, train_idx = order[:n_val], order[n_val:]

    train = LeafCrops(images[train_idx], labels[train_idx], hflip=cfg["hflip"])
    val = LeafCrops(images[val_idx], labels[val_idx])
    train_loader = DataLoader(
        train,
        batch_size=cfg["batch_size"],
        shuffle=True,
        drop_last=True,
    )
    val_loader = DataLoader(val, batch_size=64)
    return train_loader, val_loader
