import json

import joblib
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline

from features import add_columns, make_preprocessor

with open("settings.json") as f:
    S = json.load(f)

df = add_columns(pd.read_csv(S["train_file"]))
X, y = df.drop(columns=["customer_id", "churned"]), df["churned"]

model = Pipeline(
    [("prep", make_preprocessor()), ("clf", LogisticRegression(C=S["C"], max_iter=500))]
)
auc = cross_val_score(model, X, y, cv=S["folds"], scoring="roc_auc")
print(f"{len(df)} customers, churn rate {y.mean():.2f}, cv auc {auc.mean():.3f} +- {auc.std():.3f}")
model.fit(X, y)
joblib.dump(model, S["model_file"])
print("saved", S["model_file"])
