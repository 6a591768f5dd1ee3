import lightning as L
import torch
from torch.utils.data import DataLoader, Dataset

from gridcast.data.features import Standardizer, add_calendar, load_frame


class WindowDataset(Dataset):
    def __init__(self, values, target_index, history, horizon):
        self.values = torch.as_tensor(values, dtype=torch.float32)
        self.target_index = target_index
        self.history = history
        self.horizon = horizon

    def __len__(self):
        return len(self.values) - self.history - self.horizon + 1

    def __getitem__(self, i):
        past = self.values[i:i + self.history]
        future = self.values[i + self.history:i + self.history + self.horizon, self.target_index]
        return past, future


class LoadDataModule(L.LightningDataModule):
    def __init__(self, csv_path, columns, target, history, horizon, batch_size, val_hours):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        hp = self.hparams
        df = add_calendar(load_frame(hp.csv_path))
        values = df[list(hp.columns)].to_numpy()
        split = len(values) - hp.val_hours
        self.scaler = Standardizer().fit(values[:split])
        scaled = self.scaler.transform(values)
        self.target_index = list(hp.columns).index(hp.target)
        self.train_set = WindowDataset(scaled[:split], self.target_index, hp.history, hp.horizon)
        self.val_set = WindowDataset(scaled[split - hp.history:], self.target_index, hp.history, hp.horizon)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.hparams.batch_size)

    def to_megawatts(self, y):
        return self.scaler.inverse_column(y, self.target_index)
