import lightning as L
import pandas as pd
import torch
from torch.utils.data import DataLoader, TensorDataset


class BikeData(L.LightningDataModule):
    def __init__(self, csv, target, batch_size=32, val_fraction=0.2, seed=0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        hp = self.hparams
        df = pd.read_csv(hp.csv)
        df = pd.get_dummies(df, columns=["season", "weekday"], dtype=float)
        df = df.sample(frac=1.0, random_state=hp.seed)
        y = df.pop(hp.target)
        n_val = int(len(df) * hp.val_fraction)

        mean, std = df.iloc[n_val:].mean(), df.iloc[n_val:].std()
        x = torch.tensor(((df - mean) / std).to_numpy(), dtype=torch.float32)
        y = torch.tensor(y.to_numpy(copy=True) / 1000.0, dtype=torch.float32)
        self.num_features = x.shape[1]
        self.val_set = TensorDataset(x[:n_val], y[:n_val])
        self.train_set = TensorDataset(x[n_val:], y[n_val:])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.hparams.batch_size)
