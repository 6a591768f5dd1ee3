from dataclasses import dataclass

import pandas as pd
import torch
from torch.utils.data import TensorDataset


@dataclass
class Ratings:
    train: TensorDataset
    test: TensorDataset
    n_users: int
    n_movies: int
    mean: float


def to_tensors(df):
    return TensorDataset(
        torch.tensor(df["user_id"].to_numpy(copy=True)),
        torch.tensor(df["movie_id"].to_numpy(copy=True)),
        torch.tensor(df["rating"].to_numpy(copy=True), dtype=torch.float32),
    )


def load_ratings(path, holdout):
    df = pd.read_csv(path)
    df = df.sort_values("timestamp", kind="stable").reset_index(drop=True)
    cut = int(len(df) * (1 - holdout))
    train, test = df.iloc[:cut], df.iloc[cut:]
    return Ratings(
        train=to_tensors(train),
        test=to_tensors(test),
        n_users=int(df["user_id"].max()) + 1,
        n_movies=int(df["movie_id"].max()) + 1,
        mean=float(train["rating"].mean()),
    )
