import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


class WindowDataset(Dataset):
    def __init__(self, values, target, window, horizon):
        self.values = torch.as_tensor(values, dtype=torch.float32)
        self.target = target
        self.window = window
        self.horizon = horizon

    def __len__(self):
        return len(self.values) - self.window - self.horizon + 1

    def __getitem__(self, i):
        x = self.values[i:i + self.window]
        y = self.values[i + self.window:i + self.window + self.horizon, self.target]
        return x, y


def load(cfg):
    df = pd.read_csv(cfg.csv, parse_dates=["date"])
    df["weekend"] = (df["date"].dt.dayofweek >= 5).astype(int)
    values = df[list(cfg.features)].to_numpy(dtype=np.float32)
    split = int(0.8 * len(values))
    mu, sd = values[:split].mean(0), values[:split].std(0)
    values = (values - mu) / sd
    t = list(cfg.features).index(cfg.target)
    mk = lambda v: WindowDataset(v, t, cfg.window, cfg.horizon)
    return mk(values[:split]), mk(values[split - cfg.window:]), (mu[t], sd[t])
