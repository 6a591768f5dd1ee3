import numpy as np
import pandas as pd


def load_frame(path, seed):
    """One-hot features and 0/1 target (1 = poisonous), in random order."""
    df = pd.read_csv(path)
    y = (df.pop("class") == "p").to_numpy(np.float32)
    df["stalk-root"] = df["stalk-root"].replace("?", "missing")
    df["cap-diam"] = (df["cap-diam"] - df["cap-diam"].mean()) / df["cap-diam"].std()
    df = df.sample(frac=1, random_state=seed).reset_index(drop=True)
    X = pd.get_dummies(df).astype(np.float32)
    return X, y


def split(X, y, frac):
    n = int(len(X) * (1 - frac))
    return (X.iloc[:n].values, y[:n]), (X.iloc[n:].values, y[n:])
