import math

import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class LoadWindows(Dataset):
    def __init__(self, series, history, horizon):
        self.series = torch.as_tensor(series, dtype=torch.float32)
        self.history = history
        self.horizon = horizon

    def __len__(self):
        return len(self.series) - self.history - self.horizon + 1

    def __getitem__(self, start):
        mid = start + self.history
        return self.series[start:mid], self.series[mid : mid + self.horizon]


class LoadDataModule(L.LightningDataModule):
    """Hourly electricity load of one substation."""

    def __init__(self, series_cfg, window_cfg, loader_cfg, seed):
        super().__init__()
        self.series_cfg = series_cfg
        self.window_cfg = window_cfg
        self.batch_size = loader_cfg["batch_size"]
        self.val_hours = loader_cfg["val_hours"]
        self.seed = seed

    def setup(self, stage=None):
        rng = np.random.default_rng(self.seed)
        t = np.arange(self.series_cfg["hours"])
        load = (
            np.sin(2 * math.pi * t / 24)
            + 0.4 * np.sin(2 * math.pi * t / 168)
            + rng.normal(0, self.series_cfg["noise"], len(t))
        )
        train, val = load[: -self.val_hours], load[-self.val_hours :]
        mean, std = train.mean(), train.std()
        self.train_set = LoadWindows((train - mean) / std, **self.window_cfg)
        self.val_set = LoadWindows((val - mean) / std, **self.window_cfg)

    @property
    def steps_per_epoch(self):
        return len(self.train_set) // self.batch_size

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.batch_size)
