import numpy as np

CHANNELS = ("pressure", "flow", "temp", "vibration")


def runs(n, length, faulty, seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 4 * np.pi, length)[None, :]
    ph = rng.uniform(0, 2 * np.pi, (n, 1))
    base = np.sin(t + ph)
    x = np.stack([5 + base, 12 + 2 * np.cos(t + ph), 60 + 3 * base ** 2,
                  0.2 + 0.05 * np.abs(base)], axis=-1)
    if faulty:
        at = rng.integers(5, length - 10, n)
        for i, a in enumerate(at):
            x[i, a:a + 8, rng.integers(4)] *= 1.35
    x += rng.normal(0, 1, x.shape) * np.array([0.05, 0.1, 0.2, 0.005])
    return x.astype("float32")
