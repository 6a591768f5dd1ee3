import numpy as np
import pandas as pd


class Scaler:
    def fit(self, a):
        self.mean = a.mean(axis=0)
        self.std = a.std(axis=0) + 1e-8
        return self

    def transform(self, a):
        return (a - self.mean) / self.std

    def inverse_column(self, a, col):
        return a * self.std[col] + self.mean[col]


def make_windows(table, target_col, history, horizon):
    xs, ys = [], []
    for start in range(len(table) - history - horizon + 1):
        mid = start + history
        xs.append(table[start:mid])
        ys.append(table[mid:mid + horizon, target_col])
    return np.stack(xs), np.stack(ys)


def load_windows(cfg):
    df = pd.read_csv(cfg["csv"], parse_dates=["time"])
    table = df[cfg["inputs"]].to_numpy(np.float32)
    col = cfg["inputs"].index(cfg["target"])
    cut = int(len(table) * 0.8)
    scaler = Scaler().fit(table[:cut])
    table = scaler.transform(table)
    train = make_windows(table[:cut], col, cfg["history"], cfg["horizon"])
    valid = make_windows(table[cut - cfg["history"]:], col, cfg["history"], cfg["horizon"])
    return train, valid, scaler, col


def batches(x, y, size, rng):
    order = rng.permutation(len(x))
    for i in range(0, len(order) - size + 1, size):
        idx = order[i:i + size]
        yield x[idx], y[idx]
