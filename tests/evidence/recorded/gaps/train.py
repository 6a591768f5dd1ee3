import pandas as pd


def read(path):
    frame = pd.read_csv(path)
    frame["temperature"] = frame["temperature"].fillna(method="ffill")
    return frame


print(read("weather.csv").describe())
