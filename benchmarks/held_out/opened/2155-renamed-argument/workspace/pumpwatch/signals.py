import numpy as np
import pandas as pd
import torch


class Standardiser:
    def __init__(self, eps=1e-6):
        self.eps = eps
        self.mean_ = None
        self.scale_ = None

    def fit(self, values):
        self.mean_ = values.mean(axis=0)
        self.scale_ = values.std(axis=0).clip(min=self.eps)
        return self

    def transform(self, values):
        return (values - self.mean_) / self.scale_


def load_table(path, channels):
    table = pd.read_csv(path)
    values = table[channels].to_numpy(dtype=np.float32)
    return values, table["fault"].to_numpy()


def cut(values, width, step):
    """Overlapping windows, shape (n, channels, width)."""
    starts = range(0, len(values) - width + 1, step)
    return torch.from_numpy(np.stack([values[s:s + width].T for s in starts]))


def window_labels(fault, width, step):
    starts = range(0, len(fault) - width + 1, step)
    return np.array([labels[s:s + width].max() for s in starts])
