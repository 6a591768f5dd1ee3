import torch
import torch.nn.functional as F


class RandomShift:
    def __init__(self, pixels):
        self.pixels = pixels

    def __call__(self, x):
        p = self.pixels
        padded = F.pad(x.unsqueeze(0), (p, p, p, p), mode="replicate")[0]
        i, j = torch.randint(0, 2 * p + 1, (2,)).tolist()
        return padded[:, i:i + x.size(1), j:j + x.size(2)]


class RandomFlip:
    def __call__(self, x):
        if torch.rand(()) < 0.5:
            x = x.flip(-1)
        if torch.rand(()) < 0.5:
            x = x.flip(-2)
        return x


class ContrastJitter:
    def __init__(self, amount):
        self.amount = amount

    def __call__(self, x):
        scale = 1 + self.amount * (2 * torch.rand(()) - 1)
        return x * scale + 0.1 * torch.randn(())


class Cutout:
    def __init__(self, side):
        self.side = side

    def __call__(self, x):
        x = x.clone()
        i = int(torch.randint(0, x.size(1) - self.side, ()))
        j = int(torch.randint(0, x.size(2) - self.side, ()))
        x[:, i:i + self.side, j:j + self.side] = 0
        return x


class TwoViews:
    def __init__(self, *ops):
        self.ops = ops

    def one(self, x):
        for op in self.ops:
            x = op(x)
        return x

    def __call__(self, x):
        return torch.stack([self.one(x), self.one(x)])


def simclr_views(shift=2, jitter=0.4, cut=4):
    return TwoViews(RandomShift(shift), RandomFlip(), ContrastJitter(jitter), Cutout(cut))
