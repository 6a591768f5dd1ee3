import numpy as np
import torch
from torch.utils.data import Dataset

from . import transforms

# ids written by the annotation tool -> training classes
ANNOTATION_IDS = {0: "background", 3: "scratch", 7: "dent"}
CLASSES = list(ANNOTATION_IDS.values())


def lookup_table():
    table = torch.full((256,), -1, dtype=torch.long)
    for index, annotation_id in enumerate(ANNOTATION_IDS):
        table[annotation_id] = index
    return table


class TileDataset(Dataset):
    def __init__(self, images, masks, size, train):
        self.images = images
        self.masks = masks
        self.transform = transforms.build(size, train)
        self.table = lookup_table()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = torch.from_numpy(self.images[i]).float()[None] / 255.0
        mask = torch.from_numpy(self.masks[i])[None]
        image, mask = self.transform(image, mask)
        return image, self.table[mask[0]]


def load(path, size, val_fraction, seed):
    blob = np.load(path)
    images, masks = blob["images"], blob["masks"]
    order = np.random.default_rng(seed).permutation(len(images))
    n_val = int(len(order) * val_fraction)
    val, train = order[:n_val], order[n_val:]
    return (
        TileDataset(images[train], masks[train], size, train=True),
        TileDataset(images[val], masks[val], size, train=False),
    )
