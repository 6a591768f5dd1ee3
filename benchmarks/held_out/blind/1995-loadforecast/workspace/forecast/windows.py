import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset

from .scaling import ColumnScaler


def read_table(path, columns):
    frame = pd.read_csv(path, parse_dates=["time"]).set_index("time").sort_index()
    frame = frame.interpolate(limit=3)
    hour = frame.index.hour
    frame["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    frame["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    return frame[list(columns)].to_numpy(dtype=np.float32)


def split_and_scale(values, train_frac, val_frac):
    n = len(values)
    a, b = int(n * train_frac), int(n * (train_frac + val_frac))
    scaler = ColumnScaler().fit(values[:a])
    parts = [scaler.transform(p) for p in (values[:a], values[a:b], values[b:])]
    return scaler, parts


class Windows(Dataset):
    def __init__(self, values, history, horizon, target):
        self.values = torch.from_numpy(values)
        self.history, self.horizon, self.target = history, horizon, target

    def __len__(self):
        return len(self.values) - self.history - self.horizon + 1

    def __getitem__(self, i):
        past = self.values[i:i + self.history]
        future = self.values[i + self.history:i + self.history + self.horizon, self.target]
        return past, future
