import numpy as np

SPECIES = ["chiffchaff", "wren", "dunnock", "robin"]


def sing(rng, species, audio):
    sr = audio["sample_rate"]
    n = int(sr * audio["seconds"])
    t = np.arange(n) / sr
    base = 900 + 450 * species + rng.normal(0, 40)
    rate = [3, 9, 5, 14][species]
    sweep = base + 200 * np.sin(2 * np.pi * rate * t + rng.uniform(0, 6))
    phase = 2 * np.pi * np.cumsum(sweep) / sr
    gate = (np.sin(2 * np.pi * rate / 2 * t) > -0.3).astype(float)
    return (gate * np.sin(phase) + 0.1 * rng.normal(size=n)).astype(np.float32)


def make_clips(n, seed, audio):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(SPECIES), n)
    return [sing(rng, s, audio) for s in labels], labels
