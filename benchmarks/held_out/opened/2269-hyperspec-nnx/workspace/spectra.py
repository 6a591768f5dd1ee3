import numpy as np

MINERALS = ("quartz", "calcite", "kaolin")
PEAKS = {"quartz": (12, 40), "calcite": (22, 52), "kaolin": (8, 30)}


def make_spectra(n, bands=64, seed=0):
    """Noisy reflectance spectra with two absorption dips per mineral."""
    rng = np.random.default_rng(seed)
    grid = np.arange(bands)
    labels = rng.integers(0, len(MINERALS), n)
    out = np.empty((n, bands, 1), dtype="float32")
    for k, y in enumerate(labels):
        s = 0.7 + 0.1 * np.sin(grid / 17 + rng.uniform(0, 6))
        for centre in PEAKS[MINERALS[y]]:
            s -= rng.uniform(0.1, 0.3) * np.exp(-((grid - centre - rng.normal(0, 1)) ** 2) / 18)
        out[k, :, 0] = s + rng.normal(0, 0.03, bands)
    return out, labels.astype("int32")


def loader(x, y, batch_size, seed):
    order = np.random.default_rng(seed).permutation(len(x))
    for i in range(0, len(x), batch_size):
        sel = order[i : i + batch_size]
        yield x[sel], y[sel]
