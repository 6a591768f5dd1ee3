import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, TensorDataset


class Featurizer:
    """Standardises numbers and turns categories into integer codes."""

    def __init__(self, numeric, categorical):
        self.numeric = numeric
        self.categorical = categorical
        self.mean = None
        self.std = None
        self.levels = {}

    def fit(self, df):
        self.mean = df[self.numeric].mean()
        self.std = df[self.numeric].std() + 1e-6
        for col in self.categorical:
            self.levels[col] = sorted(df[col].unique())
        return self

    def cardinalities(self):
        return [len(self.levels[c]) for c in self.categorical]

    def transform(self, df):
        num = ((df[self.numeric] - self.mean) / self.std).to_numpy(np.float32)
        codes = [df[c].map({v: i for i, v in enumerate(self.levels[c])}) for c in self.categorical]
        cat = np.stack([c.to_numpy(np.int64) for c in codes], axis=1)
        return num, cat


def load_frame(cfg):
    df = pd.read_csv(cfg.csv)
    df = df.sample(frac=1.0, random_state=0).reset_index(drop=True)
    return df


def split(df, frac=0.8):
    cut = int(len(df) * frac)
    return df.iloc[:cut], df.iloc[cut:]


def make_loader(df, feats, cfg, shuffle):
    num, cat = feats.transform(df)
    y = df[cfg.target].to_numpy(np.float32)
    ds = TensorDataset(torch.from_numpy(num), torch.from_numpy(cat), torch.from_numpy(y))
    return DataLoader(ds, batch_size=cfg.batch_size, shuffle=shuffle)
