import pandas as pd

from churn.common import ensure_parent, get_params


def main():
    p = get_params()["prepare"]
    customers = pd.read_csv(p["customers"], parse_dates=["signup_date"])
    usage = pd.read_csv(p["usage"])
    df = customers.merge(usage, on="customer_id", how="inner")
    ref = pd.Timestamp(p["reference_date"])
    df["tenure_days"] = (ref - df["signup_date"]).dt.days
    df["minutes_per_call"] = df["minutes"] / df["calls"].clip(lower=1)
    df = df.drop(columns=["signup_date", "customer_id"])
    df.to_csv(ensure_parent(p["out"]), index=False)
    print(f"prepare: {len(df)} rows, {df.shape[1]} columns -> {p['out']}")


if __name__ == "__main__":
    main()
