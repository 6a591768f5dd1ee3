import numpy as np
import torch


def walk(person, n, window, axes, rng):
    prng = np.random.default_rng(1000 + person)
    freq, amp, phase = prng.uniform(1.4, 2.3), prng.uniform(0.3, 1.2, axes), prng.uniform(0, 6, axes)
    t = np.arange(window) / 50
    out = []
    for _ in range(n):
        f = freq + rng.normal(0, 0.03)
        shift = rng.uniform(0, 2 * np.pi)
        out.append(amp[:, None] * np.sin(2 * np.pi * f * t + phase[:, None] + shift) + rng.normal(0, 0.1, (axes, window)))
    return np.stack(out).astype("float32")


def cohort(people, n_each, window, axes, seed):
    rng = np.random.default_rng(seed)
    x = np.concatenate([walk(p, n_each, window, axes, rng) for p in people])
    y = np.repeat(np.arange(len(people)), n_each)
    return torch.from_numpy(x), torch.from_numpy(y)
