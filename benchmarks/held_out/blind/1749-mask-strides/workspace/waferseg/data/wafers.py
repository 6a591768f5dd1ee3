import pathlib

import numpy as np
import torch
from torch.utils.data import Dataset


class WaferMaps(Dataset):
    """images.npy: uint8 (N, H, W); masks.npy: uint8 (N, H, W) with 0 = ok, 1 = scratch, 2 = particle."""

    def __init__(self, folder, fold, augment=False, image_scale=255.0):
        folder = pathlib.Path(folder)
        members = [int(v) for v in (folder / f"{fold}.txt").read_text().split()]
        self.images = np.load(folder / "images.npy")[members]
        self.masks = np.load(folder / "masks.npy")[members]
        self.augment = augment
        self.image_scale = image_scale

    def __len__(self):
        return len(self.images)

    def __getitem__(self, k):
        img, msk = self.images[k], self.masks[k]
        if self.augment:
            if np.random.rand() < 0.5:
                img, msk = img[:, ::-1], msk[:, ::-1]
            turns = np.random.randint(4)
            img, msk = np.rot90(img, turns), np.rot90(msk, turns)
        image = torch.from_numpy(img.astype(np.float32) / self.image_scale)[None]
        mask = torch.from_numpy(msk).long()
        return image, mask


def class_weights(dataset, num_classes):
    counts = np.bincount(dataset.masks.reshape(-1), minlength=num_classes)
    freq = counts / counts.sum()
    return torch.tensor(1.0 / np.sqrt(freq + 1e-6), dtype=torch.float32)
