"""Readers for the three exports we get from the shop back-end."""
from pathlib import Path

import pandas as pd


def load_interactions(root):
    df = pd.read_csv(Path(root) / "interactions.csv", parse_dates=["ts"])
    return df.sort_values("ts").reset_index(drop=True)


def load_items(root):
    items = pd.read_csv(Path(root) / "items.csv", dtype={"item_id": str})
    items["price"] = items["price"].fillna(items["price"].median())
    return items


def load_users(root):
    users = pd.read_csv(Path(root) / "users.csv")
    users["country"] = users["country"].fillna("unknown")
    return users
