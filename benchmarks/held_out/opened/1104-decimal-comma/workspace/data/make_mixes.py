# generates mixes.csv (concrete mixes and their 28-day strength)
import numpy as np
import pandas as pd

rng = np.random.default_rng(2024)
n = 260
df = pd.DataFrame({
    "mix_id": [f"M-{i:03d}" for i in range(n)],
    "cement": rng.uniform(140, 500, n).round(1),
    "slag": np.where(rng.random(n) < 0.4, 0, rng.uniform(20, 250, n)).round(1),
    "water": rng.uniform(130, 230, n).round(1),
    "superplasticizer": rng.gamma(2, 3, n).round(1),
    "aggregate": rng.uniform(800, 1100, n).round(1),
    "age_days": rng.choice([3, 7, 14, 28, 56, 90], n),
    "plant": rng.choice(["north", "harbour", "valley"], n),
})
s = 12 + 0.1 * df.cement + 0.06 * df.slag - 0.18 * (df.water - 180) + 8 * np.log(df.age_days / 28) + 0.4 * df.superplasticizer
df["strength_mpa"] = (s + rng.normal(0, 3, n)).clip(3).round(1)
df.to_csv("data/mixes.csv", index=False)
