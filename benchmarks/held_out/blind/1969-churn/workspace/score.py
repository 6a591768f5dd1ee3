import argparse

import joblib
import pandas as pd

from features import design_matrix


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", required=True)
    ap.add_argument("--input", required=True)
    ap.add_argument("--out", required=True)
    args = ap.parse_args()

    bundle = joblib.load(args.model)
    cfg = bundle["settings"]
    df = pd.read_csv(args.input)
    X = design_matrix(df, cfg)
    df["churn_risk"] = bundle["model"].predict_proba(X)[:, 1].round(4)
    df = df.sort_values("churn_risk", ascending=False)
    n_alert = int(len(df) * cfg["alert_share"])
    df["alert"] = [i < n_alert for i in range(len(df))]
    df[[cfg["data"]["id"], "churn_risk", "alert"]].to_csv(args.out, index=False)
    print(f"scored {len(df)} customers, {n_alert} alerts, top risk {df.churn_risk.iloc[0]:.3f}")


if __name__ == "__main__":
    main()
