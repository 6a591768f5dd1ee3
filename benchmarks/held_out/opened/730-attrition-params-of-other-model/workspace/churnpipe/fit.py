import joblib
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from .common import ensure_parent, load_params, parser

MODELS = {"forest": RandomForestClassifier, "logistic": LogisticRegression}


def build(params):
    pre = ColumnTransformer([
        ("num", StandardScaler(), params["numeric"]),
        ("cat", OneHotEncoder(handle_unknown="ignore"), params["categorical"]),
    ])
    clf = MODELS[params["model"]["kind"]](**params["model"]["params"])
    return Pipeline([("pre", pre), ("clf", clf)])


def main():
    p = parser(description="fit the model")
    p.add_argument("--data", required=True)
    p.add_argument("--model", required=True)
    a = p.parse_args()
    params = load_params(a.config)
    df = pd.read_csv(a.data)
    y = df.pop(params["target"])
    X = df[params["numeric"] + params["categorical"]]
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=params["test_size"], random_state=0, stratify=y)
    pipe = build(params).fit(X_tr, y_tr)
    print(classification_report(y_te, pipe.predict(X_te), zero_division=0))
    ensure_parent(a.model)
    joblib.dump(pipe, a.model)


if __name__ == "__main__":
    main()
