"""Write the readings of the sensors, one column each: python prepare.py"""
import numpy as np
import pandas as pd

SENSORS = ["flow", "heat", "supply", "outside"]


def readings(rng, hours=120):
    """One table per sensor, as the export of the meters has them, put side by side."""
    parts = [pd.DataFrame({name: rng.normal(size=hours).round(3)}) for name in SENSORS]
    return pd.concat(parts, axis=1)


table = readings(np.random.default_rng(3))
table.to_csv("data/readings.csv")
