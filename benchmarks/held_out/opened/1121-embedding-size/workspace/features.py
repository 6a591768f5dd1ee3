from __future__ import annotations

import numpy as np
import pandas as pd
import tensorflow as tf


def read_frames(cfg: dict) -> tuple[pd.DataFrame, pd.DataFrame]:
    df = pd.read_csv(cfg["csv"], parse_dates=["date"])
    cut = pd.Timestamp(cfg["valid_from"])
    train, valid = df[df["date"] < cut], df[df["date"] >= cut]
    if train.empty or valid.empty:
        raise SystemExit(f"split at {cut:%Y-%m-%d} leaves an empty part")
    return train.reset_index(drop=True), valid.reset_index(drop=True)


def to_dataset(df: pd.DataFrame, cfg: dict, training: bool) -> tf.data.Dataset:
    feats = cfg["features"]
    columns = {}
    for name in feats["numeric"]:
        columns[name] = df[name].to_numpy(np.float32)[:, None]
    for name in feats["categorical"]:
        columns[name] = df[name].to_numpy(np.int32)[:, None]
    y = df[cfg["data"]["target"]].to_numpy(np.float32)
    if cfg["train"]["log_target"]:
        y = np.log1p(y)
    ds = tf.data.Dataset.from_tensor_slices((columns, y))
    if training:
        ds = ds.shuffle(cfg["data"]["shuffle_buffer"], seed=cfg["seed"])
    return ds.batch(cfg["data"]["batch_size"]).prefetch(tf.data.AUTOTUNE)
