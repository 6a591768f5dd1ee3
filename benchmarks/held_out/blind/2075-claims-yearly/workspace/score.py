"""Step 3: score the held-out claims and write one probability per claim."""
import argparse

import joblib
import pandas as pd
from sklearn.metrics import roc_auc_score

from columns import ID, TARGET


def load(path):
    return joblib.load(path)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--claims", required=True)
    ap.add_argument("--encoder", required=True)
    ap.add_argument("--model", required=True)
    ap.add_argument("--out", required=True)
    args = ap.parse_args()

    df = pd.read_csv(args.claims)
    test = df.iloc[int(0.8 * len(df)):]
    encoder, model = load(args.encoder), load(args.model)
    x = encoder.transform(test)
    prob = model.predict_proba(x)[:, 1]
    print(f"[score] {len(test)} claims, AUC {roc_auc_score(test[TARGET], prob):.3f}")
    pd.DataFrame({ID: test[ID], "p_high": prob.round(4)}).to_csv(args.out, index=False)


if __name__ == "__main__":
    main()
