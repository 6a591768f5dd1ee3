"""Synthetic feeder load with daily and weekly patterns plus temperature."""
import numpy as np
import pandas as pd


def make_profile(days, step_minutes, seed=0):
    rng = np.random.default_rng(seed)
    idx = pd.date_range("2023-01-01", periods=days * 24 * 60 // step_minutes, freq=f"{step_minutes}min")
    hour = idx.hour + idx.minute / 60
    temp = 12 + 8 * np.sin(2 * np.pi * (hour - 9) / 24) + rng.normal(0, 1.0, len(idx))
    load = (
        50
        + 14 * np.sin(2 * np.pi * (hour - 7) / 24)
        + 6 * np.sin(4 * np.pi * hour / 24)
        - 5 * (idx.dayofweek >= 5)
        + 0.6 * np.maximum(temp - 16, 0)
        + rng.normal(0, 1.5, len(idx))
    )
    return pd.DataFrame({"load": load, "temp": temp, "hour": hour}, index=idx)


def add_features(df):
    out = df[["load", "temp"]].copy()
    out["hour_sin"] = np.sin(2 * np.pi * df["hour"] / 24)
    out["hour_cos"] = np.cos(2 * np.pi * df["hour"] / 24)
    out["weekend"] = (df.index.dayofweek >= 5).astype(float)
    return out
