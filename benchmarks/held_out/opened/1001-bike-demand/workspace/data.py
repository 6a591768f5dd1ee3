import json

import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset, DataLoader


def load_config(path="config.json"):
    with open(path) as f:
        return json.load(f)


def read_frame(cfg):
    df = pd.read_csv(cfg["csv"], parse_dates=["timestamp"])
    df = df.sort_values("timestamp").reset_index(drop=True)
    hour = df["timestamp"].dt.hour
    df["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    df["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    df["weekend"] = (df["timestamp"].dt.dayofweek >= 5).astype(float)
    return df


class HourlyWindows(Dataset):
    """window hours of features -> rentals of the next `horizon` hours"""

    def __init__(self, x, y, window, horizon):
        self.x = torch.as_tensor(x, dtype=torch.float32)
        self.y = torch.as_tensor(y, dtype=torch.float32)
        self.window = window
        self.horizon = horizon

    def __len__(self):
        return len(self.x) - self.window - self.horizon + 1

    def __getitem__(self, i):
        j = i + self.window
        return self.x[i:j], self.y[j:j + self.horizon]


def make_loaders(cfg):
    df = read_frame(cfg)
    split = int(len(df) * (1 - cfg["val_fraction"]))
    x = df[cfg["features"]].to_numpy(dtype="float32")
    y = df[cfg["target"]].to_numpy(dtype="float32")

    mean, std = x[:split].mean(axis=0), x[:split].std(axis=0) + 1e-6
    x = (x - mean) / std
    y_mean, y_std = y[:split].mean(), y[:split].std()
    y = (y - y_mean) / y_std

    train = HourlyWindows(x[:split], y[:split], cfg["window"], cfg["horizon"])
    val = HourlyWindows(x[split:], y[split:], cfg["window"], cfg["horizon"])
    # order matters, the model carries its state along the series
    kw = dict(batch_size=cfg["batch_size"], shuffle=False, drop_last=True)
    return DataLoader(train, **kw), DataLoader(val, **kw), (y_mean, y_std)
