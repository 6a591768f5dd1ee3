from pathlib import Path

import numpy as np
import pandas as pd
import torch
from PIL import Image
from torch.utils.data import Dataset


def load_image(path, size):
    img = Image.open(path).convert("RGB")
    if img.size != (size, size):
        img = img.resize((size, size))
    arr = np.asarray(img, dtype=np.float32) / 255.0
    return torch.from_numpy(arr).permute(2, 0, 1)


class LeafDataset(Dataset):
    def __init__(self, labels_csv, image_dir, split, size, split_column="split", augment=False):
        table = pd.read_csv(labels_csv)
        table = table[table[split_column] == split].reset_index(drop=True)
        self.files = [Path(image_dir) / name for name in table["file"]]
        self.targets = torch.tensor(table["label"].to_numpy())
        self.size = size
        self.augment = augment

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        x = load_image(self.files[i], self.size)
        if self.augment and torch.rand(()) < 0.5:
            x = x.flip(-1)
        return x, self.targets[i]
