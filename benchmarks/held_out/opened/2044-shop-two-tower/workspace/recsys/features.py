import numpy as np
import pandas as pd


def popularity(interactions, half_life_days=14.0):
    """Exponentially decayed click count per item."""
    age = (interactions["ts"].max() - interactions["ts"]).dt.total_seconds() / 86400.0
    w = np.exp2(-age / half_life_days)
    return w.groupby(interactions["item_id"]).sum().rename("pop").reset_index()


def build_item_table(items, interactions):
    table = items.merge(popularity(interactions), on="item_id", how="left")
    table["pop"] = np.log1p(table["pop"].fillna(0.0))
    table["log_price"] = np.log(table["price"])
    for col in ("pop", "log_price"):
        table[col] = (table[col] - table[col].mean()) / table[col].std()
    table["category_idx"] = table["category"].astype("category").cat.codes.astype("int64")
    table["item_idx"] = np.arange(len(table))
    return table


def build_user_table(users, interactions):
    counts = interactions.groupby("user_id").size().rename("n_clicks").reset_index()
    table = users.merge(counts, on="user_id", how="left")
    table["n_clicks"] = np.log1p(table["n_clicks"].fillna(0))
    table["country_idx"] = table["country"].astype("category").cat.codes.astype("int64")
    table["user_idx"] = np.arange(len(table))
    return table


def index_interactions(interactions, user_table, item_table):
    df = interactions.merge(user_table[["user_id", "user_idx"]], on="user_id")
    df = df.merge(item_table[["item_id", "item_idx"]], on="item_id")
    return df.sort_values("ts").reset_index(drop=True)


def temporal_split(df, holdout=0.15):
    cut = int(len(df) * (1 - holdout))
    return df.iloc[:cut], df.iloc[cut:]
