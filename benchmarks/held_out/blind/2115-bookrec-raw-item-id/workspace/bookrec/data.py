from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


@dataclass
class Loans:
    train: pd.DataFrame
    test: pd.DataFrame
    n_users: int
    n_items: int


def load_loans(path: str, min_loans: int = 4) -> Loans:
    df = pd.read_csv(path, parse_dates=["loaned_at"])
    counts = df["user_id"].value_counts()
    df = df[df["user_id"].isin(counts[counts >= min_loans].index)].copy()
    df["user_idx"] = df["user_id"].astype("category").cat.codes
    df["item_idx"] = df["book_id"].astype("category").cat.codes
    df = df.sort_values("loaned_at", kind="stable")
    last = df.groupby("user_idx").tail(1).index
    return Loans(
        train=df.drop(last).reset_index(drop=True),
        test=df.loc[last].reset_index(drop=True),
        n_users=df["user_idx"].nunique(),
        n_items=df["item_idx"].nunique(),
    )


class PairDataset(Dataset):
    """(user, loaned book, book the user has not loaned) triples."""

    def __init__(self, frame: pd.DataFrame, n_items: int, seed: int = 0):
        self.users = frame["user_idx"].to_numpy(np.int64)
        self.items = frame["book_id"].to_numpy(np.int64)
        self.n_items = n_items
        self.rng = np.random.default_rng(seed)
        self.seen = frame.groupby("user_idx")["item_idx"].agg(set).to_dict()

    def __len__(self):
        return len(self.users)

    def __getitem__(self, i):
        u = self.users[i]
        neg = self.rng.integers(self.n_items)
        while neg in self.seen[u]:
            neg = self.rng.integers(self.n_items)
        return torch.tensor(u), torch.tensor(self.items[i]), torch.tensor(neg)
