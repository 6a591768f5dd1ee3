import csv

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, random_split

SPECIES = ["ash", "elm", "fir", "oak"]


def render(hue, holes, size, seed):
    rng = np.random.default_rng(seed)
    img = rng.normal(0.0, 0.05, size=(size, size, 3)).astype(np.float32)
    img[..., 0] += hue
    img[..., 1] += 1.0 - hue
    for h in range(holes):
        img[2 + 3 * h, 3:9, 2] += 1.0
    return img


class LeafDataset(Dataset):
    def __init__(self, index, image_size, transform=None):
        self.transform = transform
        self.image_size = image_size
        with open(index) as fh:
            self.rows = list(csv.DictReader(fh))
        self.class_to_idx = {name: i for i, name in enumerate(SPECIES)}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        img = render(float(row["hue"]), int(row["holes"]), self.image_size, i)
        if self.transform is not None:
            img = self.transform(img)
        return img, self.class_to_idx[row["species"]]


def to_tensor(img):
    return torch.from_numpy(img).permute(2, 0, 1)


def build_loaders(cfg, seed):
    ds = LeafDataset(cfg["index"], cfg["image_size"], transform=to_tensor)
    n_val = len(ds) // 4
    gen = torch.Generator().manual_seed(seed)
    train, val = random_split(ds, [len(ds) - n_val, n_val], generator=gen)
    kw = dict(batch_size=cfg["batch_size"], num_workers=cfg["num_workers"])
    return DataLoader(train, shuffle=True, **kw), DataLoader(val, **kw)
