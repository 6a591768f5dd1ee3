"""Fake concrete mixes; `python data/mixes.py > data/mixes.csv`"""
import numpy as np

rng = np.random.default_rng(8)
n = 700
cement = rng.uniform(120, 520, n)
slag = rng.choice([0, 0, 1], n) * rng.uniform(20, 300, n)
ash = rng.choice([0, 1], n) * rng.uniform(40, 180, n)
water = rng.uniform(125, 240, n)
plast = rng.choice([0, 1], n) * rng.uniform(2, 22, n)
age = rng.choice([3, 7, 14, 28, 56, 90], n)
binder = cement + 0.75 * slag + 0.4 * ash
strength = 17 * (binder / water) ** 1.25 * np.log1p(age) / np.log(29) + 0.25 * plast
strength += rng.normal(0, 1 + 0.06 * strength)
print("cement,slag,ash,water,plasticizer,age_days,strength_mpa")
for r in zip(cement, slag, ash, water, plast, age, strength):
    print(",".join(f"{v:.1f}" for v in r[:5]) + f",{r[5]},{max(r[6], 1):.2f}")
