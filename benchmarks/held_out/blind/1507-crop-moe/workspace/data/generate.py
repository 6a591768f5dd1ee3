"""Field-season table; rows are ordered by season, as exported from the farm register."""
import numpy as np
import pandas as pd

rng = np.random.default_rng(5)
CROPS = ["wheat", "barley", "rape", "maize", "oats", "rye", "beet", "soy"]
SOILS = ["loam", "clay", "sand", "peat", "silt"]
DISTRICTS = [f"D{i:02d}" for i in range(1, 15)]
rows = []
for season in range(2016, 2025):
    crops = CROPS if season >= 2023 else CROPS[:7]
    for _ in range(70):
        c, s, d = rng.choice(crops), rng.choice(SOILS), rng.choice(DISTRICTS)
        rain, heat, n = rng.gamma(9, 45), rng.normal(1900, 180), rng.uniform(0, 220)
        y = 3 + 0.35 * CROPS.index(c) - 0.3 * SOILS.index(s) + 0.012 * n - 3.1e-5 * n * n
        y += 0.004 * (rain - 400) * (1 if s == "sand" else 0.2) + 0.0012 * (heat - 1900) * (c in ("maize", "soy"))
        rows.append([season, d, c, s, round(rain, 1), round(heat), round(n, 1), round(y + rng.normal(0, 0.25), 3)])
pd.DataFrame(rows, columns=["season", "district", "crop", "soil", "rain_mm", "gdd", "n_kg_ha", "yield_t_ha"]).to_csv(
    "fields.csv", index=False
)
