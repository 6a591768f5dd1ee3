import csv
from pathlib import Path

import torch
from torch.utils.data import Dataset

from wavio import fix_length, load_wav


class KeywordClips(Dataset):
    def __init__(self, root, split, params, train=False):
        self.params = params
        self.train = train
        self.items = []
        with open(Path(root) / "manifest.csv", newline="") as f:
            for row in csv.DictReader(f):
                if row["split"] == split:
                    self.items.append((Path(root) / row["path"], params["words"].index(row["word"])))
        self.cache = [load_wav(p, params["sample_rate"]) for p, _ in self.items]
        self.copies = params["augment"]["copies"] if train else 1

    def __len__(self):
        return len(self.items) * self.copies

    def augment(self, signal):
        cfg = self.params["augment"]
        gain = (torch.rand(1) * 2 - 1) * cfg["gain_db"]
        shift = int(torch.randint(-80, 80, (1,)))
        signal = torch.roll(signal, shift) * 10 ** (gain / 20)
        return signal + cfg["noise_std"] * torch.randn_like(signal)

    def __getitem__(self, i):
        i = i % len(self.items)
        signal = fix_length(self.cache[i], self.params["clip_samples"])
        if self.train:
            signal = self.augment(signal)
        return signal, self.items[i][1]
