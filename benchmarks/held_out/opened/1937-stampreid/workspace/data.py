import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch.utils.data import Dataset


def make_stamps(n_ids=20, per_id=15, size=20, seed=3):
    """Every identity is a random low-frequency pattern; a view shifts and dims it."""
    rng = np.random.default_rng(seed)
    images, ids = [], []
    for ident in range(n_ids):
        coarse = rng.normal(size=(5, 5))
        pattern = np.kron(coarse, np.ones((size // 5, size // 5)))
        for _ in range(per_id):
            view = np.roll(pattern, rng.integers(-2, 3, 2), axis=(0, 1))
            view = view * rng.uniform(0.6, 1.2) + rng.normal(0, 0.4, view.shape)
            images.append(view.astype(np.float32))
            ids.append(ident)
    return np.stack(images), np.array(ids)


class StampSet(Dataset):
    def __init__(self, images, ids):
        self.images = torch.from_numpy(images)[:, None]
        self.ids = torch.from_numpy(ids)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return self.images[i], self.ids[i]


def get_splits(holdout, seed):
    images, ids = make_stamps()
    index = np.arange(len(ids))
    fit, held = train_test_split(index, train_size=holdout, stratify=ids, random_state=seed)
    return StampSet(images[fit], ids[fit]), StampSet(images[held], ids[held])
