"""Raw exports: data/accounts.csv (one row a customer) and data/usage.csv (one row a customer and month)."""
from pathlib import Path

import numpy as np
import pandas as pd

here = Path(__file__).parent
rng = np.random.default_rng(17)
n = 600
acc = pd.DataFrame({
    "customer": [f"C{i:05d}" for i in range(n)],
    "plan": rng.choice(["basic", "family", "flat"], n, p=[0.5, 0.2, 0.3]),
    "region": rng.choice(["north", "south", "east", "west"], n),
    "signup": pd.Timestamp("2023-12-31") - pd.to_timedelta(rng.integers(60, 1500, n), unit="D"),
    "autopay": rng.choice(["yes", "no", ""], n, p=[0.55, 0.35, 0.1]),
})
risk = rng.normal(0, 1, n) + (acc["plan"] == "basic") * 0.5 - (acc["autopay"] == "yes") * 0.6
rows = []
for c, r in zip(acc["customer"], risk):
    level = rng.gamma(4, 3)
    for m in range(1, 7):
        level *= np.exp(rng.normal(-0.08 * max(r, 0), 0.15))
        rows.append((c, f"2023-{m + 6:02d}", round(level, 2), int(rng.poisson(0.3 + 0.5 * max(r, 0)))))
usage = pd.DataFrame(rows, columns=["customer", "month", "gigabytes", "support_calls"])
acc["churned"] = (risk + rng.normal(0, 0.6, n) > 0.9).astype(int)
acc.to_csv(here / "accounts.csv", index=False)
usage.to_csv(here / "usage.csv", index=False)
