"""Grey pictures with one soft blob each."""
import csv

import numpy as np
import torch
from torch.utils.data import Dataset

RAMP = " .:*#"


class BlobSet(Dataset):
    def __init__(self, path, side):
        self.side = side
        with open(path) as f:
            self.rows = [(float(r["cx"]), float(r["cy"]), float(r["radius"])) for r in csv.DictReader(f)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        cx, cy, radius = self.rows[i]
        yy, xx = np.mgrid[0:self.side, 0:self.side] / (self.side - 1)
        img = np.exp(-((xx - cx) ** 2 + (yy - cy) ** 2) / (2 * radius ** 2))
        return torch.from_numpy(img).unsqueeze(0)


def show(img):
    """ASCII view of a (1, H, W) picture"""
    rows = []
    for line in img[0].tolist():
        rows.append("".join(RAMP[min(int(v * len(RAMP)), len(RAMP) - 1)] for v in line))
    return "\n".join(rows)
