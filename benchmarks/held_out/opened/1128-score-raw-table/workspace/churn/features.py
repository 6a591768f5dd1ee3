"""python -m churn.features ACCOUNTS USAGE OUT"""
import sys
from pathlib import Path

import numpy as np
import pandas as pd

AS_OF = pd.Timestamp("2024-01-01")


def slope(values: pd.Series) -> float:
    if len(values) < 2:
        return 0.0
    return float(np.polyfit(np.arange(len(values)), values.to_numpy(), 1)[0])


def usage_features(usage: pd.DataFrame) -> pd.DataFrame:
    grouped = usage.sort_values("month").groupby("customer")
    return grouped.agg(
        gb_mean=("gigabytes", "mean"),
        gb_trend=("gigabytes", slope),
        calls_total=("support_calls", "sum"),
        calls_last=("support_calls", "last"),
    ).reset_index()


def build(accounts: pd.DataFrame, usage: pd.DataFrame) -> pd.DataFrame:
    table = accounts.merge(usage_features(usage), on="customer", how="left", validate="one_to_one")
    table["tenure_days"] = (AS_OF - pd.to_datetime(table["signup"])).dt.days
    table["autopay"] = table["autopay"].fillna("unknown")
    return table.drop(columns="signup")


if __name__ == "__main__":
    accounts, usage, out = map(Path, sys.argv[1:4])
    table = build(pd.read_csv(accounts), pd.read_csv(usage))
    out.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(out, index=False)
    print(f"features: {table.shape[0]} x {table.shape[1]} -> {out}")
