from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class CellFolder(Dataset):
    def __init__(self, root, names, crop, train):
        self.root = Path(root)
        self.names = names
        self.crop = crop
        self.train = train

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        img = np.array(Image.open(self.root / "img" / self.names[i]))
        mask = np.array(Image.open(self.root / "mask" / self.names[i]))
        if self.train:
            top = int(torch.randint(img.shape[0] - self.crop + 1, ()))
            left = int(torch.randint(img.shape[1] - self.crop + 1, ()))
            window = np.s_[top : top + self.crop, left : left + self.crop]
            img, mask = img[window], mask[window]
        x = torch.from_numpy(img).float().unsqueeze(0) / 127.5 - 1
        y = torch.from_numpy(mask).long()
        return x, y


def split_names(root, val_every=4):
    names = sorted(p.name for p in (Path(root) / "img").glob("*.png"))
    val = names[::val_every]
    return [n for n in names if n not in val], val
