import numpy as np

PEAKS = {
    "quartz": [464, 206, 128],
    "calcite": [1086, 712, 281],
    "gypsum": [1008, 1135, 414],
    "albite": [507, 479, 290],
}
MINERALS = sorted(PEAKS)


def synthesise(n_per_mineral, n_points=128, seed=0):
    rng = np.random.default_rng(seed)
    shift = np.linspace(100, 1200, n_points)
    spectra, labels = [], []
    for label, name in enumerate(MINERALS):
        for _ in range(n_per_mineral):
            s = rng.normal(0, 0.05, n_points) + rng.uniform(0, 0.4) * np.exp(-shift / 500)
            for k, centre in enumerate(PEAKS[name]):
                c = centre + rng.normal(0, 3)
                s += rng.uniform(0.3, 1.0) / (k + 1) * 1 / (1 + ((shift - c) / 9) ** 2)
            spectra.append(s)
            labels.append(label)
    order = rng.permutation(len(labels))
    return np.asarray(spectra, np.float32)[order], np.asarray(labels, np.int32)[order]
