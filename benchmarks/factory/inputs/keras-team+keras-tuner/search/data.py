import numpy as np

KINDS = ("sine", "square", "saw")


def load_waves(length, count=192, noise=0.2, seed=0):
    """Return (train, validation) pairs of waves (n, length, 1) and the numbers of their kinds."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(len(KINDS), size=count)
    t = np.linspace(0, 2, length)[None, :] + rng.uniform(0, 1, size=(count, 1))
    waves = np.stack([np.sin(2 * np.pi * t), np.sign(np.sin(2 * np.pi * t)), 2 * (t % 1) - 1])
    x = waves[labels, np.arange(count)] + rng.normal(0, noise, (count, length))
    x = x[..., None].astype("float32")
    cut = int(0.75 * count)
    return (x[:cut], labels[:cut]), (x[cut:], labels[cut:])
