from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class CellDataset(Dataset):
    def __init__(self, names, image_dir, mask_dir, size):
        self.names = names
        self.image_dir = Path(image_dir)
        self.mask_dir = Path(mask_dir)
        self.size = (size, size)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        image = Image.open(self.image_dir / self.names[i]).convert("L")
        mask = Image.open(self.mask_dir / self.names[i]).convert("L")
        image = image.resize(self.size, Image.BILINEAR)
        mask = mask.resize(self.size, Image.NEAREST)

        x = np.asarray(image, dtype=np.float32)[None] / 255.0
        y = (np.asarray(mask) > 127).astype(np.int64)
        return torch.from_numpy(x), torch.from_numpy(y)


def split_names(image_dir, val_fraction, seed):
    names = sorted(p.name for p in Path(image_dir).glob("*.png"))
    rng = np.random.default_rng(seed)
    rng.shuffle(names)
    n_val = int(len(names) * val_fraction)
    return names[n_val:], names[:n_val]
