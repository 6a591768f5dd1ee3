import numpy as np


def load_spectra(path, valid_frac=0.25, seed=0):
    with np.load(path) as z:
        x, y = z["spectra"].astype("float32"), z["moisture"].astype("float32")
    # standard normal variate, as the lab does it
    x = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    order = np.random.default_rng(seed).permutation(len(x))
    n_val = int(len(x) * valid_frac)
    va, tr = order[:n_val], order[n_val:]
    mu, sd = y[tr].mean(), y[tr].std()
    y = (y - mu) / sd
    return (x[tr], y[tr]), (x[va], y[va]), float(sd)


def batches(x, y, size, rng):
    idx = rng.permutation(len(x))
    for s in range(0, len(idx) - size + 1, size):
        take = idx[s:s + size]
        yield x[take], y[take]
