"""Squares, crosses and bars on a noisy background."""
import numpy as np


def draw(kind, size, rng):
    img = rng.normal(0, 0.1, (size, size, 1)).astype(np.float32)
    r, c = rng.integers(2, size - 6, 2)
    if kind == 0:
        img[r:r + 4, c:c + 4] += 1
    elif kind == 1:
        img[r + 2, c:c + 5] += 1
        img[r:r + 5, c + 2] += 1
    else:
        img[r, c:c + 5] += 1
    return img


def make_split(n, size, num_classes, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, num_classes, n)
    images = np.stack([draw(k, size, rng) for k in labels])
    return {"image": images, "label": labels.astype(np.int32)}


def batches(split, batch_size, rng=None):
    n = len(split["label"])
    order = np.arange(n) if rng is None else rng.permutation(n)
    for i in range(0, n - batch_size + 1, batch_size):
        idx = order[i:i + batch_size]
        yield {k: v[idx] for k, v in split.items()}
