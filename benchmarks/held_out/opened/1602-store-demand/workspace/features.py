"""Model inputs from the sales table and the store master data."""
import numpy as np
import pandas as pd

LAGS = (1, 7, 14)
CATEGORICAL = ["region", "format"]


def load_stores(path):
    return pd.read_csv(path, parse_dates=["opened"])


def add_history(sales):
    """Lagged sales per store; days without a full history are dropped."""
    out = sales.copy()
    grouped = out.groupby("store_id")["units"]
    for lag in LAGS:
        out[f"lag_{lag}"] = grouped.shift(lag)
    out["roll_7"] = grouped.transform(lambda s: s.shift(1).rolling(7).mean())
    return out.dropna().reset_index(drop=True)


def build_features(history, stores):
    df = history.merge(stores, on="store_id")
    df["age_years"] = (df["date"] - df["opened"]).dt.days / 365.25
    df["weekday"] = df["date"].dt.dayofweek
    angle = 2 * np.pi * df["date"].dt.dayofyear / 365.25
    df["year_sin"], df["year_cos"] = np.sin(angle), np.cos(angle)
    df = pd.get_dummies(df, columns=CATEGORICAL + ["weekday"], dtype=float)
    return df.drop(columns=["date", "store_id", "units", "opened"])
