import argparse

import joblib
import pandas as pd
import yaml
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from features import design_matrix, target_vector


def candidates(cfg):
    m = cfg["model"]
    return {
        "logreg": Pipeline(
            [
                ("impute", SimpleImputer(strategy="median")),
                ("scale", StandardScaler()),
                ("clf", LogisticRegression(max_iter=500, class_weight="balanced")),
            ]
        ),
        "boosting": Pipeline(
            [
                ("impute", SimpleImputer(strategy="median")),
                (
                    "clf",
                    HistGradientBoostingClassifier(
                        max_iter=m["max_iter"],
                        learning_rate=m["learning_rate"],
                        max_leaf_nodes=m["max_leaf_nodes"],
                        random_state=0,
                    ),
                ),
            ]
        ),
    }


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--settings", default="settings.yaml")
    ap.add_argument("--out", default="build/model.joblib")
    args = ap.parse_args()
    with open(args.settings) as f:
        cfg = yaml.safe_load(f)

    df = pd.read_csv(cfg["data"]["history"])
    X, y = design_matrix(df, cfg), target_vector(df, cfg)
    print(f"{len(df)} customers, {X.shape[1]} features, churn rate {y.mean():.3f}")
    Xtr, Xte, ytr, yte = train_test_split(
        X, y, test_size=cfg["split"]["test_size"], stratify=y, random_state=cfg["split"]["seed"]
    )

    best_name, best_auc = None, -1.0
    pipes = candidates(cfg)
    for name, pipe in pipes.items():
        auc = cross_val_score(pipe, Xtr, ytr, cv=4, scoring="roc_auc", error_score="raise").mean()
        print(f"  {name:<9} cv auc {auc:.3f}")
        if auc > best_auc:
            best_name, best_auc = name, auc

    final = CalibratedClassifierCV(pipes[best_name], cv=4, method="sigmoid").fit(Xtr, ytr)
    p = final.predict_proba(Xte)[:, 1]
    print(f"chosen {best_name}: test auc {roc_auc_score(yte, p):.3f}, ap {average_precision_score(yte, p):.3f}")
    joblib.dump({"model": final, "settings": cfg}, args.out)


if __name__ == "__main__":
    main()
