# -*- coding: utf-8 -*-
# Predict the daily sales of the next two weeks for each shop
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

SALES = "data/sales.csv"
STORES = "data/stores.csv"
HORIZON = 14


def read_data():
    sales = pd.read_csv(SALES, dtype={"store": str})
    sales["date"] = pd.to_datetime(sales["date"], format="%d/%m/%Y")
    stores = pd.read_csv(STORES, dtype={"store": str})
    stores["type"] = stores["type"].astype("category").cat.codes
    stores["city"] = stores["city"].astype("category").cat.codes
    return sales, stores


def clip_outliers(df, col, q=0.99):
    limit = df[col].quantile(q)
    df[col] = df[col].clip(lower=0, upper=limit)
    return df


def build_features(sales, stores):
    df = sales.merge(stores, on="store", how="left")
    df = df.sort_values(["store", "date"])
    df["dow"] = df["date"].dt.dayofweek
    df["month"] = df["date"].dt.month
    df["weekend"] = (df["dow"] >= 5).astype(int)
    g = df.groupby("store")["sales"]
    for lag in (14, 21, 28):
        df[f"lag_{lag}"] = g.shift(lag)
    df["mean_28"] = g.transform(lambda s: s.shift(HORIZON).rolling(28, min_periods=7).mean())
    return df.dropna()


def rmspe(y, p):
    ok = y > 0
    return np.sqrt(np.mean(((y[ok] - p[ok]) / y[ok]) ** 2))


sales, stores = read_data()
print(f"{len(sales)} rows, {sales['store'].nunique()} stores, {sales['date'].min():%Y-%m-%d} to {sales['date'].max():%Y-%m-%d}")
sales = clip_outliers(sales, "sales")
table = build_features(sales, stores)

last = table["date"].max()
train = table[table["date"] <= last - pd.Timedelta(days=HORIZON)]
valid = table[table["date"] > last - pd.Timedelta(days=HORIZON)]
feats = [c for c in table.columns if c not in ("date", "store", "sales")]

model = HistGradientBoostingRegressor(max_iter=80, learning_rate=0.1, random_state=0)
model.fit(train[feats], np.log1p(train["sales"]))
pred = np.expm1(model.predict(valid[feats]))
print("features:", feats)
print("RMSPE: %.4f" % rmspe(valid["sales"].to_numpy(), pred))
