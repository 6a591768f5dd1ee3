import argparse
from pathlib import Path

import joblib
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

ap = argparse.ArgumentParser()
ap.add_argument("build", type=Path)
ap.add_argument("--max-iter", type=int, default=200)
ap.add_argument("--folds", type=int, default=3)
args = ap.parse_args()

d = np.load(args.build / "train.npz")
search = GridSearchCV(
    LogisticRegression(max_iter=args.max_iter, class_weight="balanced"),
    {"C": [0.03, 0.1, 0.3, 1.0]},
    cv=args.folds,
    scoring="roc_auc",
)
search.fit(d["X"], d["y"])
joblib.dump(search.best_estimator_, args.build / "model.joblib")
print(f"fit: best C={search.best_params_['C']} cv auc={search.best_score_:.3f}")
