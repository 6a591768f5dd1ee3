import math

import torch
from torch.utils.data import DataLoader, TensorDataset


def _grid(size):
    ax = torch.linspace(-1, 1, size)
    return torch.meshgrid(ax, ax, indexing="ij")


def _stripes(size, g):
    yy, xx = _grid(size)
    angle = torch.rand(1, generator=g).item() * math.pi
    freq = 6 + 6 * torch.rand(1, generator=g).item()
    return torch.sin(freq * (math.cos(angle) * xx + math.sin(angle) * yy))


def _checker(size, g):
    yy, xx = _grid(size)
    freq = 6 + 6 * torch.rand(1, generator=g).item()
    return torch.sign(torch.sin(freq * xx) * torch.sin(freq * yy))


def _blobs(size, g):
    yy, xx = _grid(size)
    img = torch.zeros(size, size)
    for _ in range(6):
        cy, cx = (torch.rand(2, generator=g) * 2 - 1).tolist()
        img += torch.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / 0.04)
    return img * 2 - 1


def _rings(size, g):
    yy, xx = _grid(size)
    cy, cx = (torch.rand(2, generator=g) * 0.6 - 0.3).tolist()
    r = torch.sqrt((yy - cy) ** 2 + (xx - cx) ** 2)
    return torch.cos((10 + 6 * torch.rand(1, generator=g).item()) * r)


PAINTERS = {"stripes": _stripes, "checker": _checker, "blobs": _blobs, "rings": _rings}


def make_split(cfg, per_class, seed):
    g = torch.Generator().manual_seed(seed)
    images, labels = [], []
    for idx, name in enumerate(cfg.classes):
        for _ in range(per_class):
            img = PAINTERS[name](cfg.image_size, g)
            img = img + cfg.noise * torch.randn(img.shape, generator=g)
            if cfg.hflip and torch.rand(1, generator=g).item() < 0.5:
                img = img.flip(-1)
            images.append(img)
            labels.append(idx)
    x = torch.stack(images).unsqueeze(1)
    return TensorDataset(x, torch.tensor(labels))


def build_loaders(cfg, seed):
    train = make_split(cfg, cfg.train_per_class, seed)
    val = make_split(cfg, cfg.val_per_class, seed + 1)
    return (
        DataLoader(train, batch_size=cfg.batch_size, shuffle=True),
        DataLoader(val, batch_size=cfg.batch_size),
    )
