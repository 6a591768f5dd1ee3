import numpy as np
import pandas as pd
import torch


def load_sales(path):
    """Long file (date, store, units) to one column per store, no missing days."""
    df = pd.read_csv(path, parse_dates=["date"])
    wide = df.pivot(index="date", columns="store", values="units").asfreq("D")
    return wide.interpolate(limit_direction="both")


def make_windows(series, n_in, n_out):
    v = np.asarray(series, dtype="float32")
    starts = range(len(v) - n_in - n_out + 1)
    x = np.stack([v[i:i + n_in] for i in starts])
    y = np.stack([v[i + n_in:i + n_in + n_out] for i in starts])
    return torch.from_numpy(x), torch.from_numpy(y)


def smape(y, p):
    return float(200 * ((y - p).abs() / (y.abs() + p.abs())).mean())
