import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


def loaders(batch_size, seed):
    digits = load_digits()
    images = (digits.data / 16).astype(np.float32)
    labels = digits.target.astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(images))
    cut = int(0.8 * len(order))
    parts = []
    for rows, shuffle in ((order[:cut], True), (order[cut:], False)):
        data = TensorDataset(torch.from_numpy(images[rows]), torch.from_numpy(labels[rows]))
        parts.append(DataLoader(data, batch_size=batch_size, shuffle=shuffle))
    return parts
