import lightning as L
import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, TensorDataset


def cut_windows(frame, channels, window, stride):
    xs, ys = [], []
    for _, part in frame.groupby("machine"):
        values = part[channels].to_numpy("float32")
        fails = part["fails_soon"].to_numpy()
        for start in range(0, len(part) - window + 1, stride):
            xs.append(values[start:start + window].T)
            ys.append(fails[start + window - 1])
    return torch.from_numpy(np.stack(xs)), torch.tensor(ys, dtype=torch.float32)


class SensorData(L.LightningDataModule):
    def __init__(self, csv, channels, window, stride, batch_size, val_machines):
        super().__init__()
        self.csv = csv
        self.channels = list(channels)
        self.window = window
        self.stride = stride
        self.batch_size = batch_size
        self.val_machines = list(val_machines)

    def setup(self, stage):
        frame = pd.read_csv(self.csv)
        held = frame["machine"].isin(self.val_machines)
        stats = frame.loc[~held, self.channels]
        frame[self.channels] = (frame[self.channels] - stats.mean()) / stats.std()
        if stage == "fit":
            self.train_set = TensorDataset(*cut_windows(frame[~held], self.channels, self.window, self.stride))
        self.val_set = TensorDataset(*cut_windows(frame[held], self.channels, self.window, self.stride))

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.batch_size)
