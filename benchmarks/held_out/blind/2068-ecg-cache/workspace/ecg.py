"""Synthetic single-lead ECG snippets: normal rhythm or early beats."""
import numpy as np

FS = 100


def beat_train(times, n):
    t = np.arange(n) / FS
    x = np.zeros(n)
    for c in times:
        x += np.exp(-((t - c) / 0.02) ** 2) + 0.25 * np.exp(-((t - c - 0.25) / 0.06) ** 2)
    return x


def snippet(rng, ectopic, seconds=6):
    times, now = [], rng.uniform(0, 0.5)
    while now < seconds:
        times.append(now)
        gap = rng.normal(0.8, 0.03)
        if ectopic and rng.random() < 0.4:
            gap *= 0.55
        now += gap
    return beat_train(times, seconds * FS) + 0.05 * rng.standard_normal(seconds * FS)


def make_split(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    x = np.stack([snippet(rng, bool(k)) for k in y])
    return x.astype("float32"), y.astype("float32")
