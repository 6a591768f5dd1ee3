import numpy as np


class RandomCropFlip:
    def __init__(self, crop, seed=0):
        self.crop = crop
        self.rng = np.random.default_rng(seed)

    def __call__(self, img, mask):
        h, w = img.shape
        top = self.rng.integers(0, h - self.crop + 1)
        left = self.rng.integers(0, w - self.crop + 1)
        sl = (slice(top, top + self.crop), slice(left, left + self.crop))
        img, mask = img[sl], mask[sl]
        if self.rng.random() < 0.5:
            img, mask = img[:, ::-1], mask[:, ::-1]
        return img, mask


class CenterCrop:
    def __init__(self, crop):
        self.crop = crop

    def __call__(self, img, mask):
        h, w = img.shape
        top, left = (h - self.crop) // 2, (w - self.crop) // 2
        sl = (slice(top, top + self.crop), slice(left, left + self.crop))
        return img[sl], mask[sl]
