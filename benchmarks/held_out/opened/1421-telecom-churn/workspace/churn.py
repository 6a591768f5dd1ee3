"""Churn model: pandas -> ColumnTransformer -> MLPClassifier, tuned by cross-validation."""
import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import yaml
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.metrics import classification_report, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

warnings.filterwarnings("ignore", category=ConvergenceWarning)
HERE = Path(__file__).resolve().parent


@dataclass
class FeatureConfig:
    target: str
    positive: str
    id: str
    numeric: list
    counts: list
    categorical: list

    @classmethod
    def load(cls, path):
        return cls(**yaml.safe_load(Path(path).read_text()))


def preprocessor(fc: FeatureConfig) -> ColumnTransformer:
    return ColumnTransformer([
        ("num", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), fc.numeric),
        ("cnt", make_pipeline(FunctionTransformer(np.log1p, feature_names_out="one-to-one"), StandardScaler()),
         fc.counts),
        ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), fc.categorical),
    ], remainder="drop", verbose_feature_names_out=False)


def build_search(fc, mc):
    pipe = Pipeline([("prep", preprocessor(fc)), ("net", MLPClassifier(**mc["fixed"]))])
    grid = {f"net__{k}": v for k, v in mc["search"].items()}
    cv = StratifiedKFold(mc["folds"], shuffle=True, random_state=0)
    return GridSearchCV(pipe, grid, cv=cv, scoring=mc["scoring"], error_score="raise")


def load_table(path, fc):
    df = pd.read_csv(path).drop_duplicates(fc.id).set_index(fc.id)
    y = df.pop(fc.target).eq(fc.positive).astype(int)
    return df, y


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default=HERE / "data" / "customers.csv", type=Path)
    ap.add_argument("--features", default=HERE / "config" / "features.yaml", type=Path)
    ap.add_argument("--model", default=HERE / "config" / "model.yaml", type=Path)
    args = ap.parse_args()

    fc = FeatureConfig.load(args.features)
    mc = yaml.safe_load(args.model.read_text())
    X, y = load_table(args.data, fc)
    print(f"{len(X)} customers, churn rate {y.mean():.1%}")
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y, random_state=1)

    search = build_search(fc, mc)
    search.fit(X_tr, y_tr)
    print("best:", search.best_params_, f"cv auc {search.best_score_:.3f}")
    names = search.best_estimator_["prep"].get_feature_names_out()
    print(len(names), "inputs:", ", ".join(names))
    proba = search.predict_proba(X_te)[:, 1]
    print(f"test auc {roc_auc_score(y_te, proba):.3f}")
    print(classification_report(y_te, proba > 0.5, digits=3, target_names=["stays", "churns"]))
    joblib.dump(search.best_estimator_, "churn.joblib")


if __name__ == "__main__":
    main()
