import os

import numpy as np

from ecg import FS, make_split

CACHE_DIR = "cache"
SIZES = {"train": (160, 0), "val": (60, 1)}


def band_energies(x, n_bands, frame=100, hop=50):
    """Log energy of n_bands equal bands for every frame -> (n, frames, n_bands)."""
    starts = range(0, x.shape[1] - frame + 1, hop)
    out = []
    for s in starts:
        spec = np.abs(np.fft.rfft(x[:, s:s + frame] * np.hanning(frame), axis=1)) ** 2
        bands = np.array_split(spec[:, 1:], n_bands, axis=1)
        out.append(np.stack([np.log(b.sum(1) + 1e-4) for b in bands], axis=1))
    return np.stack(out, axis=1).astype("float32")


def cache_path(split, n_bands):
    return os.path.join(CACHE_DIR, f"{split}_fs{FS}.npz")


def load_features(split, n_bands):
    path = cache_path(split, n_bands)
    if os.path.exists(path):
        with np.load(path) as z:
            print(f"{split}: features from {path}")
            return z["x"], z["y"]
    wave, y = make_split(*SIZES[split])
    x = band_energies(wave, n_bands)
    os.makedirs(CACHE_DIR, exist_ok=True)
    np.savez_compressed(path, x=x, y=y)
    print(f"{split}: computed {x.shape}, saved to {path}")
    return x, y
