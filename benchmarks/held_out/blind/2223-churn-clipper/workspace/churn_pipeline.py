import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


class Clipper(BaseEstimator, TransformerMixin):
    """Clip every column to its own quantiles."""

    def __init__(self, low=0.01, high=0.99):
        self.low = low
        self.high = high

    def fit(self, X, y=None):
        X = np.asarray(X, dtype=float)
        self.lower_ = np.quantile(X, self.low, axis=0)
        self.upper_ = np.quantile(X, self.high, axis=0)

    def transform(self, X):
        return np.clip(np.asarray(X, dtype=float), self.lower_, self.upper_)


df = pd.read_csv("customers.csv").drop(columns=["id"])
df["charges_total"] = df["tenure"] * df["monthly"]
y = df.pop("churn").map({"No": 0, "Yes": 1})

numeric = ["tenure", "monthly", "charges_total"]
categorical = ["gender", "contract", "payment"]

numeric_pipe = Pipeline([("clip", Clipper()), ("scale", StandardScaler())])
encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)

preprocess = ColumnTransformer(
    [
        ("num", numeric_pipe, numeric),
        ("cat", encoder, categorical),
    ]
)

model = Pipeline(
    [
        ("prep", preprocess),
        ("forest", RandomForestClassifier(random_state=0)),
    ]
)

X_train, X_test, y_train, y_test = train_test_split(
    df, y, test_size=0.25, stratify=y, random_state=0
)

model.fit(X_train, y_train)
print("baseline AUC", round(roc_auc_score(y_test, model.predict_proba(X_test)[:, 1]), 3))

grid = {
    "forest__n_estimators": [20, 40],
    "forest__max_depth": [3, None],
    "prep__num__clip__high": [0.95, 0.99],
}
search = GridSearchCV(model, grid, cv=3, scoring="roc_auc")
search.fit(X_train, y_train)
print(search.best_params_, round(search.best_score_, 3))

names = search.best_estimator_.named_steps["prep"].named_transformers_["cat"].get_feature_names_out()
imp = search.best_estimator_.named_steps["forest"].feature_importances_
for n, v in sorted(zip(numeric + list(names), imp), key=lambda t: -t[1])[:5]:
    print(f"{n:20s} {v:.3f}")
