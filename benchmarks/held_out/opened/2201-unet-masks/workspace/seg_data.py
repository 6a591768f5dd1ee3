from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class CellDataset(Dataset):
    """Pairs cells/images/NAME.png with cells/masks/NAME.png."""

    def __init__(self, root, names, crop=32, train=True):
        self.root = Path(root)
        self.names = list(names)
        self.crop = crop
        self.train = train

    def __len__(self):
        return len(self.names)

    def _read(self, folder, name):
        with Image.open(self.root / folder / name) as im:
            return np.array(im.convert("L"))

    def __getitem__(self, i):
        name = self.names[i]
        image = self._read("images", name)
        mask = self._read("masks", name)

        h, w = image.shape
        if self.train:
            top = int(torch.randint(0, h - self.crop + 1, (1,)))
            left = int(torch.randint(0, w - self.crop + 1, (1,)))
        else:
            top, left = (h - self.crop) // 2, (w - self.crop) // 2
        image = image[top : top + self.crop, left : left + self.crop]
        mask = mask[top : top + self.crop, left : left + self.crop]

        x = torch.from_numpy(image.astype(np.float32) / 255.0).unsqueeze(0)
        y = torch.from_numpy(mask.astype(np.int64))
        return x, y
