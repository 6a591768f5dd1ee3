import pandas as pd
import torch
from torch.utils.data import TensorDataset


def _index(values):
    return {v: i for i, v in enumerate(sorted(set(values)))}


def load_ratings(path):
    """Reads the ratings and gives (frame with u/i columns, user index, movie index)."""
    df = pd.read_csv(path).sort_values("ts")
    users = _index(df["user"])
    movies = _index(df["movie"])
    df["u"] = df["user"].map(users)
    df["i"] = df["movie"].map(movies)
    return df, users, movies


def leave_last_out(df):
    """Last rating of every user goes to the test part."""
    last = df.groupby("user").tail(1).index
    return df.drop(last), df.loc[last]


def to_tensors(df):
    return TensorDataset(
        torch.tensor(df["u"].to_numpy()),
        torch.tensor(df["i"].to_numpy()),
        torch.tensor(df["rating"].to_numpy(), dtype=torch.float32),
    )
