"""Step 2: logistic model on the encoded claims, last fifth held out."""
import argparse

import joblib
import pandas as pd
from sklearn.linear_model import LogisticRegressionCV

from columns import TARGET

ap = argparse.ArgumentParser()
ap.add_argument("--claims", required=True)
ap.add_argument("--encoder", required=True)
ap.add_argument("--out", required=True)
args = ap.parse_args()

df = pd.read_csv(args.claims)
train = df.iloc[: int(0.8 * len(df))]
x = joblib.load(args.encoder).transform(train)
clf = LogisticRegressionCV(Cs=5, cv=4, max_iter=500, l1_ratios=(0,), use_legacy_attributes=False, scoring="neg_log_loss")
clf.fit(x, train[TARGET])
joblib.dump(clf, args.out)
print(f"[model] trained on {len(train)} claims -> {args.out}")
