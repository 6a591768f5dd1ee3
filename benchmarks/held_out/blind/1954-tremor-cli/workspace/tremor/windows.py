import numpy as np
import pandas as pd


def read_station(path, channels):
    df = pd.read_csv(path, parse_dates=["hour"], index_col="hour")
    return df[list(channels)].resample("h").mean().interpolate()


def cut_windows(frame, lookback, lead, target):
    mean, std = frame.mean(), frame.std()
    z = ((frame - mean) / std).to_numpy("float32")
    t = frame.columns.get_loc(target)
    view = np.lib.stride_tricks.sliding_window_view(z, lookback, axis=0)
    n = len(z) - lookback - lead + 1
    x = np.ascontiguousarray(view[:n].transpose(0, 2, 1))
    y = z[lookback + lead - 1:, t]
    stats = {"target_mean": mean[target], "target_std": std[target]}
    return x, y, stats
