import numpy as np
import pandas as pd
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


class RentDataModule(pl.LightningDataModule):
    def __init__(self, s):
        super().__init__()
        self.s = s

    def setup(self, stage=None):
        df = pd.read_csv(self.s.path)
        df["area_per_room"] = df["area"] / df["rooms"]
        num = df[self.s.numeric].astype("float32")
        num = (num - num.mean()) / num.std()
        cat = np.stack([pd.Categorical(df[c]).codes for c in self.s.categorical], axis=1)
        y = df[self.s.target].to_numpy(dtype=np.float32)
        self.y_mean, self.y_std = float(y.mean()), float(y.std())
        y = (y - self.y_mean) / self.y_std
        full = TensorDataset(
            torch.from_numpy(num.to_numpy()),
            torch.from_numpy(cat.astype(np.int64)),
            torch.from_numpy(y),
        )
        n_val = int(len(full) * self.s.val_fraction)
        self.train_set, self.val_set = random_split(
            full, [len(full) - n_val, n_val], generator=torch.Generator().manual_seed(0)
        )

    def train_dataloader(self):
        return DataLoader(self.train_set, self.s.batch_size, shuffle=True, num_workers=self.s.num_workers)

    def val_dataloader(self):
        return DataLoader(self.val_set, self.s.batch_size, num_workers=self.s.num_workers)
