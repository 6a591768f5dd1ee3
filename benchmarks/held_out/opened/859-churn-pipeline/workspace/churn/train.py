import joblib
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from churn.common import ensure_parent, get_params


def build(p):
    pre = make_column_transformer(
        (StandardScaler(), p["numeric"]),
        (OneHotEncoder(handle_unknown="ignore"), p["categorical"]),
    )
    return make_pipeline(pre, GradientBoostingClassifier(random_state=p["seed"], **p["model"]))


def main():
    params = get_params()
    p = params["train"]
    df = pd.read_csv(params["prepare"]["out"])
    X, y = df.drop(columns=p["target"]), df[p["target"]]
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=p["test_size"], random_state=p["seed"], stratify=y)
    clf = build(p)
    clf.fit(X_tr, y_tr)
    print("train: auc %.3f / %.3f" % (
        roc_auc_score(y_tr, clf.predict_proba(X_tr)[:, 1]),
        roc_auc_score(y_te, clf.predict_proba(X_te)[:, 1]),
    ))
    joblib.dump({"model": clf, "X_test": X_te, "y_test": y_te}, ensure_parent(p["model_file"]))


if __name__ == "__main__":
    main()
