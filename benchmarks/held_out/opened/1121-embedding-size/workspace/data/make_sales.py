"""Writes data/sales.csv (synthetic, but shaped like our warehouse export)."""
import csv
import datetime as dt
import math
import random
from pathlib import Path

random.seed(11)
rows = []
start = dt.date(2024, 1, 1)
stores = {s: random.uniform(0.6, 1.6) for s in range(1, 25)}
families = {f: random.uniform(3, 40) for f in range(9)}
for day in range(84):
    d = start + dt.timedelta(days=day)
    temp = 6 + 9 * math.sin(day / 26) + random.gauss(0, 2)
    for s, mult in stores.items():
        f = random.randrange(9)
        price = round(random.uniform(0.8, 12.0), 2)
        promo = int(random.random() < 0.18)
        base = families[f] * mult * (1 + 0.35 * (d.weekday() >= 4)) * (1 + 0.6 * promo)
        units = max(0, int(random.gauss(base / (0.5 + price / 8), 2.5)))
        rows.append([d.isoformat(), s, d.weekday(), f, price, round(temp, 1), promo, units])

out = Path(__file__).with_name("sales.csv")
with out.open("w", newline="") as fh:
    w = csv.writer(fh)
    w.writerow("date store_id weekday family_id price temperature promo units".split())
    w.writerows(rows)
print(f"{len(rows)} rows -> {out}")
