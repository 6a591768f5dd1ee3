"""Feature preparation shared by training and monthly scoring."""
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def load_customers(path, cfg):
    df = pd.read_csv(path)
    missing = set(cfg["numeric"] + cfg["categorical"]) - set(df.columns)
    if missing:
        raise ValueError(f"{path}: missing columns {sorted(missing)}")
    for col in cfg["categorical"]:
        df[col] = df[col].str.strip().str.lower()
    return df


def build_preprocessor(cfg):
    numeric = Pipeline([
        ("impute", SimpleImputer(strategy="median")),
        ("scale", StandardScaler()),
    ])
    onehot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([
        ("num", numeric, cfg["numeric"]),
        ("cat", onehot, cfg["categorical"]),
    ])


def fit_preprocessor(df, cfg):
    pre = build_preprocessor(cfg)
    pre.fit(df[cfg["numeric"] + cfg["categorical"]])
    return pre


def to_matrix(pre, df, cfg):
    columns = cfg["numeric"] + cfg["categorical"]
    X = pre.fit_transform(df[columns])
    return np.asarray(X, dtype="float32")


def save(pre, path):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    joblib.dump(pre, path)


def load(path):
    return joblib.load(path)
