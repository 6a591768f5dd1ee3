import hashlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from spectral import log_bands, read_wav

LABELS = ["hum", "beep", "click"]
CACHE = Path("cache")


def cache_key(manifest):
    return hashlib.md5(Path(manifest).read_bytes()).hexdigest()[:10]


def fit_length(feat, frames):
    if len(feat) >= frames:
        return feat[:frames]
    return np.pad(feat, ((0, frames - len(feat)), (0, 0)), constant_values=feat.min())


def build(manifest="manifest.csv", frames=12):
    CACHE.mkdir(exist_ok=True)
    out = CACHE / f"{cache_key(manifest)}_{frames}.npz"
    if out.exists():
        return out
    table = pd.read_csv(manifest)
    table["target"] = table["label"].map({l: i for i, l in enumerate(LABELS)})
    arrays = {}
    for split, part in table.groupby("split"):
        feats, targets = [], []
        for row in part.itertuples():
            f = log_bands(read_wav(Path("audio") / row.file))
            feats.append(fit_length(f, frames))
            targets.append(int(row.target))
        arrays[f"{split}_x"] = np.array(feats)
        arrays[f"{split}_y"] = np.array(targets)
        print(f"{split}: {arrays[f'{split}_x'].shape}")
    np.savez(out, **arrays)
    return out


if __name__ == "__main__":
    print(build(*sys.argv[1:]))
