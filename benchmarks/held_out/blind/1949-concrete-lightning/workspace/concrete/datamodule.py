import lightning as L
import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

FEATURES = ["cement", "slag", "fly_ash", "water", "superplasticizer", "coarse_agg", "fine_agg", "log_age"]


class ConcreteDataModule(L.LightningDataModule):
    def __init__(self, csv: str = "data/concrete.csv", batch_size: int = 64, seed: int = 0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        if hasattr(self, "train_set"):
            return
        df = pd.read_csv(self.hparams.csv)
        df["log_age"] = np.log1p(df["age"])
        train, rest = train_test_split(df, test_size=0.3, random_state=self.hparams.seed)
        valid, test = train_test_split(rest, test_size=0.5, random_state=self.hparams.seed)
        self.scaler = StandardScaler().fit(train[FEATURES])
        self.y_mean, self.y_std = train["strength"].mean(), train["strength"].std()
        self.train_set = self._pack(train)
        self.valid_set = self._pack(valid)
        self.test_set = self._pack(test)

    def _pack(self, df):
        x = torch.tensor(self.scaler.transform(df[FEATURES]), dtype=torch.float32)
        y = torch.tensor(df["strength"].to_numpy(), dtype=torch.float32)
        return TensorDataset(x, (y - self.y_mean) / self.y_std)

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.valid_set, self.hparams.batch_size)

    def test_dataloader(self):
        return DataLoader(self.test_set, self.hparams.batch_size)
