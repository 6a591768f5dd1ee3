"""Daily sales per store, in the layout of the warehouse export."""
import numpy as np
import pandas as pd

STORE_IDS = range(101, 113)
WEEKLY = np.array([0.9, 0.92, 0.95, 1.0, 1.2, 1.35, 0.7])


def load_sales(start="2023-01-02", days=420, seed=3):
    rng = np.random.default_rng(seed)
    dates = pd.date_range(start, periods=days, freq="D")
    level = rng.uniform(120, 420, len(STORE_IDS))
    parts = []
    for store_id, base in zip(STORE_IDS, level):
        promo = rng.random(days) < 0.08
        season = 1 + 0.15 * np.sin(2 * np.pi * dates.dayofyear.to_numpy() / 365.25)
        mean = base * season * WEEKLY[dates.dayofweek] * np.where(promo, 1.3, 1.0)
        parts.append(
            pd.DataFrame(
                {
                    "date": dates,
                    "store_id": store_id,
                    "units": rng.poisson(mean),
                    "promo": promo.astype(int),
                    "temp_c": 11 + 9 * np.sin(2 * np.pi * (dates.dayofyear - 110) / 365.25)
                    + rng.normal(0, 3, days),
                }
            )
        )
    return pd.concat(parts).sort_values(["date", "store_id"]).reset_index(drop=True)
