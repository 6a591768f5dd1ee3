from functools import lru_cache

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@lru_cache(maxsize=1)
def tensors():
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16.0
    y = torch.tensor(d.target)
    tr, te = train_test_split(range(len(y)), test_size=0.25, random_state=0, stratify=d.target)
    return x[tr], y[tr], x[te], y[te]


def loaders(batch=64):
    xtr, ytr, xte, yte = tensors()
    return (DataLoader(TensorDataset(xtr, ytr), batch, shuffle=True),
            DataLoader(TensorDataset(xte, yte), 256))


def convnet(width, depth, n_classes=10):
    mods, c = [], 1
    for i in range(depth):
        mods += [nn.Conv2d(c, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        if i == 0:
            mods.append(nn.MaxPool2d(2))
        c = width
    return nn.Sequential(*mods, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * width, n_classes))


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return hits / len(loader.dataset)
