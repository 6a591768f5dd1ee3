import csv
import random
from collections import defaultdict

import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, Sampler


def spectrogram(row, bins=40, frames=24):
    """A cheap rendering of the call instead of the wav files, which are too large for the repository."""
    rng = np.random.default_rng(int(row["file"][5:8]))
    t = np.linspace(0, 1, frames)
    f0, dur, slope = (float(row[k]) for k in ("fmin_khz", "duration_ms", "slope"))
    track = (f0 + 12 * np.exp(slope * 3 * t)) / 80 * bins
    env = np.exp(-(((t - 0.4) * 15 / dur) ** 2))
    grid = np.arange(bins)[:, None]
    img = env * np.exp(-0.5 * ((grid - track) / 1.6) ** 2)
    return (img + rng.normal(0, 10 ** (-float(row["snr_db"]) / 20), img.shape)).astype(np.float32)


class Calls(Dataset):
    def __init__(self, rows, species):
        self.images = torch.from_numpy(np.stack([spectrogram(r) for r in rows])).unsqueeze(1)
        self.labels = torch.tensor([species.index(r["species"]) for r in rows])

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class SpeciesBalanced(Sampler):
    """P species x K calls in each batch."""

    def __init__(self, labels, species_per_batch, calls_per_species, batches):
        self.groups = defaultdict(list)
        for i, y in enumerate(labels.tolist()):
            self.groups[y].append(i)
        self.p, self.k, self.n = species_per_batch, calls_per_species, batches

    def __len__(self):
        return self.n

    def __iter__(self):
        for _ in range(self.n):
            chosen = random.sample(sorted(self.groups), self.p)
            yield [i for y in chosen for i in random.sample(self.groups[y], self.k)]


class CallModule(L.LightningDataModule):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg

    def setup(self, stage=None):
        with open(self.cfg["calls"], newline="") as fh:
            rows = list(csv.DictReader(fh))
        clear = [r for r in rows if float(r["snr_db"]) <= self.cfg["min_snr_db"]]
        self.species = sorted({r["species"] for r in rows})
        held = set(self.cfg["holdout_nights"])
        self.train = Calls([r for r in clear if int(r["night"]) not in held], self.species)
        self.val = Calls([r for r in clear if int(r["night"]) in held], self.species)

    def train_dataloader(self):
        sampler = SpeciesBalanced(self.train.labels, **self.cfg["sampler"])
        return DataLoader(self.train, batch_sampler=sampler)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=32)
