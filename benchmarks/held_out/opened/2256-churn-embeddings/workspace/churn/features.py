"""Turns the customer table into (categorical ids, numeric) tensors."""
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch

CATEGORICAL = ["plan", "region", "channel"]
NUMERIC = ["tenure", "monthly_fee", "tickets"]
TARGET = "churned"


@dataclass
class TableEncoder:
    vocabs: dict = field(default_factory=dict)
    mean: np.ndarray | None = None
    std: np.ndarray | None = None

    def fit(self, df: pd.DataFrame) -> "TableEncoder":
        for col in CATEGORICAL:
            values = sorted(df[col].unique())
            self.vocabs[col] = {v: i for i, v in enumerate(values)}
        num = df[NUMERIC].to_numpy(dtype="float32")
        self.mean, self.std = num.mean(0), num.std(0) + 1e-6
        return self

    @property
    def cardinalities(self) -> list[int]:
        return [len(self.vocabs[c]) for c in CATEGORICAL]

    def _ids(self, df: pd.DataFrame, col: str) -> np.ndarray:
        vocab = self.vocabs[col]
        unknown = len(vocab)
        return np.array([vocab.get(v, unknown) for v in df[col]], dtype="int64")

    def transform(self, df: pd.DataFrame):
        cat = np.stack([self._ids(df, c) for c in CATEGORICAL], axis=1)
        num = (df[NUMERIC].to_numpy(dtype="float32") - self.mean) / self.std
        y = df[TARGET].to_numpy(dtype="float32")
        return torch.from_numpy(cat), torch.from_numpy(num), torch.from_numpy(y)


def time_split(df: pd.DataFrame, cutoff: str):
    """Train on customers that signed up before the cutoff month, test on the rest."""
    return df[df["signup_month"] < cutoff], df[df["signup_month"] >= cutoff]
