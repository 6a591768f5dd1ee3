from pathlib import Path

import numpy as np
import pandas as pd

INPUTS = ["no2", "temp", "wind", "rh"]


def read_station(path):
    df = pd.read_csv(path, parse_dates=["time"]).set_index("time")
    df["temp"] = df["temp"].ffill().bfill()
    hour = df.index.hour.to_numpy()
    df["h_sin"] = np.sin(2 * np.pi * hour / 24)
    df["h_cos"] = np.cos(2 * np.pi * hour / 24)
    return df


def read_all(folder):
    tables = {p.stem: read_station(p) for p in sorted(Path(folder).glob("*.csv"))}
    if not tables:
        raise SystemExit(f"no station files in {folder}")
    return tables


def to_windows(df, history, ahead):
    """Hourly windows as one array (n, history, features) and the NO2 to predict."""
    arr = df.to_numpy()
    n = len(arr) - history - ahead + 1
    x = np.stack([arr[i:i + history] for i in range(n)])
    y = arr[history + ahead - 1:, 0]
    return x, y
