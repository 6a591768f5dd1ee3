import torch
from torch.utils.data import Dataset


def render(kind, size, g):
    ax = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(ax, ax, indexing="ij")
    cy, cx = (torch.rand(2, generator=g) * 0.4 - 0.2).tolist()
    r = 0.4 + 0.15 * torch.rand(1, generator=g).item()
    dy, dx = (yy - cy).abs(), (xx - cx).abs()
    if kind == 0:
        m = dy ** 2 + dx ** 2 < r ** 2
    elif kind == 1:
        m = torch.maximum(dy, dx) < r * 0.85
    elif kind == 2:
        m = ((dy < r * 0.3) | (dx < r * 0.3)) & (torch.maximum(dy, dx) < r * 1.1)
    else:
        rad = (dy ** 2 + dx ** 2).sqrt()
        m = (rad < r) & (rad > r * 0.6)
    return m.float()


class ShapeImages(Dataset):
    num_classes = 4

    def __init__(self, count, size, seed, transform=None):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, self.num_classes, (count,), generator=g)
        imgs = torch.stack([render(int(k), size, g) for k in self.labels])
        self.images = (imgs + 0.1 * torch.randn(imgs.shape, generator=g)).unsqueeze(1)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = self.images[i]
        if self.transform is not None:
            x = self.transform(x)
        return x, self.labels[i]
