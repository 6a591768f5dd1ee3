import numpy as np
import pandas as pd


def read_frame(path):
    df = pd.read_csv(path, parse_dates=["timestamp"]).set_index("timestamp").sort_index()
    df["temp_c"] = df["temp_c"].ffill()
    hour = df.index.hour.to_numpy()
    df["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    df["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    return df


def split_frame(df, val_from, test_from):
    train = df[df.index < val_from]
    val = df[(df.index >= val_from) & (df.index < test_from)]
    test = df[df.index >= test_from]
    return train, val, test


class Scaler:
    def fit(self, df):
        self.mean = df.mean()
        self.std = df.std().replace(0, 1.0)
        return self

    def apply(self, df):
        return (df - self.mean) / self.std

    def invert(self, values, column):
        return values * self.std[column] + self.mean[column]
