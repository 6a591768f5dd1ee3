import numpy as np
import pandas as pd

rng = np.random.default_rng(5)
n = 24 * 50
ts = pd.date_range("2023-01-02", periods=n, freq="h")
temp = 8 + 9 * np.sin(2 * np.pi * (np.arange(n) - 9) / 24) + rng.normal(0, 1, n)
wind = np.abs(rng.normal(4, 2, n)).round(2)
load = 300 + 60 * np.sin(2 * np.pi * (np.arange(n) - 6) / 24) - 3 * temp - 20 * (ts.dayofweek >= 5) + rng.normal(0, 5, n)
df = pd.DataFrame({"timestamp": ts, "load_mw": load.round(1), "temp_c": temp.round(2), "wind_ms": wind})
gaps = rng.choice(n, 12, replace=False)
df.loc[gaps, "temp_c"] = np.nan
df.to_csv("load_2023.csv", index=False)
