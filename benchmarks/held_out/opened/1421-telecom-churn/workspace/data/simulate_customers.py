import numpy as np
import pandas as pd

rng = np.random.default_rng(14)
n = 700
df = pd.DataFrame({
    "customer_id": [f"C{i:04d}" for i in range(n)],
    "tenure_months": rng.integers(1, 72, n),
    "monthly_charge": rng.normal(65, 25, n).clip(15, 140).round(2),
    "data_gb": rng.gamma(2.0, 6.0, n).round(1),
    "support_calls": rng.poisson(1.2, n),
    "contract": rng.choice(["monthly", "yearly", "two_year"], n, p=[0.55, 0.3, 0.15]),
    "payment": rng.choice(["card", "debit", "invoice"], n),
    "region": rng.choice(["north", "south", "east", "west"], n),
})
z = (1.2 * (df.contract == "monthly") - 0.05 * df.tenure_months + 0.02 * df.monthly_charge
     + 0.6 * df.support_calls - 1.4)
df["churned"] = np.where(rng.random(n) < 1 / (1 + np.exp(-1.5 * z)), "yes", "no")
df.loc[rng.random(n) < 0.03, "data_gb"] = np.nan
df.to_csv("data/customers.csv", index=False)
