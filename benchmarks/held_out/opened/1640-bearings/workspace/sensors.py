"""Features of vibration recordings from pump bearings."""
import numpy as np
import pandas as pd

STATES = ["healthy", "inner", "outer"]


def recording(state, rng, n=1024):
    t = np.arange(n) / 1024
    speed = rng.uniform(0.9, 1.1)
    x = np.sin(2 * np.pi * 30 * speed * t) + 0.5 * rng.standard_normal(n)
    if state == "inner":
        x += 0.6 * np.sin(2 * np.pi * 162 * speed * t)
    elif state == "outer":
        x += 0.6 * np.sin(2 * np.pi * 107 * speed * t)
    return x


def describe(x, bands=32):
    power = np.abs(np.fft.rfft(x)) ** 2
    row = {f"band_{i:02d}": np.log(b.mean()) for i, b in enumerate(np.array_split(power, bands))}
    row["rms"] = np.sqrt((x**2).mean())
    row["crest"] = np.abs(x).max() / row["rms"]
    row["kurtosis"] = ((x - x.mean()) ** 4).mean() / x.var() ** 2
    return row


def load(n, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        state = STATES[rng.integers(len(STATES))]
        rows.append({"pump": f"P{i % 25:02d}", "state": state, **describe(recording(state, rng))})
    return pd.DataFrame(rows)
