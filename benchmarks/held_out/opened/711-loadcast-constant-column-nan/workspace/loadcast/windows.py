"""Sliding windows over a multivariate hourly series."""
import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


def read_series(data_cfg):
    frame = pd.read_csv(data_cfg["file"], parse_dates=["time"])
    frame = frame.set_index("time").sort_index()
    return frame[data_cfg["features"]]


class Scaler:
    def fit(self, values):
        self.mu = values.mean(axis=0)
        self.sd = values.std(axis=0)
        return self

    def transform(self, values):
        return (values - self.mu) / self.sd

    def inverse_target(self, y, col):
        return y * self.sd[col] + self.mu[col]


class WindowDataset(Dataset):
    def __init__(self, values, target_col, window, horizon):
        self.values = torch.as_tensor(values, dtype=torch.float32)
        self.target_col = target_col
        self.window = window
        self.horizon = horizon

    def __len__(self):
        return len(self.values) - self.window - self.horizon + 1

    def __getitem__(self, i):
        past = self.values[i:i + self.window]
        future = self.values[i + self.window:i + self.window + self.horizon, self.target_col]
        return past, future


def make_datasets(data_cfg):
    frame = read_series(data_cfg)
    values = frame.to_numpy(dtype=np.float64)
    cut = int(len(values) * data_cfg["train_fraction"])
    scaler = Scaler().fit(values[:cut])
    col = data_cfg["features"].index(data_cfg["target"])
    scaled = scaler.transform(values)
    args = (col, data_cfg["window"], data_cfg["horizon"])
    return WindowDataset(scaled[:cut], *args), WindowDataset(scaled[cut:], *args), scaler, col
