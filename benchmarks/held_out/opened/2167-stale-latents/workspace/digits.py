import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from settings import S


def splits():
    bunch = load_digits()
    x = torch.tensor(bunch.data / 16.0, dtype=torch.float32)
    y = torch.tensor(bunch.target)
    idx_tr, idx_te = train_test_split(range(len(x)), test_size=0.25, random_state=S.seed, stratify=bunch.target)
    return {"train": (x[idx_tr], y[idx_tr]), "test": (x[idx_te], y[idx_te])}
