import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.preprocessing import StandardScaler


def read_log(cfg):
    df = pd.read_csv(cfg["log"], parse_dates=["timestamp"])
    df = df.sort_values("timestamp").reset_index(drop=True)
    return df.iloc[: cfg["train_rows"]], df.iloc[cfg["train_rows"] :]


def standardize(train, test, columns):
    scaler = StandardScaler()
    scaler.fit(train[columns])
    return scaler.transform(train[columns]), scaler.transform(test[columns])


def make_windows(values, length):
    """(rows, features) -> (windows, length, features)"""
    view = sliding_window_view(values, length, axis=0)
    return np.ascontiguousarray(view.transpose(0, 2, 1), dtype=np.float32)


def window_labels(flags, length):
    """A window counts as faulty when any of its rows does."""
    flags = np.asarray(flags)
    return np.array([flags[i : i + length].max() for i in range(len(flags) - length + 1)])


def prepare(cfg):
    train_df, test_df = read_log(cfg)
    train, test = standardize(train_df, test_df, cfg["features"])
    x_train = make_windows(train, cfg["window"])
    x_test = make_windows(test, cfg["window"])
    y_test = window_labels(test_df[cfg["label"]], cfg["window"])
    return x_train, x_test, y_test
