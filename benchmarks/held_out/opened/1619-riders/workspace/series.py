import numpy as np
import pandas as pd


def read_counts(path):
    df = pd.read_csv(path, parse_dates=["hour"]).set_index("hour").sort_index()
    return df.asfreq("h").interpolate(limit=3)


def calendar(index):
    hour, dow = index.hour, index.dayofweek
    return np.column_stack([
        np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24),
        (dow >= 5).astype(float),
    ])


def lagged(values, index, n_lags, ahead):
    """Rows of the last n_lags values plus calendar columns of the target hour."""
    last = len(values) - ahead
    x = np.stack([values[t - n_lags:t] for t in range(n_lags, last + 1)])
    y = values[np.arange(n_lags, last + 1) + ahead - 1]
    when = index[np.arange(n_lags, last + 1) + ahead - 1]
    return np.hstack([x, calendar(when)]), y


def mase(y_true, y_pred, y_train, season=24):
    scale = np.abs(y_train[season:] - y_train[:-season]).mean()
    return float(np.abs(y_true - y_pred).mean() / scale)
