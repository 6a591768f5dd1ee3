import torch

from .registry import TRANSFORMS


@TRANSFORMS.register("scale")
class Scale:
    def __init__(self, max_value):
        self.max_value = max_value

    def __call__(self, x):
        return x / self.max_value


@TRANSFORMS.register("random_shift")
class RandomShift:
    def __init__(self, pixels=1):
        self.pixels = pixels

    def __call__(self, x):
        dy, dx = torch.randint(-self.pixels, self.pixels + 1, (2,)).tolist()
        return torch.roll(x, (dy, dx), dims=(-2, -1))


class Compose:
    def __init__(self, cfgs):
        self.ops = [TRANSFORMS.build(c) for c in cfgs]

    def __call__(self, x):
        for op in self.ops:
            x = op(x)
        return x
