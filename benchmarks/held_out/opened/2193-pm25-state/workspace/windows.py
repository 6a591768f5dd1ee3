"""Sliding windows over a multivariate series."""
import numpy as np
import torch
from torch.utils.data import Dataset


class WindowDataset(Dataset):
    """Past `lookback` rows as input, target `horizon` steps after the window."""

    def __init__(self, values, target, lookback=24, horizon=1):
        self.values = torch.as_tensor(np.asarray(values), dtype=torch.float32)
        self.target = torch.as_tensor(np.asarray(target), dtype=torch.float32)
        self.lookback = lookback
        self.horizon = horizon

    def __len__(self):
        return len(self.values) - self.lookback - self.horizon + 1

    def __getitem__(self, i):
        end = i + self.lookback
        x = self.values[i:end]
        y = self.target[end + self.horizon - 1]
        return x, y.reshape(1)
