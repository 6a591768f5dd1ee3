import csv
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.utils.data import Dataset


@dataclass
class Window:
    past: int = 24
    horizon: int = 6


def read_series(path):
    with open(path, newline="") as stream:
        reader = csv.DictReader(stream)
        return [float(row["load"]) for row in reader]


class LoadDataset(Dataset):
    def __init__(self, path, window):
        self.series = torch.tensor(read_series(path))
        self.window = window

    def __len__(self):
        return len(self.series) - self.window.past

    def __getitem__(self, index):
        past = self.series[index : index + self.window.past]
        target = self.series[index + self.window.past : index + self.window.past + self.window.horizon]
        return past, target
