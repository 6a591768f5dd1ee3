import numpy as np
from sklearn.datasets import load_digits


def get_digits(test_fraction=0.2, seed=0):
    x = load_digits().data.astype(np.float32) / 16.0
    rng = np.random.default_rng(seed)
    rng.shuffle(x)
    n = int(len(x) * (1 - test_fraction))
    return x[:n], x[n:]


def batches(x, batch_size, rng):
    perm = rng.permutation(len(x))
    for i in range(len(x) // batch_size):
        yield x[perm[i * batch_size:(i + 1) * batch_size]]
