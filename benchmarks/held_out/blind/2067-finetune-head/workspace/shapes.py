"""16x16 images of simple shapes."""
import torch
from torch.utils.data import DataLoader, TensorDataset

ALL = ["square", "disc", "cross", "hbar", "vbar", "ring", "diamond"]


def draw(kind, cx, cy, r):
    yy, xx = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
    dx, dy = (xx - cx).abs(), (yy - cy).abs()
    dist = (dx ** 2 + dy ** 2).sqrt()
    masks = {
        "square": (dx <= r) & (dy <= r),
        "disc": dist <= r,
        "cross": ((dx <= 1) & (dy <= r)) | ((dy <= 1) & (dx <= r)),
        "hbar": (dx <= r) & (dy <= 1),
        "vbar": (dy <= r) & (dx <= 1),
        "ring": (dist <= r) & (dist >= r - 1.5),
        "diamond": dx + dy <= r,
    }
    return masks[kind].float()


def make_set(kinds, n, seed, noise=0.2):
    g = torch.Generator().manual_seed(seed)
    imgs, labels = [], []
    for i in range(n):
        k = i % len(kinds)
        u = torch.rand(3, generator=g)
        imgs.append(draw(kinds[k], 6 + 4 * u[0], 6 + 4 * u[1], 3 + 2 * u[2]))
        labels.append(k)
    x = torch.stack(imgs)[:, None]
    x = x + noise * torch.randn(x.shape, generator=g)
    return TensorDataset(x, torch.tensor(labels))


def loaders(kinds, n_train, n_test, seed, batch_size=32):
    return (DataLoader(make_set(kinds, n_train, seed), batch_size=batch_size, shuffle=True),
            DataLoader(make_set(kinds, n_test, seed + 1), batch_size=128))
