import argparse

import yaml
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from prepare import clean, load_tables, make_features
from report import summarise, top_weights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--settings", default="settings.yaml")
    parser.add_argument("--top", type=int, default=5)
    args = parser.parse_args()
    with open(args.settings) as f:
        cfg = yaml.safe_load(f)

    df = load_tables(cfg["data"])
    print("raw rows:", len(df))
    df = clean(df, cfg["filters"])
    print("after cleaning:", len(df))

    X = make_features(df, **cfg["features"])
    y = df[cfg["target"]]
    print("features:", X.shape[1])

    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, **cfg["split"])
    model = make_pipeline(StandardScaler(), LogisticRegression(**cfg["model"]))
    model.fit(X_train, y_train)

    scores = summarise(y_test, model.predict(X_test), model.predict_proba(X_test)[:, 1])
    for name, value in scores.items():
        print(f"{name:<12}{value}")
    print(top_weights(model, X.columns, args.top).round(2).to_string())


if __name__ == "__main__":
    main()
