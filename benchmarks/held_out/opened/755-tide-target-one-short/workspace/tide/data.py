import numpy as np


def load(path):
    raw = np.genfromtxt(path, delimiter=",", skip_header=1)
    level = raw[:, 1].astype(np.float32)
    return (level - level.mean()) / level.std()


def lagged(series, lags):
    """Rows of `lags` past values and the value that follows."""
    n = len(series) - lags
    X = np.stack([series[i:i + lags] for i in range(n)])
    return X, series[lags + 1:]
