import json
from pathlib import Path

import numpy as np
import pandas as pd

from .features import extract, windows


def read_imu(path):
    return pd.read_csv(path)[["ax", "ay", "az"]].to_numpy()


def build_table(manifest, size, fs, spectral):
    root = Path(manifest).parent
    X, y, groups = [], [], []
    for rec in json.loads(Path(manifest).read_text()):
        signal = read_imu(root / rec["file"])
        for w in windows(signal, size):
            X.append(extract(w, fs, spectral))
            y.append(rec["activity"])
            groups.append(rec["subject"])
    return np.array(X), np.array(y), np.array(groups)
