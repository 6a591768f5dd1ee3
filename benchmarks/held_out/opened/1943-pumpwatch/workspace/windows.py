import numpy as np

CHANNELS = ["current", "vibration", "pressure"]


def read(path):
    with open(path) as f:
        head = f.readline().strip().split(",")
    raw = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.float32)
    values = raw[:, [head.index(c) for c in CHANNELS]]
    normal = raw[:, head.index("state")] == 0
    return values, normal


def cut(values, window, stride):
    """-> (n, channels, window) and the first row of each window"""
    starts = np.arange(0, len(values) - window + 1, stride)
    idx = starts[:, None] + np.arange(window)[None]
    return values[idx].transpose(0, 2, 1).copy(), starts
