"""Hourly gauge record with met forcing (simulated here)."""
import numpy as np
import pandas as pd


def load_record(hours, seed=17):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    m2 = np.cos(2 * np.pi * t / 12.42)
    s2 = 0.4 * np.cos(2 * np.pi * t / 12.0 + 0.8)
    wind_u = pd.Series(rng.normal(0, 3, hours)).ewm(span=24).mean().to_numpy() * 3
    wind_v = pd.Series(rng.normal(0, 3, hours)).ewm(span=24).mean().to_numpy() * 3
    pressure = 1013 + 8 * np.sin(2 * np.pi * t / 130) + rng.normal(0, 0.5, hours)
    surge = 0.03 * wind_u - 0.01 * (pressure - 1013)
    level = m2 + s2 + surge + rng.normal(0, 0.03, hours)
    ice = np.zeros(hours)
    ice[int(0.8 * hours):int(0.9 * hours)] = 0.35
    return pd.DataFrame(
        {"level": level, "wind_u": wind_u, "wind_v": wind_v, "pressure": pressure, "ice": ice},
        index=pd.date_range("2023-09-20", periods=hours, freq="h"),
    )


class Standardizer:
    def fit(self, frame):
        self.mean = frame.mean()
        self.std = frame.std()
        return self

    def __call__(self, frame):
        return (frame - self.mean) / self.std

    def invert(self, values, column):
        return values * self.std[column] + self.mean[column]


def windows(frame, target, context, horizon):
    values = frame.to_numpy("float32")
    goal = frame[target].to_numpy("float32")
    last = len(frame) - context - horizon + 1
    x = np.stack([values[i:i + context] for i in range(last)])
    y = np.stack([goal[i + context:i + context + horizon] for i in range(last)])
    return x, y
