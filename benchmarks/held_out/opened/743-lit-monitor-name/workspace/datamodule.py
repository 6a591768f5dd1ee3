import lightning as L
import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split


class DigitsDataModule(L.LightningDataModule):
    def __init__(self, conf):
        super().__init__()
        self.conf = conf

    def setup(self, stage=None):
        raw = load_digits()
        x = torch.tensor(raw.images, dtype=torch.float32).unsqueeze(1) / 16.0
        y = torch.tensor(raw.target)
        full = TensorDataset(x, y)
        gen = torch.Generator().manual_seed(0)
        self.train_set, self.val_set, self.test_set = random_split(full, [0.7, 0.15, 0.15], generator=gen)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.conf.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.conf.batch_size)

    def test_dataloader(self):
        return DataLoader(self.test_set, batch_size=self.conf.batch_size)
