import numpy as np


def firing(rng, points=64, faulty=False):
    t = np.linspace(0, 1, points)
    top = rng.uniform(0.9, 1.1)
    rise = rng.uniform(7, 10)
    up = top / (1 + np.exp(-rise * (t - 0.3) * 1.6))
    curve = np.where(t > 0.7, up * np.exp(-(t - 0.7) * rng.uniform(3, 4)), up)
    if faulty:
        a = rng.integers(10, points - 16)
        curve[a:a + 12] -= rng.uniform(0.2, 0.4)
    return curve + rng.normal(0, 0.01, points)


def batch_of_curves(n, seed, fault_rate=0.0):
    rng = np.random.default_rng(seed)
    bad = rng.random(n) < fault_rate
    x = np.stack([firing(rng, faulty=b) for b in bad]).astype("float32")
    return x[..., None], bad
