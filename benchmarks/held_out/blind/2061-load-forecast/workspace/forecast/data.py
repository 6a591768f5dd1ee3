import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from forecast.series import calendar, hourly_load


class HorizonDataset(Dataset):
    """(past load + calendar, future load) pairs."""

    def __init__(self, load, cal, lookback, horizon):
        self.load = torch.from_numpy(load)
        self.cal = torch.from_numpy(cal)
        self.lookback = lookback
        self.horizon = horizon

    def __len__(self):
        return len(self.load) - self.lookback + 1

    def __getitem__(self, i):
        mid = i + self.lookback
        past = torch.cat([self.load[i:mid, None], self.cal[i:mid]], dim=1)
        return past, self.load[mid:mid + self.horizon]


class LoadDataModule(L.LightningDataModule):
    def __init__(self, n_hours=900, lookback=48, horizon=12, batch_size=64, val_hours=200):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        hp = self.hparams
        y = hourly_load(hp.n_hours)
        cal = calendar(hp.n_hours)
        cut = hp.n_hours - hp.val_hours
        self.mean, self.std = float(y[:cut].mean()), float(y[:cut].std())
        y = ((y - self.mean) / self.std).astype(np.float32)
        self.train_set = HorizonDataset(y[:cut], cal[:cut], hp.lookback, hp.horizon)
        # the first validation window may look back into the training period
        start = cut - hp.lookback
        self.val_set = HorizonDataset(y[start:], cal[start:], hp.lookback, hp.horizon)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.hparams.batch_size)
