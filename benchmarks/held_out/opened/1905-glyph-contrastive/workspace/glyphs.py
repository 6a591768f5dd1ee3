import torch
from torch.utils.data import Dataset

NAMES = ("cross", "ring", "bars", "wedge", "dots")


def draw(kind, side, g):
    y, x = torch.meshgrid(torch.linspace(-1, 1, side), torch.linspace(-1, 1, side), indexing="ij")
    dx, dy = (torch.rand(2, generator=g) - 0.5) * 0.5
    x, y = x - dx, y - dy
    s = 0.7 + 0.5 * torch.rand(1, generator=g)
    if kind == 0:
        im = (x.abs() < 0.15 * s) | (y.abs() < 0.15 * s)
    elif kind == 1:
        r = (x ** 2 + y ** 2).sqrt()
        im = (r - 0.55 * s).abs() < 0.14
    elif kind == 2:
        im = torch.sin(9 * x / s) > 0.2
    elif kind == 3:
        im = y > (x * s)
    else:
        im = (torch.sin(8 * x / s) > 0.3) & (torch.sin(8 * y / s) > 0.3)
    return im.float()


class Glyphs(Dataset):
    """Returns two random views and the label (the label is used by the kNN monitor only)."""

    def __init__(self, n, side, seed, views=True):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.arange(n) % len(NAMES)
        self.images = torch.stack([draw(int(k), side, g) for k in self.labels])[:, None]
        self.views = views

    def __len__(self):
        return len(self.labels)

    def augment(self, im):
        sh = torch.randint(-3, 4, (2,)).tolist()
        im = im.roll(sh, (1, 2))
        if torch.rand(()) < 0.5:
            im = 1 - im
        im = im * (0.6 + 0.8 * torch.rand(()))
        return im + 0.15 * torch.randn_like(im)

    def __getitem__(self, i):
        if not self.views:
            return self.images[i], self.labels[i]
        return self.augment(self.images[i]), self.augment(self.images[i]), self.labels[i]
