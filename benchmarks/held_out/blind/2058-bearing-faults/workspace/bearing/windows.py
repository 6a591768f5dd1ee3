import numpy as np
import torch
from torch.utils.data import Dataset


def standardize(sig):
    """Zero mean / unit variance over time, separately for every channel."""
    mu = sig.mean(axis=-1, keepdims=True)
    sd = sig.std(axis=-1, keepdims=True)
    return (sig - mu) / (sd + 1e-6)


def sliding(sig, window, stride):
    """Cut one recording into overlapping windows along time."""
    view = np.lib.stride_tricks.sliding_window_view(sig, window, axis=-1)[:, ::stride]
    return list(np.moveaxis(view, 1, -1).copy())


class WindowDataset(Dataset):
    def __init__(self, recordings, cfg):
        self.classes = {c: i for i, c in enumerate(cfg["classes"])}
        xs, ys = [], []
        for rec, label in recordings:
            sig = np.stack([rec[c] for c in cfg["channels"]], axis=0)
            sig = standardize(sig)
            parts = sliding(sig, cfg["window"], cfg["stride"])
            xs.extend(parts)
            ys.extend([self.classes[label]] * len(parts))
        self.x = torch.from_numpy(np.stack(xs))
        self.y = torch.tensor(ys, dtype=torch.long)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]
