import numpy as np
import pandas as pd


def load_frame(csv_path):
    df = pd.read_csv(csv_path, parse_dates=["timestamp"])
    return df.set_index("timestamp").sort_index()


def add_calendar(df):
    hour = df.index.hour.to_numpy()
    dow = df.index.dayofweek.to_numpy()
    out = df.copy()
    out["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    out["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    out["weekend"] = (dow >= 5).astype(float)
    return out


class Standardizer:
    def fit(self, values):
        self.mean = values.mean(axis=0)
        self.std = values.std(axis=0) + 1e-8
        return self

    def transform(self, values):
        return (values - self.mean) / self.std

    def inverse_column(self, values, j):
        return values * self.std[j] + self.mean[j]
