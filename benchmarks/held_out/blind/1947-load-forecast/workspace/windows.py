import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


def read_load(path):
    df = pd.read_csv(path, parse_dates=["timestamp"]).set_index("timestamp")
    df = df.asfreq("h").interpolate(limit=3)
    hour = df.index.hour.to_numpy()
    dow = df.index.dayofweek.to_numpy()
    df["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    df["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    df["weekend"] = (dow >= 5).astype(float)
    return df


class Standardizer:
    def fit(self, df, cols):
        self.cols = cols
        self.mean = df[cols].mean()
        self.std = df[cols].std()
        return self

    def apply(self, df):
        out = df.copy()
        out[self.cols] = (df[self.cols] - self.mean) / self.std
        return out

    def undo(self, arr, col):
        return arr * self.std[col] + self.mean[col]


class WindowDataset(Dataset):
    """(lookback, n_features) -> next `horizon` values of the first column."""

    def __init__(self, frame, lookback, horizon):
        self.values = torch.tensor(frame.to_numpy(), dtype=torch.float32)
        self.lookback = lookback
        self.horizon = horizon

    def __len__(self):
        return len(self.values) - self.lookback

    def __getitem__(self, i):
        mid = i + self.lookback
        x = self.values[i:mid]
        y = self.values[mid:mid + self.horizon, 0]
        return x, y
