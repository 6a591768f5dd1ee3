import numpy as np
from sklearn.datasets import load_digits


def get_datasets(seed=0):
    """8x8 digits, NHWC float32 in [0, 1], integer labels."""
    digits = load_digits()
    images = digits.images.astype(np.float32)[..., None] / 16.0
    labels = digits.target.astype(np.int32)
    order = np.random.default_rng(seed).permutation(len(images))
    images, labels = images[order], labels[order]
    n_train = 1280
    train = {"image": images[:n_train], "label": labels[:n_train]}
    test = {"image": images[n_train:], "label": labels[n_train:]}
    return train, test


def batches(ds, batch_size, rng=None):
    n = len(ds["image"])
    idx = np.arange(n) if rng is None else rng.permutation(n)
    for i in range(0, n - batch_size + 1, batch_size):
        sel = idx[i:i + batch_size]
        yield {k: v[sel] for k, v in ds.items()}
