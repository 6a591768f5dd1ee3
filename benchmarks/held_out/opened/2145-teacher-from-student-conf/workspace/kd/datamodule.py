import lightning as L
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


class Digits(L.LightningDataModule):
    def __init__(self, test_size, batch_size):
        super().__init__()
        self.test_size = test_size
        self.batch_size = batch_size

    def setup(self, stage=None):
        x, y = load_digits(return_X_y=True)
        x = torch.tensor(x / 16.0, dtype=torch.float32)
        y = torch.tensor(y, dtype=torch.long)
        xa, xb, ya, yb = train_test_split(x, y, test_size=self.test_size, random_state=0, stratify=y)
        self.train_set = TensorDataset(xa, ya)
        self.val_set = TensorDataset(xb, yb)

    def train_dataloader(self):
        return DataLoader(self.train_set, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, self.batch_size)
