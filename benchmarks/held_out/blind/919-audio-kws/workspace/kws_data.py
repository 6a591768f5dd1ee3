import csv
import os

import numpy as np
import torch
from scipy.io import wavfile
from torch.utils.data import Dataset

from melspec import LogMel


class KeywordDataset(Dataset):
    def __init__(self, manifest, cfg, words, train=True):
        with open(manifest, newline="") as f:
            rows = list(csv.DictReader(f))
        wanted = "train" if train else "test"
        self.rows = [r for r in rows if r["set"] == wanted]
        self.base = os.path.dirname(manifest)
        self.words = words
        self.n_samples = int(cfg["sample_rate"] * cfg["clip_seconds"])
        self.logmel = LogMel(cfg)

    def __len__(self):
        return len(self.rows)

    def _read(self, name):
        rate, data = wavfile.read(os.path.join(self.base, name))
        return torch.from_numpy(data.astype(np.float32) / 32768.0)

    def _fix_length(self, wav):
        n = wav.numel()
        if n < self.n_samples:
            wav = torch.nn.functional.pad(wav, (0, self.n_samples - n))
        return wav

    def __getitem__(self, i):
        row = self.rows[i]
        wav = self._fix_length(self._read(row["wav"]))
        return self.logmel(wav), self.words.index(row["word"])
