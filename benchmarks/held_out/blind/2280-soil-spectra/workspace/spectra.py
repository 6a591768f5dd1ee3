import numpy as np

TARGETS = ("clay", "organic_carbon")


def simulate(n_samples, n_bands, seed):
    rng = np.random.default_rng(seed)
    wl = np.linspace(400, 2500, n_bands)
    clay = rng.uniform(5, 55, n_samples)
    soc = rng.gamma(2, 0.8, n_samples)
    base = 0.2 + 0.25 * (1 - np.exp(-(wl - 350) / 600))
    spec = base[None] - 0.03 * soc[:, None] * np.exp(-wl / 900)[None]
    spec -= 0.002 * clay[:, None] * np.exp(-((wl - 2200) / 45) ** 2)[None]
    spec += rng.normal(0, 0.003, spec.shape)
    x = (spec - spec.mean(0)) / spec.std(0)
    y = np.stack([(clay - 30) / 15, np.log1p(soc)], 1)
    return x.astype("float32"), y.astype("float32")


def batches(x, y, size, steps, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        i = rng.choice(len(x), size, replace=False)
        yield x[i], y[i]
