import numpy as np
import pandas as pd

import settings as S


def read_frame():
    df = pd.read_csv(S.CSV, parse_dates=["ts"]).set_index("ts")
    df = df.asfreq("h")
    df["cnt"] = df["cnt"].interpolate(limit=3).fillna(0)
    df["temp"] = df["temp"].ffill()
    h = df.index.hour
    df["hour_sin"] = np.sin(2 * np.pi * h / 24)
    df["hour_cos"] = np.cos(2 * np.pi * h / 24)
    return df[S.FEATURES]


def normalise(df, n_train):
    mu = df.iloc[:n_train].mean()
    sd = df.iloc[:n_train].std().replace(0, 1)
    return (df - mu) / sd, float(mu[S.TARGET]), float(sd[S.TARGET])


def cut(values, target):
    xs, ys = [], []
    last = len(values) - S.LOOKBACK - S.HORIZON
    for start in range(0, last + 1, S.STEP):
        mid = start + S.LOOKBACK
        xs.append(values[start:mid])
        ys.append(target[mid:mid + S.HORIZON])
    return np.asarray(xs, "float32"), np.asarray(ys, "float32")


def cache_file():
    return S.CACHE / f"win_h{S.HORIZON}_s{S.STEP}.npz"


def get_windows():
    f = cache_file()
    if f.exists():
        print("windows from", f.name)
        z = np.load(f)
        return z["x"].astype("float32"), z["y"].astype("float32"), float(z["mu"]), float(z["sd"])
    df = read_frame()
    scaled, mu, sd = normalise(df, int(len(df) * (1 - S.VAL_PART)))
    x, y = cut(scaled.to_numpy(), scaled[S.TARGET].to_numpy())
    S.CACHE.mkdir(exist_ok=True)
    np.savez_compressed(f, x=x.astype("float16"), y=y.astype("float16"), mu=mu, sd=sd)
    print("windows written to", f.name)
    return x, y, mu, sd
