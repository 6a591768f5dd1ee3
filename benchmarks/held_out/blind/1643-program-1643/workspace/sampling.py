import numpy as np
import torch
from torch.utils.data import Dataset


class PairDataset(Dataset):
    """Positive pairs plus freshly drawn negatives for one epoch."""

    def __init__(self, table, negatives, seed):
        self.table = table
        self.negatives = negatives
        self.rng = np.random.default_rng(seed)
        self.resample()

    def resample(self):
        pos = self.table.train[["uid", "iid"]].to_numpy()
        users, items, labels = [], [], []
        for u, i in pos:
            users.append(u); items.append(i); labels.append(1.0)
            for _ in range(self.negatives):
                j = self.rng.integers(self.table.n_items)
                while j in self.table.seen[u]:
                    j = self.rng.integers(self.table.n_items)
                users.append(u); items.append(j); labels.append(0.0)
        self.users = torch.tensor(np.array(users))
        self.items = torch.tensor(np.array(items))
        self.labels = torch.tensor(labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, k):
        return self.users[k], self.items[k], self.labels[k]
