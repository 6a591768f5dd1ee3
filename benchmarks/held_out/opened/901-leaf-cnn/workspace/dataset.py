import os
import random

import numpy as np
import pandas as pd
import torch
from PIL import Image
from torch.utils.data import Dataset


def load_image(path, size):
    img = Image.open(path).convert("RGB")
    img = img.resize((size, size))
    return np.asarray(img, dtype=np.float32) / 255.0


def random_flip(img, p=0.5):
    if random.random() < p:
        return img[:, ::-1, :]


def random_brightness(img, low=0.8, high=1.2):
    factor = random.uniform(low, high)
    return np.clip(img * factor, 0.0, 1.0)


class LeafDataset(Dataset):
    def __init__(self, root, csv_file, split, size=48, augment=False):
        df = pd.read_csv(os.path.join(root, csv_file))
        self.classes = sorted(df["species"].unique())
        self.class_to_idx = {c: i for i, c in enumerate(self.classes)}
        self.df = df[df["split"] == split].reset_index(drop=True)
        self.root = root
        self.size = size
        self.augment = augment
        self.mean = np.array([0.48, 0.52, 0.41], dtype=np.float32)
        self.std = np.array([0.25, 0.25, 0.25], dtype=np.float32)

    def __len__(self):
        return len(self.df)

    def __getitem__(self, idx):
        row = self.df.iloc[idx]
        img = load_image(os.path.join(self.root, row["file"]), self.size)
        if self.augment:
            img = random_flip(img)
            img = random_brightness(img)
        img = (img - self.mean) / self.std
        img = np.ascontiguousarray(img.transpose(2, 0, 1), dtype=np.float32)
        label = self.class_to_idx[row["species"]]
        return torch.from_numpy(img), label
