import lightning as L
import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset


class WindowDataset(Dataset):
    def __init__(self, values, history, horizon):
        self.values = torch.tensor(values, dtype=torch.float32)
        self.history, self.horizon = history, horizon

    def __len__(self):
        return len(self.values) - self.history - self.horizon + 1

    def __getitem__(self, i):
        x = self.values[i:i + self.history]
        y = self.values[i + self.history:i + self.history + self.horizon, 0]
        return x, y


class EnergyDataModule(L.LightningDataModule):
    def __init__(self, csv_path, target, feature_cols, history=24, horizon=6, batch_size=32):
        super().__init__()
        self.csv_path = csv_path
        self.target = target
        self.feature_cols = feature_cols
        self.history, self.horizon, self.batch_size = history, horizon, batch_size

    def setup(self, stage=None):
        df = pd.read_csv(self.csv_path, parse_dates=["time"])
        df["hour_sin"] = np.sin(2 * np.pi * df["time"].dt.hour / 24)
        df["hour_cos"] = np.cos(2 * np.pi * df["time"].dt.hour / 24)
        cols = [self.target] + self.feature_cols
        values = df[cols].to_numpy(dtype="float32")
        n = len(values)
        train, val, test = values[: int(n * 0.7)], values[int(n * 0.7):int(n * 0.85)], values[int(n * 0.85):]
        mean, std = train.mean(0), train.std(0)
        self.parts = {
            name: WindowDataset((part - mean) / std, self.history, self.horizon)
            for name, part in [("train", train), ("val", val), ("test", test)]
        }

    def train_dataloader(self):
        return DataLoader(self.parts["train"], self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.parts["val"], self.batch_size)

    def test_dataloader(self):
        return DataLoader(self.parts["test"], self.batch_size)
