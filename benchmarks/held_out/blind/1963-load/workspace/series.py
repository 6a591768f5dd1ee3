"""Loading and windowing of the hourly load table."""
import jax.numpy as jnp
import numpy as np
import pandas as pd


def read_table(cfg):
    df = pd.read_csv(cfg["csv"], parse_dates=["timestamp"])
    hour = df.timestamp.dt.hour
    df["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    df["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    df["weekend"] = (df.timestamp.dt.dayofweek >= 5).astype(float)
    return df[[cfg["target"], *cfg["covariates"]]].to_numpy(np.float32)


def split_points(n, cfg):
    a = int(n * cfg["train_frac"])
    b = int(n * (cfg["train_frac"] + cfg["valid_frac"]))
    return a, b


def fit_scaler(rows):
    rows = jnp.asarray(rows)
    return {"loc": rows.mean(0), "scale": rows.std(0)}


def transform(scaler, rows):
    return (jnp.asarray(rows) - scaler["loc"]) / scaler["scale"]


def windows(rows, history, horizon, stride=1):
    """(N, history, F) inputs and (N, horizon) targets; column 0 is the target."""
    rows = np.asarray(rows)
    starts = range(0, len(rows) - history - horizon + 1, stride)
    x = np.stack([rows[s : s + history] for s in starts])
    y = np.stack([rows[s + history : s + history + horizon, 0] for s in starts])
    return x, y


def batches(rng, x, y, size):
    while True:
        order = rng.permutation(len(x))
        for i in range(0, len(x) - size + 1, size):
            take = order[i : i + size]
            yield x[take], y[take]
