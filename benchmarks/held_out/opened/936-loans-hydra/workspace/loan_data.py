import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, TensorDataset


def load_table(path, target):
    df = pd.read_csv(path)
    y = df.pop(target).to_numpy(dtype=np.float32)
    df = pd.get_dummies(df, columns=["purpose", "home"], dtype=float)
    x = df.to_numpy(dtype=np.float32)
    x = (x - x.mean(0)) / (x.std(0) + 1e-8)
    return x, y


def make_loaders(path, target, val_fraction, batch_size, seed):
    x, y = load_table(path, target)
    order = np.random.default_rng(seed).permutation(len(x))
    n_val = int(len(x) * val_fraction)
    parts = {"val": order[:n_val], "train": order[n_val:]}
    loaders = {}
    for name, idx in parts.items():
        ds = TensorDataset(torch.from_numpy(x[idx]), torch.from_numpy(y[idx]))
        loaders[name] = DataLoader(ds, batch_size=batch_size, shuffle=name == "train")
    return loaders["train"], loaders["val"]
