import numpy as np
import torch

from . import CROPS


def class_frequencies(labels):
    counts = np.bincount(labels, minlength=len(CROPS))
    return counts / counts.sum()


def class_weights(labels, power=0.5):
    """Inverse frequency to some power, scaled to mean 1."""
    freq = class_frequencies(labels)
    w = (1.0 / np.maximum(freq, 1e-3)) ** power
    return torch.from_numpy(w / w.mean())


def confusion(pred, true):
    k = len(CROPS)
    return torch.bincount(true * k + pred, minlength=k * k).view(k, k)


def report(matrix):
    recall = matrix.diag() / matrix.sum(1).clamp(min=1)
    precision = matrix.diag() / matrix.sum(0).clamp(min=1)
    for c, p, r in zip(CROPS, precision, recall):
        print(f"    {c:8s} precision {p:.2f} recall {r:.2f}")
