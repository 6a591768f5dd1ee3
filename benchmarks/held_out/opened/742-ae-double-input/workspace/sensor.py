import numpy as np


def read_sensor(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    values = table[:, 1]
    lo, hi = values.min(), values.max()
    return (values - lo) / (hi - lo)


def cut_windows(values, size, stride=4):
    starts = range(0, len(values) - size + 1, stride)
    return np.stack([values[s:s + size] for s in starts])
