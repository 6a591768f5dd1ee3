import numpy as np

SPEED = {"circle": 1.0, "shake": 5.0, "tap": 0.0, "swipe": 0.5}


def record(name, window, channels, rng):
    """Fake accelerometer + gyroscope window for one gesture."""
    t = np.linspace(0, 1, window)[:, None]
    phase = np.arange(channels) * np.pi / 3 + rng.uniform(0, 0.6)
    sig = np.sin(2 * np.pi * SPEED[name] * rng.uniform(0.9, 1.1) * t + phase)
    if name == "tap":
        sig = np.exp(-((t - rng.uniform(0.3, 0.7)) ** 2) / 0.002) * np.ones(channels)
    return sig + rng.normal(0, 0.15, (window, channels))


def make_set(cfg, seed):
    rng = np.random.default_rng(seed)
    x, y = [], []
    for label, name in enumerate(cfg["gestures"]):
        for _ in range(cfg["per_gesture"]):
            x.append(record(name, cfg["window"], cfg["channels"], rng))
            y.append(label)
    order = rng.permutation(len(y))
    return np.array(x, dtype="float32")[order], np.array(y)[order]
