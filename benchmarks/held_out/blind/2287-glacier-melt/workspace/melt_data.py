import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def catchment(days, seed):
    rng = np.random.default_rng(seed)
    doy = np.arange(days) % 365
    temp = 2 - 12 * np.cos(2 * np.pi * doy / 365) + rng.normal(0, 2.5, days)
    snow = np.where(temp < 1, rng.gamma(0.4, 6, days), 0)
    rad = 150 - 120 * np.cos(2 * np.pi * doy / 365) + rng.normal(0, 15, days)
    store = melt = 0.0
    out = np.zeros(days)
    for d in range(days):
        store += snow[d]
        melt = min(store, max(0.0, 2.2 * temp[d] + 0.01 * rad[d]))
        store -= melt
        out[d] = (0.7 * out[d - 1] if d else 0) + 0.3 * melt
    return np.stack([temp / 10, snow / 10, rad / 200], 1).astype("float32"), out.astype("float32")


class MeltData(L.LightningDataModule):
    def __init__(self, history=30, batch_size=64):
        super().__init__()
        self.history, self.batch_size = history, batch_size

    def _windows(self, days, seed):
        x, q = catchment(days, seed)
        w = np.lib.stride_tricks.sliding_window_view(x, self.history, axis=0)
        y = q[self.history - 1:]
        return TensorDataset(torch.from_numpy(w.copy()).transpose(1, 2), torch.from_numpy(y.copy()))

    def setup(self, stage=None):
        self.train_set = self._windows(900, 1)
        self.val_set = self._windows(400, 2)

    def train_dataloader(self):
        return DataLoader(self.train_set, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, 256)
