import numpy as np


def pure_components(n_bands, n_components, rng):
    grid = np.linspace(0, 1, n_bands)
    comps = []
    for _ in range(n_components):
        centers, widths, heights = rng.uniform(0.1, 0.9, 3), rng.uniform(0.02, 0.06, 3), rng.uniform(0.5, 1.5, 3)
        comps.append(sum(h * np.exp(-0.5 * ((grid - c) / w) ** 2) for c, w, h in zip(centers, widths, heights)))
    return np.stack(comps)


def make_mixtures(n, n_bands=128, n_components=3, noise=0.02, seed=0):
    rng = np.random.default_rng(seed)
    comps = pure_components(n_bands, n_components, np.random.default_rng(99))
    conc = rng.gamma(2.0, 0.4, size=(n, n_components))
    baseline = rng.uniform(-0.1, 0.1, (n, 1)) + rng.uniform(-0.2, 0.2, (n, 1)) * np.linspace(0, 1, n_bands)
    spectra = conc @ comps + baseline + noise * rng.standard_normal((n, n_bands))
    return spectra.astype(np.float32), conc.astype(np.float32)


def epoch_batches(x, y, batch_size, rng):
    order = rng.permutation(len(x))
    for i in range(0, len(x) - batch_size + 1, batch_size):
        idx = order[i : i + batch_size]
        yield x[idx], y[idx]
