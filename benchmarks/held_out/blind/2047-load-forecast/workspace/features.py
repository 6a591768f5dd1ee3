"""Feature engineering for the hourly load series."""
import numpy as np
import pandas as pd

TARGET = "load_mw"


def read_series(path):
    df = pd.read_csv(path, parse_dates=["timestamp"], index_col="timestamp")
    full = pd.date_range(df.index.min(), df.index.max(), freq="h")
    return df.reindex(full)


def fill_gaps(df, max_gap=12):
    """Sensor outages are short, linear interpolation is good enough for them."""
    n_missing = int(df.isna().to_numpy().sum())
    for col in df.columns:
        df[col].interpolate(limit=max_gap, limit_direction="both")
    print(f"fill_gaps: {n_missing} missing readings in {len(df)} rows")
    return df


def add_calendar(df):
    hour = df.index.hour.to_numpy()
    dow = df.index.dayofweek.to_numpy()
    df["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    df["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    df["weekend"] = (dow >= 5).astype(float)
    return df


class Standardizer:
    def fit(self, df):
        self.mean = df.mean()
        self.std = df.std().replace(0.0, 1.0)
        return self

    def transform(self, df):
        return (df - self.mean) / self.std

    def inverse_target(self, y):
        return y * self.std[TARGET] + self.mean[TARGET]
