"""Cuisine from cooking instructions: tf-idf -> LSA -> linear SVM, plus a few looks at the latent space.

Usage: recipe_lsa.py data/recipes.tsv [--topics N] [--report out.json]
"""
import argparse
import json
import sys
from collections import Counter

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score, classification_report, confusion_matrix
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelEncoder, MaxAbsScaler, Normalizer
from sklearn.svm import LinearSVC


class StepStatistics(TransformerMixin, BaseEstimator):
    """Number of steps, words per step and minutes mentioned, as a sparse block."""

    def fit(self, texts, y=None):
        return self

    def transform(self, texts):
        rows = []
        for text in texts:
            steps = [s.split() for s in text.split(";")]
            minutes = sum(int(w) for s in steps for w in s if w.isdigit())
            rows.append((len(steps), np.mean([len(s) for s in steps]), minutes / 10))
        return sparse.csr_matrix(np.asarray(rows, dtype=float))


def read(path):
    df = pd.read_csv(path, sep="\t", names=["cuisine", "text"])
    dup = df.duplicated("text").sum()
    if dup:
        print(f"dropping {dup} duplicates", file=sys.stderr)
        df = df.drop_duplicates("text")
    return df


def vectorize(train_texts, test_texts):
    """Word tf-idf and step statistics, fitted on the training part only."""
    words = TfidfVectorizer(stop_words="english", min_df=2, ngram_range=(1, 2), sublinear_tf=True)
    stats = StepStatistics()
    scale = MaxAbsScaler()
    train = sparse.hstack([words.fit_transform(train_texts), scale.fit_transform(stats.fit_transform(train_texts))])
    test = sparse.hstack([words.fit_transform(test_texts), scale.transform(stats.transform(test_texts))])
    names = [*words.get_feature_names_out(), "#steps", "#words", "#minutes"]
    return train.tocsr(), test.tocsr(), names


def search(X, y, topics, seed):
    pipe = Pipeline([
        ("lsa", TruncatedSVD(topics, random_state=seed)),
        ("unit", Normalizer(copy=False)),
        ("svm", LinearSVC(dual="auto", random_state=seed)),
    ])
    grid = {"lsa__n_components": [topics // 2, topics], "svm__C": [0.1, 1.0, 10.0]}
    folds = StratifiedKFold(4, shuffle=True, random_state=seed)
    gs = GridSearchCV(pipe, grid, cv=folds, scoring="f1_macro", n_jobs=1, refit=True)
    return gs.fit(X, y)


def topic_words(svd, names, k=5):
    for i, comp in enumerate(svd.components_[:4]):
        top = np.argsort(-np.abs(comp))[:k]
        yield i, ", ".join(f"{names[j]}{'+' if comp[j] > 0 else '-'}" for j in top)


def abstaining(model, X, names, threshold=0.6):
    """Predictions with calibrated probabilities, None below the threshold."""
    proba = model.predict_proba(X)
    best = proba.argmax(1)
    return [names[b] if p[b] >= threshold else None for p, b in zip(proba, best)]


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("table")
    ap.add_argument("--topics", type=int, default=24)
    ap.add_argument("--seed", type=int, default=2)
    ap.add_argument("--report")
    args = ap.parse_args()

    df = read(args.table)
    enc = LabelEncoder()
    y = enc.fit_transform(df["cuisine"])
    texts = df["text"].to_numpy()
    t_train, t_test, y_train, y_test = train_test_split(texts, y, test_size=0.25, stratify=y, random_state=args.seed)
    X_train, X_test, names = vectorize(t_train, t_test)
    print(f"{X_train.shape[0]} + {X_test.shape[0]} recipes, {X_train.shape[1]} features")

    gs = search(X_train, y_train, args.topics, args.seed)
    print("best", gs.best_params_, f"f1 {gs.best_score_:.3f}")
    for i, line in topic_words(gs.best_estimator_["lsa"], names):
        print(f"  topic {i}: {line}")

    pred = gs.predict(X_test)
    report = classification_report(y_test, pred, target_names=enc.classes_, output_dict=True)
    print(pd.DataFrame(confusion_matrix(y_test, pred), enc.classes_, enc.classes_))
    print(f"test macro f1 {report['macro avg']['f1-score']:.3f}")

    calibrated = CalibratedClassifierCV(gs.best_estimator_, cv=3).fit(X_train, y_train)
    kept = abstaining(calibrated, X_test, enc.classes_)
    print("abstained on", Counter(kept)[None], "of", len(kept))

    codes = gs.best_estimator_[:-1].transform(X_test)
    clusters = KMeans(len(enc.classes_), n_init=5, random_state=args.seed).fit_predict(codes)
    print(f"k-means in the latent space: ARI {adjusted_rand_score(y_test, clusters):.3f}")

    if args.report:
        with open(args.report, "w") as fh:
            json.dump(report, fh, indent=1)


if __name__ == "__main__":
    main()
