import lightning.pytorch as pl
import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    """Windows of all columns, and the next values of the first one."""

    def __init__(self, values, context, horizon):
        self.values = values
        self.context = context
        self.horizon = horizon

    def __len__(self):
        return len(self.values) - self.context - self.horizon + 1

    def __getitem__(self, index):
        middle = index + self.context
        past = self.values[index:middle]
        future = self.values[middle : middle + self.horizon, 0]
        return past, future


class SeriesDataModule(pl.LightningDataModule):
    def __init__(self, csv_path: str, context: int = 16, horizon: int = 4, batch_size: int = 16):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage: str):
        frame = pd.read_csv(self.hparams.csv_path, index_col="step")
        values = torch.tensor(frame[["load", "temperature", "holiday"]].values, dtype=torch.float32)
        cut = int(0.75 * len(values))
        mean, std = values[:cut].mean(0), values[:cut].std(0)
        values = (values - mean) / std
        window = (self.hparams.context, self.hparams.horizon)
        self.train_set = Windows(values[:cut], *window)
        self.val_set = Windows(values[cut:], *window)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.hparams.batch_size)
