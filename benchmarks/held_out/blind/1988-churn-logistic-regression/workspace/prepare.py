import pandas as pd
from sklearn.preprocessing import OneHotEncoder


def load_tables(cfg):
    customers = pd.read_csv(cfg["customers"])
    usage = pd.read_csv(cfg["usage"])
    usage = usage.groupby("customer_id", as_index=False).agg(
        calls=("calls", "sum"), data_gb=("data_gb", "mean"), complaints=("complaints", "sum")
    )
    return customers.merge(usage, on="customer_id", how="left")


def clean(df, filters):
    df = df.drop_duplicates("customer_id")
    df = df[df["age"] >= filters["min_age"]]
    df["monthly_fee"] = df["monthly_fee"].fillna(df["monthly_fee"].median())
    for col in ("calls", "data_gb", "complaints"):
        df[col] = df[col].fillna(0)
    return df


def encode_categories(df, columns):
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    values = encoder.fit_transform(df[columns])
    names = encoder.get_feature_names_out(columns)
    return pd.DataFrame(values, columns=names)


def make_features(df, numeric, categorical):
    encoded = encode_categories(df, categorical)
    return pd.concat([df[numeric], encoded], axis=1)
