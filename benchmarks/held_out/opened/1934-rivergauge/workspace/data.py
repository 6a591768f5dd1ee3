"""Reading the gauge exports and cutting them into windows."""
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


def read_gauges(cfg):
    frames = []
    for name in cfg["gauges"]:
        df = pd.read_csv(Path(cfg["data_dir"]) / f"{name}.csv", parse_dates=["time"])
        df = df.sort_values("time")
        df["gauge"] = name
        df["held_out"] = False
        df.iloc[-cfg["val_hours"]:, df.columns.get_loc("held_out")] = True
        frames.append(df)
    return pd.concat(frames, ignore_index=True)


class Standardizer:
    def fit(self, df, columns):
        self.columns = list(columns)
        self.mean = df[self.columns].mean()
        self.std = df[self.columns].std().replace(0, 1.0)
        return self

    def __call__(self, df):
        out = df.copy()
        out[self.columns] = (df[self.columns] - self.mean) / self.std
        return out

    def undo(self, values, column):
        return values * self.std[column] + self.mean[column]


class Windows(Dataset):
    """All (context -> stage at +horizon) pairs, never across two gauges."""

    def __init__(self, df, cfg):
        self.items = []
        ctx, hor = cfg["context"], cfg["horizon"]
        for _, part in df.groupby("gauge"):
            x = part[cfg["features"]].to_numpy(np.float32)
            y = part[cfg["target"]].to_numpy(np.float32)
            for start in range(len(part) - ctx - hor + 1):
                end = start + ctx
                self.items.append((x[start:end], y[end + hor - 1]))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        x, y = self.items[i]
        return torch.from_numpy(x), torch.tensor(y)
