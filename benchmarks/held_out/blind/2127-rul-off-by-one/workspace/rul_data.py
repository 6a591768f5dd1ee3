import numpy as np
import pandas as pd
import torch
from torch.utils.data import TensorDataset


def make_windows(frame, sensors, window, max_rul):
    xs, ys = [], []
    for _, unit in frame.groupby("unit"):
        values = unit[sensors].to_numpy(np.float32)
        rul = np.minimum(len(unit) - unit["cycle"].to_numpy(), max_rul)
        for end in range(window, len(unit) + 1):
            xs.append(values[end - window:end])
            ys.append(rul[end] / max_rul)
    return TensorDataset(torch.tensor(np.stack(xs)), torch.tensor(np.array(ys), dtype=torch.float32))


def load(cfg):
    frame = pd.read_csv(cfg.csv)
    sensors = list(cfg.sensors)
    is_test = frame["unit"].isin(list(cfg.test_units))
    mean, std = frame.loc[~is_test, sensors].mean(), frame.loc[~is_test, sensors].std()
    frame[sensors] = (frame[sensors] - mean) / std
    return (
        make_windows(frame[~is_test], sensors, cfg.window, cfg.max_rul),
        make_windows(frame[is_test], sensors, cfg.window, cfg.max_rul),
    )
