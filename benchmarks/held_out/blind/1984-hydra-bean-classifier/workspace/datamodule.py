import pandas as pd
import torch
from torch.utils.data import DataLoader, TensorDataset


def load_table(file, target):
    df = pd.read_csv(file)
    classes = sorted(df[target].unique())
    y = torch.tensor(df[target].map(classes.index).to_numpy(copy=True), dtype=torch.long)
    x = torch.tensor(df.drop(columns=target).to_numpy(), dtype=torch.float32)
    return x, y, classes


def make_loaders(cfg):
    x, y, classes = load_table(cfg.file, cfg.target)
    order = torch.randperm(len(x))
    n_val = int(len(x) * cfg.val_fraction)
    val_idx, train_idx = order[:n_val], order[n_val:]

    mean, std = x[train_idx].mean(0), x[train_idx].std(0)
    x = (x - mean) / std

    train_ds = TensorDataset(x[train_idx], y[train_idx])
    val_ds = TensorDataset(x[val_idx], y[val_idx])
    train_loader = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True)
    val_loader = DataLoader(val_ds, batch_size=cfg.batch_size)
    return train_loader, val_loader, x.shape[1], classes
