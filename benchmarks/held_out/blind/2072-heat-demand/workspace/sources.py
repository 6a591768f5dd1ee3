import pandas as pd


def read_meter(path):
    df = pd.read_csv(path)
    df["time"] = pd.to_datetime(df["time"], unit="ms").astype("datetime64[ns]")
    return df.sort_values("time")


def read_weather(path):
    df = pd.read_csv(path)
    df["time"] = pd.to_datetime(df["time"], unit="ms").astype("datetime64[ns]")
    return df.sort_values("time")
