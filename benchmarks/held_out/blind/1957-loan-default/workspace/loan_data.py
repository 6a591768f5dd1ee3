import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUM = ["log_income", "debt_ratio", "term_months", "late_payments"]
CAT = ["employment", "housing"]


def add_features(df):
    df["log_income"] = np.log(df["income"].clip(lower=1))
    df["debt_ratio"] = (df["amount"] / df["income"].clip(lower=1)).clip(upper=5)
    df["late_payments"] = df["late_payments"].clip(upper=6)
    return df


def load(path, seed, valid_share):
    """Returns (X_train, y_train), (X_valid, y_valid)."""
    df = pd.read_csv(path).drop(columns="loan_id")
    df = add_features(df)
    # the export is sorted by amount
    y = df.pop("defaulted").to_numpy(dtype="float32")
    df = df.sample(frac=1.0, random_state=seed).reset_index(drop=True)
    n_valid = int(len(df) * valid_share)

    prep = make_column_transformer(
        (StandardScaler(), NUM),
        (OneHotEncoder(drop="if_binary", sparse_output=False), CAT),
    )
    X_train = prep.fit_transform(df.iloc[n_valid:]).astype("float32")
    X_valid = prep.transform(df.iloc[:n_valid]).astype("float32")
    return (X_train, y[n_valid:]), (X_valid, y[:n_valid])
