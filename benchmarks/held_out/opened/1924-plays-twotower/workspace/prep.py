#!/usr/bin/env python
# raw log -> arrays for the retrieval model
#   python prep.py data/plays.csv work/
import json
import os
import sys

import numpy as np
import pandas as pd

MIN_ITEM = 6
MIN_USER = 8


def encode(df):
    df["uid"], users = pd.factorize(df["listener"], sort=True)
    df["iid"], items = pd.factorize(df["track"], sort=True)
    return df, users, items


def kcore(df):
    while True:
        n = len(df)
        df = df[df.groupby("track")["listener"].transform("size") >= MIN_ITEM]
        df = df[df.groupby("listener")["track"].transform("size") >= MIN_USER]
        if len(df) == n:
            return df.copy()


def main(src, dst):
    os.makedirs(dst, exist_ok=True)
    df = pd.read_csv(src)
    df = df.drop_duplicates(["listener", "track"], keep="last")
    df, users, items = encode(df)
    df = kcore(df)
    df = df.sort_values(["uid", "when"])

    # last play of every listener is held out
    last = df.groupby("uid").tail(1)
    train = df.drop(last.index)

    np.savez(os.path.join(dst, "plays.npz"),
             train=train[["uid", "iid"]].to_numpy(),
             test=last[["uid", "iid"]].to_numpy(),
             hour=train["hour"].to_numpy())
    meta = {"n_users": int(df["uid"].nunique()), "n_items": int(df["iid"].nunique()),
            "rows": len(train)}
    json.dump(meta, open(os.path.join(dst, "meta.json"), "w"))
    print("prep:", meta, "held out", len(last))


if __name__ == "__main__":
    main(*sys.argv[1:3])
