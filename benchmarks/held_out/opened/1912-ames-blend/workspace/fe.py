"""Feature engineering for the (mini) house price competition."""
import numpy as np
import pandas as pd

NONE_COLS = ["GarageType", "Fence", "BsmtQual"]
QUAL = {"Po": 1, "Fa": 2, "TA": 3, "Gd": 4, "Ex": 5}


def fill_missing(df):
    df = df.copy()
    for c in NONE_COLS:
        df[c] = df[c].fillna("None")
    # frontage depends on the street -> use the median of the neighborhood
    df["LotFrontage"] = df.groupby("Neighborhood")["LotFrontage"].transform(
        lambda s: s.fillna(s.median())
    )
    df["LotFrontage"] = df["LotFrontage"].fillna(df["LotFrontage"].median())
    df["GarageArea"] = df["GarageArea"].fillna(0)
    return df


def add_features(df):
    df = df.copy()
    df["TotalSF"] = df["GrLivArea"] + df["TotalBsmtSF"]
    df["HouseAge"] = df["YrSold"] - df["YearBuilt"]
    df["IsNew"] = (df["HouseAge"] <= 1).astype(int)
    df["BsmtQual"] = df["BsmtQual"].map(QUAL).fillna(0).astype(int)
    df["KitchenQual"] = df["KitchenQual"].map(QUAL).astype(int)
    df["LogLot"] = np.log1p(df["LotArea"])
    return df.drop(columns=["LotArea", "YearBuilt"])


def encode(df):
    cats = df.select_dtypes(exclude="number").columns
    return pd.get_dummies(df, columns=list(cats), dtype=int)


def prepare(train, test):
    """-> X_train, y (log), X_test with identical columns"""
    y = np.log1p(train["SalePrice"])
    tr = train.drop(columns=["Id", "SalePrice"])
    te = test.drop(columns=["Id"])
    tr, te = (encode(add_features(fill_missing(d))) for d in (tr, te))
    te = te.reindex(columns=tr.columns)
    return tr, y, te
