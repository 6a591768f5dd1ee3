import torch
import torch.nn.functional as F


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, img):
        for step in self.steps:
            img = step(img)
        return img


class Resize:
    def __init__(self, size):
        self.size = size

    def __call__(self, img):
        return F.interpolate(img[None], size=(self.size, self.size), mode="bilinear", align_corners=False)[0]


class Crop:
    def __init__(self, size, random=False):
        self.size = size
        self.random = random

    def __call__(self, img):
        dy, dx = img.shape[-2] - self.size, img.shape[-1] - self.size
        if self.random:
            top = int(torch.randint(0, dy + 1, (1,)))
            left = int(torch.randint(0, dx + 1, (1,)))
        else:
            top, left = dy // 2, dx // 2
        return img[..., top:top + self.size, left:left + self.size]


class Flip:
    def __call__(self, img):
        return img.flip(-1) if torch.rand(1) < 0.5 else img


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, img):
        return (img - self.mean) / self.std


def build_transforms(cfg, train):
    steps = [Resize(cfg["resize"])]
    if train:
        steps += [Crop(cfg["crop"], random=True), Flip()]
    steps.append(Normalize(cfg["mean"], cfg["std"]))
    return Compose(steps)
