"""Random strokes on a small canvas."""
import numpy as np


def make_glyphs(n, size, seed):
    rng = np.random.default_rng(seed)
    out = np.zeros((n, size, size), dtype=np.float32)
    for k in range(n):
        r, c = rng.integers(2, size - 2, size=2)
        if k % 3 == 0:
            out[k, r, :] = 1.0
        elif k % 3 == 1:
            out[k, :, c] = 1.0
        else:
            out[k, r - 2 : r + 3, c - 2 : c + 3] = 1.0
    return out.reshape(n, -1)


def batches(data, batch_size, rng):
    order = rng.permutation(len(data))
    for i in range(0, len(data) - batch_size + 1, batch_size):
        yield data[order[i : i + batch_size]]
