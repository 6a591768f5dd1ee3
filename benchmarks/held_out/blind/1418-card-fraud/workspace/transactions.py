import numpy as np
import pandas as pd


def generate(rows, fraud_share, seed):
    rng = np.random.default_rng(seed)
    fraud = rng.random(rows) < fraud_share
    hour = np.where(fraud, rng.normal(2, 3, rows), rng.normal(14, 4, rows)) % 24
    df = pd.DataFrame({
        "amount": np.exp(rng.normal(3 + 0.8 * fraud, 0.8)),
        "hour": hour,
        "country": rng.choice(["DE", "FR", "US", "BR"], rows),
        "new_device": (rng.random(rows) < np.where(fraud, 0.6, 0.15)).astype(int),
        "fraud": fraud.astype(int),
    })
    return df


def features(df):
    ang = 2 * np.pi * df["hour"] / 24
    x = pd.concat([
        np.log(df["amount"]).rename("log_amount"),
        pd.Series(np.sin(ang), name="h_sin"), pd.Series(np.cos(ang), name="h_cos"),
        df["new_device"],
        pd.get_dummies(df["country"], prefix="c"),
    ], axis=1).astype("float32")
    return (x - x.mean()) / x.std(), df["fraud"].astype("float32")
