import os
import random

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class CellDataset(Dataset):
    def __init__(self, root, list_file, crop=None, augment=False):
        self.root = root
        with open(os.path.join(root, list_file)) as f:
            self.ids = f.read().split()
        self.crop = crop
        self.augment = augment

    def __len__(self):
        return len(self.ids)

    def load(self, name):
        img = Image.open(os.path.join(self.root, "img", name + ".png")).convert("L")
        mask = Image.open(os.path.join(self.root, "mask", name + "_mask.png"))
        return np.array(img), np.array(mask)

    def __getitem__(self, i):
        img, mask = self.load(self.ids[i])
        if self.augment:
            h, w = img.shape
            c = self.crop
            top, left = random.randint(0, h - c), random.randint(0, w - c)
            img = img[top:top + c, left:left + c]
            mask = mask[top:top + c, left:left + c]
            if random.random() < 0.5:
                img, mask = img[:, ::-1].copy(), mask[:, ::-1].copy()
        img = torch.from_numpy(img).float().unsqueeze(0) / 255.0
        mask = torch.from_numpy(mask).long()
        return img, mask
