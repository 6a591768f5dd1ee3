import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


class PumpData(L.LightningDataModule):
    """Sliding windows over simulated vibration channels; label 1 when a fault falls into the window."""

    def __init__(self, channels, window, hours, batch_size):
        super().__init__()
        self.channels, self.window, self.hours, self.batch_size = channels, window, hours, batch_size

    def setup(self, stage=None):
        rng = np.random.default_rng(0)
        t = np.arange(self.hours)
        x = np.stack([np.sin(t / (3 + c)) for c in range(self.channels)], axis=1)
        x += rng.normal(0, 0.2, x.shape)
        fault = np.zeros(self.hours)
        for start in rng.choice(self.hours - 10, size=8, replace=False):
            x[start : start + 6] += rng.normal(1.5, 0.5, (1, self.channels))
            fault[start : start + 6] = 1
        starts = range(self.hours - self.window)
        xs = np.stack([x[s : s + self.window] for s in starts]).astype("float32")
        ys = np.array([fault[s : s + self.window].max() for s in starts], dtype="float32")
        full = TensorDataset(torch.from_numpy(xs), torch.from_numpy(ys))
        self.train, self.val = random_split(full, [0.8, 0.2])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.batch_size)
