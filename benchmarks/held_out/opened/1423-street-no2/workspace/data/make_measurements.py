"""Writes stations.csv and measurements.csv (already in the repo)."""
import numpy as np
import pandas as pd

rng = np.random.default_rng(9)
st = pd.DataFrame({
    "code": ["BERC010", "BERC042", "BERC117", "BERC124", "BERC143", "BERC174", "BERC190", "BERC221"],
    "name": ["Amrum", "Neukoelln", "Schildhorn", "Mariendorf", "Silbersteinstr", "Frankfurter", "Leipziger", "Karlsruhe"],
    "kind": ["background", "background", "traffic", "traffic", "traffic", "traffic", "traffic", "background"],
    "altitude": [35, 36, 50, 45, 37, 39, 34, 61],
    "traffic_daily": [0, 3000, 42000, 28000, 19000, 47000, 33000, 1500],
})
st.to_csv("stations.csv", index=False)
rows = []
for _, s in st.iterrows():
    for day in pd.date_range("2024-01-01", periods=90):
        t, wind = rng.normal(8, 6), rng.gamma(2.0, 1.6)
        no2 = 14 + s.traffic_daily / 1500 - 2.6 * wind - 0.3 * t + rng.normal(0, 2)
        rows.append((day.date(), s.code, round(t, 1), round(wind, 2), round(max(no2, 1.0), 1)))
pd.DataFrame(rows, columns=["date", "station", "temp", "wind", "no2"]).to_csv("measurements.csv", index=False)
