import numpy as np
import torch
from torch.utils.data import Dataset


class PixelSet(Dataset):
    """Kaggle-like frame (label, pixel0 .. pixel63) -> 1x8x8 images in [0, 1]."""

    def __init__(self, frame, shift=0):
        pixels = frame.drop(columns="label").to_numpy(dtype=np.float32) / 16.0
        self.images = torch.from_numpy(pixels.reshape(-1, 1, 8, 8))
        self.labels = torch.from_numpy(frame["label"].to_numpy(dtype=np.int64))
        self.shift = shift

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        img = self.images[i]
        if self.shift:
            dy, dx = np.random.randint(-self.shift, self.shift + 1, 2)
            img = torch.roll(img, (int(dy), int(dx)), dims=(1, 2))
        return img, self.labels[i]


def accuracy(model, loader):
    model.eval()
    hit = tot = 0
    with torch.no_grad():
        for x, y in loader:
            hit += (model(x).argmax(1) == y).sum().item()
            tot += len(y)
    return hit / tot
