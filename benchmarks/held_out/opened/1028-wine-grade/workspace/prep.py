import numpy as np
import pandas as pd
from keras.utils import to_categorical


def read_table(params):
    df = pd.read_csv(params["csv"])
    df = df.sample(frac=1.0, random_state=3).reset_index(drop=True)
    return df


def lookups(df, columns):
    """value -> code, 0 is for anything new"""
    return {c: {v: i + 1 for i, v in enumerate(sorted(df[c].unique()))} for c in columns}


def to_inputs(df, params, maps, mean, std):
    inputs = {"numeric": ((df[params["numeric"]] - mean) / std).to_numpy("float32")}
    for c in params["categorical"]:
        inputs[f"{c}_code"] = df[c].map(maps[c]).fillna(0).to_numpy("int32")[:, None]
    return inputs


def to_targets(df, params):
    codes = df["grade"].map({g: i for i, g in enumerate(params["grades"])})
    return to_categorical(codes.to_numpy("int64"), len(params["grades"]))


def prepare(params):
    df = read_table(params)
    cut = int(0.8 * len(df))
    train, test = df[:cut], df[cut:]
    mean, std = train[params["numeric"]].mean(), train[params["numeric"]].std()
    maps = lookups(train, params["categorical"])
    sets = []
    for part in (train, test):
        sets.append((to_inputs(part, params, maps, mean, std), to_targets(part, params)))
    return sets[0], sets[1], {c: len(m) + 1 for c, m in maps.items()}
