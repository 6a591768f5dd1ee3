import random
from collections import defaultdict

import torch
from torch.utils.data import Dataset

from sig.strokes import collect

SPLITS = {
    "train": dict(writers=range(0, 12), per_writer=16, seed=0),
    "val": dict(writers=range(12, 18), per_writer=12, seed=1),
    "test": dict(writers=range(18, 24), per_writer=12, seed=2),
}


class SignatureDataset(Dataset):
    """Triplets while training, single labelled signatures for retrieval."""

    def __init__(self, split):
        self.split = split
        xs, self.writers = collect(**SPLITS[split])
        self.xs = [torch.from_numpy(x) for x in xs]
        self.by_writer = defaultdict(list)
        for i, w in enumerate(self.writers):
            self.by_writer[w].append(i)

    def __len__(self):
        return len(self.xs)

    def _triplet(self, i):
        w = self.writers[i]
        pos = random.choice([j for j in self.by_writer[w] if j != i])
        other = random.choice([v for v in self.by_writer if v != w])
        neg = random.choice(self.by_writer[other])
        return self.xs[i], self.xs[pos], self.xs[neg]

    def __getitem__(self, i):
        if self.split != "test":
            return self._triplet(i)
        return self.xs[i], self.writers[i]
