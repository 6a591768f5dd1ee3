"""Field recordings of different length, one species each."""
import numpy as np


def recording(kind, rate, rng):
    seconds = rng.uniform(2.0, 4.0)
    n = int(seconds * rate)
    t = np.arange(n) / rate
    base = [300, 420, 550, 700][kind]
    trill = [12, 5, 8, 3][kind]
    f = base + 60 * np.sin(2 * np.pi * trill * t)
    x = np.sin(2 * np.pi * np.cumsum(f) / rate) * (0.5 + 0.5 * np.sin(2 * np.pi * 2 * t))
    return (x + 0.3 * rng.standard_normal(n)).astype("float32")


def campaign(params, seed):
    rng = np.random.default_rng(seed)
    for kind in range(len(params["species"])):
        for _ in range(params["recordings_per_species"]):
            yield recording(kind, params["sample_rate"], rng), kind
