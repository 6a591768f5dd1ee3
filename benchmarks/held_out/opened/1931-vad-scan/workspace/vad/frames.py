"""Synthetic log-energy frames with speech-like bursts, labels per frame."""
import numpy as np


def example(rng, frames, n_bands):
    label = np.zeros(frames, dtype=np.int32)
    t = 0
    while t < frames:
        gap, dur = rng.integers(5, 20), rng.integers(8, 25)
        label[t + gap:t + gap + dur] = 1
        t += gap + dur
    floor = rng.normal(0, 0.6, size=n_bands)
    x = floor + 0.8 * rng.standard_normal((frames, n_bands))
    formant = np.exp(-0.5 * ((np.arange(n_bands) - rng.uniform(3, 9)) / 2.0) ** 2)
    x += label[:, None] * formant * rng.uniform(1.0, 2.2)
    # short clicks, not speech
    for c in rng.integers(0, frames, size=3):
        x[c] += rng.uniform(1, 2)
    return x.astype(np.float32), label


def stream(cfg, seed):
    rng = np.random.default_rng(seed)
    while True:
        xs, ys = zip(*(example(rng, cfg.frames, cfg.n_bands) for _ in range(cfg.batch)))
        yield np.stack(xs), np.stack(ys)
