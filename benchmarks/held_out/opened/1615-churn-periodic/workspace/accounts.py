import numpy as np
import pandas as pd

NUMERIC = ["tenure_months", "monthly_fee", "support_calls", "data_gb", "late_payments"]


def make_accounts(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "tenure_months": rng.gamma(2.0, 14.0, n),
        "monthly_fee": rng.normal(38, 9, n),
        "support_calls": rng.poisson(1.4, n),
        "data_gb": rng.lognormal(2.2, 0.6, n),
        "late_payments": rng.poisson(0.5, n),
    })
    z = -0.6 - 0.04 * df["tenure_months"] + 0.4 * df["support_calls"] + 0.5 * df["late_payments"]
    df["churned"] = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    return df
