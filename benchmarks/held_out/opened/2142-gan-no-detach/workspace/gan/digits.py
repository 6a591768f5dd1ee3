import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


def digit_loader(batch):
    pixels = torch.tensor(load_digits().data, dtype=torch.float32) / 16.0
    return DataLoader(TensorDataset(pixels), batch_size=batch, shuffle=True, drop_last=True)


def forever(loader):
    while True:
        for (x,) in loader:
            yield x
