import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

from .strokes import make_pairs


def make_loaders(n_pairs, n_writers, batch_size, val_pairs, seed):
    pairs = TensorDataset(*make_pairs(n_pairs, n_writers, seed))
    split = torch.Generator().manual_seed(seed)
    train, val = random_split(pairs, [n_pairs - val_pairs, val_pairs], generator=split)
    return (
        DataLoader(train, batch_size=batch_size, shuffle=True),
        DataLoader(val, batch_size=batch_size),
    )
