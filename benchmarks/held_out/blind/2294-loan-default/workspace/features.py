import numpy as np
import pandas as pd

NUMERIC = ["amount", "income", "months", "open_lines"]
CATEGORICAL = ["purpose", "housing"]


def applications(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "amount": rng.gamma(3, 2500, n).round(),
        "income": rng.gamma(4, 9000, n).round(),
        "months": rng.choice([12, 24, 36, 48, 60], n),
        "open_lines": rng.poisson(3, n),
        "purpose": rng.choice(["car", "home", "debt", "education", "boat"], n, p=[0.35, 0.3, 0.25, 0.08, 0.02]),
        "housing": rng.choice(["rent", "own", "mortgage"], n),
    })
    z = 1.5 * df.amount / df.income + 0.2 * df.open_lines + (df.purpose == "debt") - (df.housing == "own") - 1.6
    df["default"] = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    return df


def design_matrix(df):
    """Numeric columns plus indicator columns for the categorical ones."""
    x = df[NUMERIC].copy()
    x["ratio"] = df["amount"] / df["income"]
    dummies = pd.get_dummies(df[CATEGORICAL], dtype=float)
    return pd.concat([x, dummies], axis=1).to_numpy(dtype=float)
