from dataclasses import dataclass

import pandas as pd
import torch
from torch.utils.data import TensorDataset


@dataclass
class Ratings:
    train: TensorDataset
    valid: TensorDataset
    n_users: int
    n_items: int
    mean: float


def _to_dataset(df):
    return TensorDataset(
        torch.tensor(df["user_id"].to_numpy().copy()),
        torch.tensor(df["item_id"].to_numpy().copy()),
        torch.tensor(df["rating"].to_numpy().copy(), dtype=torch.float32),
    )


def load_ratings(path, valid_frac=0.2):
    """Temporal split: the most recent ratings are held out."""
    df = pd.read_csv(path)
    df = df.sort_values("ts", kind="stable").reset_index(drop=True)
    n_users = int(df["user_id"].max()) + 1
    cut = int(len(df) * (1 - valid_frac))
    train, valid = df.iloc[:cut], df.iloc[cut:]
    n_items = int(train["item_id"].max()) + 1
    mean = float(train["rating"].mean())
    print(f"ratings: {len(train)} train, {len(valid)} valid, {n_users} users, {n_items} items")
    return Ratings(_to_dataset(train), _to_dataset(valid), n_users, n_items, mean)
