import csv

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from .audio import read_clip


class Commands(Dataset):
    def __init__(self, manifest, split, params, frontend):
        with open(manifest) as fh:
            self.rows = [r for r in csv.DictReader(fh) if r["split"] == split]
        self.rate = params["sample_rate"]
        self.index = {w: i for i, w in enumerate(params["words"])}
        self.frontend = frontend

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        wave = read_clip(row["path"], self.rate)
        return self.frontend(wave), self.index[row["word"]]


def collate(items):
    feats = [f for f, _ in items]
    frames = torch.tensor([len(f) for f in feats])
    padded = pad_sequence(feats, batch_first=True, padding_value=-13.8)
    return padded, frames, torch.tensor([y for _, y in items])
