import numpy as np
import torch
from torch.utils.data import Dataset

from .render import render
from .targets import HeatmapEncoder


class GaugeDataset(Dataset):
    def __init__(self, records, cfg):
        self.ids = list(records)
        self.points = [records[i] for i in self.ids]
        height, width = cfg["input_size"]
        rng = np.random.default_rng(0)
        self.images = [torch.from_numpy(render(p, height, width, rng))[None] for p in self.points]
        self.encode = HeatmapEncoder(cfg["input_size"], cfg["stride"], cfg["sigma"])

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        maps, weight = self.encode(self.points[i])
        return self.images[i] - 0.4, maps, weight
