import numpy as np
import pandas as pd


def add_ratios(df):
    df = df.copy()
    df["charge_per_ticket"] = df["monthly_charge"] / (1 + df["tickets_90d"])
    df["long_customer"] = (df["tenure"] >= 24).astype(int)
    return df


def design_matrix(df, settings):
    """Numeric columns + one 0/1 column per category level."""
    df = add_ratios(df)
    num = df[settings["numeric"] + ["charge_per_ticket", "long_customer"]]
    cats = pd.DataFrame(index=df.index)
    for col, levels in settings["categorical"].items():
        cats[col] = pd.Categorical(df[col].str.strip().str.lower(), categories=levels)
    dummies = pd.get_dummies(cats, dtype=int)
    return pd.concat([num, dummies], axis=1)


def target_vector(df, settings):
    d = settings["data"]
    return (df[d["target"]] == d["positive"]).astype(int).to_numpy()
