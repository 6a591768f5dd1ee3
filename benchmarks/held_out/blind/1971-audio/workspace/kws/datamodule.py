import lightning as L
import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from .features import LogMel


def synth(word, rng, cfg):
    sr = cfg["sample_rate"]
    n = int(sr * rng.uniform(cfg["min_seconds"], cfg["max_seconds"]))
    t = np.arange(n) / sr
    base = rng.uniform(250, 420)
    ramp = t / t[-1]
    f = {
        "low": np.full(n, base),
        "high": np.full(n, base * 3),
        "rise": base * (1 + 2 * ramp),
        "fall": base * (3 - 2 * ramp),
        "warble": base * (2 + 0.9 * np.sin(2 * np.pi * 5 * t)),
    }[word]
    phase = 2 * np.pi * np.cumsum(f) / sr
    wav = np.sin(phase) + 0.3 * np.sin(2 * phase) + rng.normal(0, 0.5, n)
    return torch.tensor(wav, dtype=torch.float32)


def collate(batch):
    feats, labels = zip(*batch)
    lengths = torch.tensor([len(f) for f in feats])
    return pad_sequence(feats, batch_first=True), lengths, torch.tensor(labels)


class ToneDataModule(L.LightningDataModule):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.audio = cfg["audio"]

    def _make(self, n, seed):
        rng = np.random.default_rng(seed)
        logmel = LogMel(self.audio)
        items = []
        for i in range(n):
            k = i % len(self.audio["words"])
            items.append((logmel(synth(self.audio["words"][k], rng, self.audio)), k))
        return items

    def setup(self, stage=None):
        self.train_items = self._make(self.audio["n_train"], self.cfg["seed"])
        self.val_items = self._make(self.audio["n_val"], self.cfg["seed"] + 999)

    def _loader(self, items, shuffle):
        return DataLoader(items, batch_size=self.cfg["trainer"]["batch_size"], shuffle=shuffle, collate_fn=collate)

    def train_dataloader(self):
        return self._loader(self.train_items, True)

    def val_dataloader(self):
        return self._loader(self.val_items, False)
