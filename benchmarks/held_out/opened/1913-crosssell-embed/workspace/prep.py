import numpy as np
import pandas as pd


class CatEncoder:
    """string -> integer id per column; 0 is kept for missing / rare / never seen"""

    def __init__(self, cols, rare_below=0):
        self.cols = cols
        self.rare_below = rare_below
        self.maps = {}

    def fit(self, df):
        for c in self.cols:
            vc = df[c].value_counts()
            keep = sorted(vc[vc >= self.rare_below].index)
            self.maps[c] = {v: i for i, v in enumerate(keep, start=1)}
        return self

    def transform(self, df):
        out = {}
        for c in self.cols:
            out[c] = df[c].map(self.maps[c]).fillna(0).astype("int32").to_numpy()
        return out

    def sizes(self):
        return {c: len(m) for c, m in self.maps.items()}


class NumScaler:
    def __init__(self, cols):
        self.cols = cols

    def fit(self, df):
        x = df[self.cols]
        self.med = x.median()
        self.mean, self.std = x.mean(), x.std() + 1e-6
        return self

    def transform(self, df):
        x = (df[self.cols].fillna(self.med) - self.mean) / self.std
        return x.to_numpy("float32")


def load(cfg):
    df = pd.read_csv(cfg["data"])
    df["Annual_Premium"] = np.log1p(df["Annual_Premium"])
    y = df.pop(cfg["target"]).to_numpy("float32")
    return df, y
