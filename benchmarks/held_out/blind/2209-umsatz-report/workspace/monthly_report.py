import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

CSV = "umsatz_2024.csv"


def load(path):
    df = pd.read_csv(path, sep=";")
    df["date"] = pd.to_datetime(df["date"], format="%d.%m.%Y")
    df["store"] = df["store"].astype("category")
    return df


def per_product(df):
    out = (
        df.groupby("product")
        .agg(
            sold=("qty", "sum"),
            avg_price=("unit_price", "mean"),
        )
        .sort_values("sold", ascending=False)
    )
    return out


def add_revenue(df):
    df = df.copy()
    df["revenue"] = df["qty"] * df["unit_price"] * (1 - df["discount"])
    return df


def monthly(df):
    m = df.set_index("date")["revenue"].resample("MS").sum()
    return m.to_frame()


def trend(m):
    X = np.arange(len(m)).reshape(-1, 1)
    reg = LinearRegression().fit(X, m["revenue"])
    nxt = reg.predict([[len(m)]])[0]
    return reg.coef_[0], nxt


def main():
    df = load(CSV)
    print(f"{len(df)} rows, {df['date'].min():%Y-%m-%d} to {df['date'].max():%Y-%m-%d}")
    print(df["store"].value_counts())

    print(per_product(df).round(2))

    df = add_revenue(df)
    m = monthly(df)
    print(m.round(2))

    slope, nxt = trend(m)
    print(f"trend {slope:+.1f} per month, next month about {nxt:.0f} EUR")

    pivot = df.pivot_table(
        index=df["date"].dt.month, columns="store", values="revenue",
        aggfunc="sum", observed=True,
    )
    print(pivot.round(0))


if __name__ == "__main__":
    main()
