import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.utils.data import Dataset


class Digits(Dataset):
    """8x8 digits, part in {train, gallery, query}"""
    def __init__(self, part, aug=False, seed=0):
        d = load_digits()
        X = d.images.astype(np.float32) / 16.
        Y = d.target
        idx = np.random.RandomState(seed).permutation(len(X))
        cut = {'train': (0, 900), 'gallery': (900, 1400), 'query': (1400, len(X))}[part]
        idx = idx[cut[0]:cut[1]]
        self.X, self.targets = X[idx], Y[idx]
        self.aug = aug

    def __len__(self): return len(self.X)

    def __getitem__(self, i):
        x = self.X[i]
        if self.aug:
            dy, dx = np.random.randint(-1, 2, 2)
            x = np.roll(x, (dy, dx), (0, 1))
            x = x + np.random.randn(8, 8).astype(np.float32) * .05
        return torch.from_numpy(x)[None], int(self.targets[i])


class PKSampler:
    """P classes x K images per batch"""
    def __init__(self, targets, P, K, n_batches):
        self.by = {c: np.where(targets == c)[0] for c in np.unique(targets)}
        self.P, self.K, self.n = P, K, n_batches

    def __len__(self): return self.n

    def __iter__(self):
        for _ in range(self.n):
            cls = np.random.choice(list(self.by), self.P, replace=False)
            yield [int(i) for c in cls for i in np.random.choice(self.by[c], self.K, replace=False)]
