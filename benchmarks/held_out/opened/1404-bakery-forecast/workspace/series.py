import numpy as np
import pandas as pd
import torch


def load(cfg):
    df = pd.read_csv(cfg["csv"], parse_dates=["date"])
    df = df.sort_values(["store", "date"])
    prods = cfg["products"]
    # counts are skewed and differ by product: work in log space
    df[prods] = np.log(df[prods])
    cut = df["date"].max() - pd.Timedelta(days=cfg["holdout_days"])
    stats = df.loc[df["date"] <= cut, prods].agg(["mean", "std"])
    df[prods] = (df[prods] - stats.loc["mean"]) / stats.loc["std"]
    dow = df["date"].dt.dayofweek
    df["dow_sin"] = np.sin(2 * np.pi * dow / 7)
    df["dow_cos"] = np.cos(2 * np.pi * dow / 7)
    return df, cut, stats


def windows(df, cfg, keep):
    prods, H, T = cfg["products"], cfg["horizon"], cfg["history"]
    feats = prods + ["dow_sin", "dow_cos"]
    xs, ys = [], []
    for _, g in df.groupby("store"):
        x = g[feats].to_numpy(np.float32)
        y = g[prods].to_numpy(np.float32)
        dates = g["date"].to_numpy()
        for t in range(T, len(g) - H + 1):
            if keep(dates[t]):
                xs.append(x[t - T:t])
                ys.append(y[t:t + H])
    return torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(ys))
