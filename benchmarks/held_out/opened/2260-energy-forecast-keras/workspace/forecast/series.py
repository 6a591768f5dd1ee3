import numpy as np
import pandas as pd


def simulate(hours, seed):
    """Hourly load of a small grid that follows the weather and the time of day."""
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    hour = 2 * np.pi * (t % 24) / 24
    temperature = 12 + 6 * np.sin(hour - 2) + np.cumsum(rng.normal(0, 0.15, hours))
    wind = np.abs(rng.normal(5, 2, hours))
    load = 320 + 60 * np.sin(hour - 1) - 4 * temperature + rng.normal(0, 6, hours)
    return pd.DataFrame(
        {
            "load": load,
            "temperature": temperature,
            "wind": wind,
            "hour_sin": np.sin(hour),
            "hour_cos": np.cos(hour),
        },
        index=pd.date_range("2023-01-01", periods=hours, freq="h"),
    )


def windows(x, y, window, horizon):
    xs, ys = [], []
    for start in range(len(x) - window - horizon + 1):
        xs.append(x[start : start + window])
        ys.append(y[start + window : start + window + horizon, 0])
    return np.asarray(xs, dtype="float32"), np.asarray(ys, dtype="float32")
