import csv
import random
from collections import Counter, defaultdict

import torch
from torch.utils.data import Dataset, Sampler


class DescriptorTable(Dataset):
    def __init__(self, csv_path, label_column, min_per_class=1):
        with open(csv_path, newline="") as fh:
            rows = list(csv.DictReader(fh))
        counts = Counter(r[label_column] for r in rows)
        self.classes = sorted(c for c, n in counts.items() if n >= min_per_class)
        index = {c: i for i, c in enumerate(self.classes)}
        rows = [r for r in rows if r[label_column] in index]
        cols = [c for c in rows[0] if c.startswith("d")]
        self.x = torch.tensor([[float(r[c]) for c in cols] for r in rows])
        self.x = (self.x - self.x.mean(0)) / self.x.std(0)
        self.y = torch.tensor([index[r[label_column]] for r in rows])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class BalancedBatchSampler(Sampler):
    """Yields batches of P classes x K samples."""

    def __init__(self, labels, classes_per_batch, samples_per_class, batches_per_epoch, seed=0):
        self.by_class = defaultdict(list)
        for i, y in enumerate(labels.tolist()):
            self.by_class[y].append(i)
        self.p, self.k = classes_per_batch, samples_per_class
        self.n_batches = batches_per_epoch
        self.rng = random.Random(seed)

    def __len__(self):
        return self.n_batches

    def __iter__(self):
        for _ in range(self.n_batches):
            batch = []
            for c in self.rng.sample(sorted(self.by_class), self.p):
                batch.extend(self.rng.sample(self.by_class[c], self.k))
            yield batch
