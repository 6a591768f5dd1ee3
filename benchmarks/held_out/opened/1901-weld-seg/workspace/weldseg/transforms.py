import numpy as np
import torch


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, img, mask):
        for s in self.steps:
            img, mask = s(img, mask)
        return img, mask


class PadToSize:
    """Pads right/bottom up to a square of `size`."""

    def __init__(self, size, fill_mask=0):
        self.size = size
        self.fill_mask = fill_mask

    def __call__(self, img, mask):
        h, w = img.shape
        pad = ((0, self.size - h), (0, self.size - w))
        img = np.pad(img, pad, mode="reflect")
        mask = np.pad(mask, pad, constant_values=self.fill_mask)
        return img, mask


class RandomHFlip:
    def __init__(self, p):
        self.p = p

    def __call__(self, img, mask):
        if np.random.rand() < self.p:
            img, mask = img[:, ::-1], mask[:, ::-1]
        return img, mask


class ToTensor:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, img, mask):
        img = (np.ascontiguousarray(img) - self.mean) / self.std
        return torch.from_numpy(img).float()[None], torch.from_numpy(np.ascontiguousarray(mask)).long()
