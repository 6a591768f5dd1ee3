import numpy as np


def hourly_demand(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    demand = 1 + 0.5 * np.sin(2 * np.pi * t / 24) + 0.2 * np.cos(4 * np.pi * t / 24)
    demand += 0.1 * rng.standard_normal(hours)
    return np.stack([demand, t % 24], axis=1).astype("float32")


def windows(series, history, horizon):
    starts = range(len(series) - history - horizon + 1)
    x = np.stack([series[s : s + history] for s in starts])
    y = np.stack([series[s + history : s + history + horizon, 0] for s in starts])
    return x, y
