import random

import torch
import torch.nn.functional as F

MEAN, STD = 0.45, 0.22


class RandomFlip:
    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, image, mask):
        if random.random() < self.p:
            image, mask = image.flip(-1), mask.flip(-1)
        return image, mask


class Resize:
    """Bring a tile and its annotation to the network's input size."""

    def __init__(self, size):
        self.size = (size, size)

    def __call__(self, image, mask):
        pair = torch.cat([image, mask.float()])[None]
        pair = F.interpolate(pair, size=self.size, mode="bilinear", align_corners=False)[0]
        return pair[:1], pair[1:].round().long()


class Normalize:
    def __call__(self, image, mask):
        return (image - MEAN) / STD, mask


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, image, mask):
        for step in self.steps:
            image, mask = step(image, mask)
        return image, mask


def build(size, train):
    steps = [Resize(size)]
    if train:
        steps.append(RandomFlip())
    steps.append(Normalize())
    return Compose(steps)
