"""Reversed addition: '37+58' -> '590' (95 written backwards, padded with 0)."""
import numpy as np

PLUS = 10
VOCAB = 11


def encode(n, width, reverse=False):
    s = str(n).zfill(width)
    digits = [int(c) for c in s]
    return digits[::-1] if reverse else digits


def make_split(n, digits, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 10**digits, size=(2, n))
    x = np.array([encode(i, digits) + [PLUS] + encode(j, digits) for i, j in zip(a, b)])
    y = np.array([encode(i + j, digits + 1, reverse=True) for i, j in zip(a, b)])
    return x, y


def epoch_batches(x, y, batch_size, rng):
    order = rng.permutation(len(x))
    for k in range(len(x) // batch_size):
        sel = order[k * batch_size : (k + 1) * batch_size]
        yield x[sel], y[sel]
