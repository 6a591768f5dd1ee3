"""Step 1: learn the categories and the scaling from this year's claims."""
import argparse
from pathlib import Path

import joblib
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from columns import CATEGORICAL, NUMERIC

ap = argparse.ArgumentParser()
ap.add_argument("--claims", required=True)
ap.add_argument("--out", required=True)
args = ap.parse_args()

df = pd.read_csv(args.claims)
enc = ColumnTransformer([
    ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), CATEGORICAL),
    ("num", StandardScaler(), NUMERIC),
])
enc.fit(df)
Path(args.out).parent.mkdir(parents=True, exist_ok=True)
joblib.dump(enc, args.out)
print(f"[encoder] {len(df)} claims -> {args.out}")
