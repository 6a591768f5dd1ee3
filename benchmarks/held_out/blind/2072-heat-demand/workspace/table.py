import numpy as np
import pandas as pd

from sources import read_meter, read_weather

FEATURES = ["temp_c", "wind_ms", "temp_24h", "hour_sin", "hour_cos", "weekend"]
TARGET = "kwh"


def add_calendar(df):
    hour = df["time"].dt.hour
    df["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    df["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    df["weekend"] = (df["time"].dt.dayofweek >= 5).astype(int)
    return df


def build_table(meter_csv, weather_csv, tolerance="45min"):
    """One row per meter reading with the latest weather before it."""
    meter, weather = read_meter(meter_csv), read_weather(weather_csv)
    weather["temp_24h"] = weather["temp_c"].rolling(48, min_periods=1).mean()
    df = pd.merge_asof(meter, weather, on="time", direction="backward", tolerance=pd.Timedelta(tolerance))
    df = add_calendar(df)
    df = df.dropna(subset=FEATURES + [TARGET])
    return df.reset_index(drop=True)
