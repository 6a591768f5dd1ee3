import numpy as np
from sklearn.datasets import load_digits


def load(test_share=0.2, seed=0):
    x = load_digits().data.astype(np.float32) / 16.0
    order = np.random.default_rng(seed).permutation(len(x))
    n_test = int(test_share * len(x))
    return x[order[n_test:]], x[order[:n_test]]


def batches(x, size, rng):
    order = rng.permutation(len(x))
    for i in range(0, len(x) - size + 1, size):
        yield x[order[i:i + size]]
