import numpy as np
import pandas as pd

rng = np.random.default_rng(8)
n = 24 * 60
t = pd.date_range("2023-01-02", periods=n, freq="h")
hour = t.hour.to_numpy()
temp = 4 + 6 * np.sin(2 * np.pi * (hour - 9) / 24) + 5 * np.sin(np.arange(n) / 150) + rng.normal(0, 0.6, n)
wind = np.abs(rng.normal(4, 2, n))
weekend = (t.day_of_week >= 5).astype(int)
load = 60 - 1.6 * temp + 0.8 * wind + 9 * np.exp(-((hour - 7) ** 2) / 6) + 6 * np.exp(-((hour - 19) ** 2) / 8) - 5 * weekend + rng.normal(0, 1, n)
pd.DataFrame({"time": t, "load_mw": load.round(2), "outdoor_temp": temp.round(2), "wind": wind.round(2),
              "is_weekend": weekend}).to_csv("data/heat_hourly.csv", index=False)
