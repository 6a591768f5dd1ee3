"""Score one month's customers and write the call list."""
import argparse

import keras
import yaml

from churn import prep


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("csv")
    ap.add_argument("--out", default="call_list.csv")
    ap.add_argument("--top", type=int, default=20)
    args = ap.parse_args()

    with open("config.yaml") as fh:
        cfg = yaml.safe_load(fh)
    df = prep.load_customers(args.csv, cfg)
    pre = prep.load("artifacts/preprocessor.joblib")
    model = keras.models.load_model("artifacts/churn.keras")

    X = prep.to_matrix(pre, df, cfg)
    df["churn_score"] = model.predict(X, batch_size=256, verbose=0).ravel()
    top = df.nlargest(args.top, "churn_score")
    top[["customer_id", "contract", "churn_score"]].to_csv(args.out, index=False)
    print(f"scored {len(df)} customers, mean score {df['churn_score'].mean():.3f}")
    print(top[["customer_id", "churn_score"]].head().to_string(index=False))


if __name__ == "__main__":
    main()
