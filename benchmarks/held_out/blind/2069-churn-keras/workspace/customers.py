import numpy as np
import pandas as pd

PLANS = ["basic", "plus", "family"]


def simulate_customers(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "tenure_months": rng.integers(1, 72, n),
        "monthly_fee": rng.normal(40, 12, n).clip(10).round(2),
        "support_calls": rng.poisson(1.3, n),
        "plan": rng.choice(PLANS, n, p=[0.5, 0.3, 0.2]),
        "autopay": rng.integers(0, 2, n),
    })
    z = (0.9 * (df.support_calls - 1.3) - 0.05 * (df.tenure_months - 36)
         + 0.05 * (df.monthly_fee - 40) - 0.8 * df.autopay + 0.7 * (df["plan"] == "basic"))
    df["churned"] = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    return df
