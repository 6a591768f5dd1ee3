import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


class Scaler:
    """column-wise standardisation, fitted on the training part only"""

    def fit(self, arr):
        self.mu = arr.mean(0)
        self.sd = arr.std(0) + 1e-6
        return self

    def transform(self, arr):
        return (arr - self.mu) / self.sd

    def inverse_target(self, y):
        return y * self.sd[0] + self.mu[0]


def load_frame(cfg):
    df = pd.read_csv(cfg["csv"], parse_dates=["time"]).set_index("time")
    df = df.asfreq("h").interpolate(limit=6)
    hour = df.index.hour.to_numpy()
    df["h_sin"], df["h_cos"] = np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24)
    cols = [cfg["target"]] + cfg["covariates"] + ["h_sin", "h_cos"]
    return df[cols].to_numpy(dtype=np.float32)


class WindowDataset(Dataset):
    """
    Each item: past  (context, n_features)
               known (horizon, n_features - 1)   -- covariates known ahead (weather forecast, calendar)
               y     (horizon,)
    """

    def __init__(self, values, context, horizon, stride=1):
        self.values = torch.from_numpy(values)
        self.context = context
        self.horizon = horizon
        self.stride = stride
        self.n = (len(values) - context) // stride + 1

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        s = i * self.stride
        m = s + self.context
        e = m + self.horizon
        return self.values[s:m], self.values[m:e, 1:], self.values[m:e, 0]


def make_datasets(cfg):
    values = load_frame(cfg["data"])
    w = cfg["window"]
    cut = int(len(values) * (1 - cfg["data"]["val_fraction"]))
    scaler = Scaler().fit(values[:cut])
    values = scaler.transform(values)
    # the val part may look back into the training part for its first context
    train = WindowDataset(values[:cut], w["context"], w["horizon"], w["stride"])
    val = WindowDataset(values[cut - w["context"]:], w["context"], w["horizon"], w["stride"])
    return train, val, scaler
