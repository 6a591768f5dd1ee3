"""Train the taxonomy's classifiers by category and write their weights as readable, rounded JSON.

    python benchmarks/train_taxonomy.py [--check]

The classifier of exceptions learns from ``labelled_messages.tsv``, the recorded messages of the
tests that a sure rule knows, the pasted cases and the rules' own phrases; that of whole texts from
the same exceptions, from the whole pasted cases and from ``described_failures.tsv``: what people
say of failures in their own words. The result depends on the data and the version of scikit-learn
alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomllib
from pasted import cases
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.taxonomy.classification_context import GAP
from dl_bug_lsp.taxonomy.classify import TEXT_THRESHOLD, UNCLASSIFIED, classify
from dl_bug_lsp.taxonomy.rules import TABLES
from dl_bug_lsp.taxonomy.text_models import (
    MODEL_FILE,
    WHOLE_TEXT_FILE,
    message_tokens,
    whole_text_tokens,
)
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Relation, read_failures

HERE = Path(__file__).resolve().parent
TAXONOMY = HERE.parent / "dl_bug_lsp" / "taxonomy"
DIGITS = 2
SURE = 0.85
"""The least confidence of a rule whose verdict is taken for a label."""


def examples() -> tuple[list[tuple[str, str]], list[str]]:
    """Return the exceptions of ``labelled_messages.tsv`` (class, message) and their categories."""
    rows = (HERE / "labelled_messages.tsv").read_text(encoding="utf-8").splitlines()
    split = [row.split("\t", 2) for row in rows if row]
    return [(row[1], row[2]) for row in split], [row[0] for row in split]


def recorded() -> tuple[list[tuple[str, str]], list[str]]:
    """Return the messages recorded for tests that a sure rule knows, with its category."""
    given: list[tuple[str, str]] = []
    labels: list[str] = []
    for path in sorted((TAXONOMY.parent.parent / "tests" / "messages").glob("*.toml")):
        for row in tomllib.loads(path.read_text(encoding="utf-8")).get("message", []):
            cause = Cause(row["type"], row["text"], (), Relation.ROOT, Span(1, 1))
            failure = Failure(FailureKind.EXCEPTION, (cause,), 0, "", Span(1, 1), "")
            verdict = classify(failure)
            if verdict.confidence >= SURE and verdict.rule != "text":
                given.append((cause.class_name, cause.message))
                labels.append(verdict.id)
    return given, labels


def pasted() -> tuple[list[tuple[str, str]], list[str]]:
    """Return what is read in the pasted cases that are not held out, with their first labels."""
    given: list[tuple[str, str]] = []
    labels: list[str] = []
    for case in cases():
        read = read_failures(read_log(case.text)).failures
        cause = next((f.cause for f in read if f.primary and f.cause is not None), None)
        known = case.first != UNCLASSIFIED and not case.held_out and (case.message or "")
        if cause is not None and cause.message and known and known in cause.message:
            given.append((cause.class_name, cause.message))
            labels.append(case.first)
    return given, labels


def phrases() -> tuple[list[tuple[str, str]], list[str]]:
    """Return the rules' own phrases as short exceptions, and their categories."""
    rules = [r for table in TABLES for r in table.rules if r.category != UNCLASSIFIED]
    pairs = [(r, phrase.replace(GAP, " ")) for r in rules for phrase in r.phrases]
    given = [(min(r.types) if len(r.types) == 1 else "", phrase) for r, phrase in pairs]
    return given, [r.category for r, _ in pairs]


def pipeline(
    tokens: Callable[[Any], list[str]], strength: float, min_df: int, balance: bool = False
) -> Pipeline:
    """Return an untrained classifier: sublinear TF-IDF, multinomial logistic regression."""
    return make_pipeline(
        TfidfVectorizer(analyzer=tokens, sublinear_tf=True, min_df=min_df),
        LogisticRegression(
            C=strength, max_iter=3000, tol=1e-4, class_weight="balanced" if balance else None
        ),
    )


def tokens_of_example(example: tuple[str, str]) -> list[str]:
    """Return the features of one exception."""
    return message_tokens(*example)


def category_pipeline() -> Pipeline:
    """Return the untrained classifier of exceptions by category."""
    return pipeline(tokens_of_example, strength=10.0, min_df=3)


LABELLED_FIRST, LABELLED_LATER, DESCRIBED = 5.0, 0.3, 2.0
"""What a pasted text counts beside an exception, by its best category and by the others, and what a
description counts."""
MOST_FEATURES, FEW_DIGITS = 10_000, 1


def whole_text_pipeline() -> Pipeline:
    """Return the untrained classifier of whole pasted texts by category."""
    return make_pipeline(
        TfidfVectorizer(
            analyzer=whole_text_tokens, sublinear_tf=True, min_df=3, max_features=MOST_FEATURES
        ),
        LogisticRegression(C=12.0, max_iter=3000, tol=1e-4),
    )


def whole_texts() -> tuple[list[str], list[str], list[float]]:
    """Return the pasted cases that are not held out, and descriptions: text, category and weight.

    A text with several categories comes once for each.
    """
    described = (HERE / "described_failures.tsv").read_text(encoding="utf-8").splitlines()
    rows: list[tuple[str, str, float]] = []
    for line in described:
        category, text = line.split("\t", 1)
        rows.append((text, category, DESCRIBED))
    for case in cases():
        if not case.held_out:
            others = sorted(case.categories - {case.first})
            rows.append((case.text, case.first, LABELLED_FIRST))
            rows.extend((case.text, other, LABELLED_LATER) for other in others)
    return [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]


def fit_whole_texts(given: list[tuple[str, str]], labels: list[str]) -> Pipeline:
    """Train the classifier of whole texts on the pasted cases and on ``given`` exceptions."""
    texts, wanted, weights = whole_texts()
    texts += [f"{class_name}: {message}" for class_name, message in given]
    return whole_text_pipeline().fit(
        texts,
        wanted + labels,
        logisticregression__sample_weight=weights + [1.0] * len(given),
    )


def data_of(trained: Pipeline, digits: int = DIGITS, least: float = 0.0) -> dict[str, Any]:
    """Return a trained classifier's weights, rounded, features in alphabetical order."""
    vectorizer, regression = trained[0], trained[1]
    weights, intercepts = regression.coef_, regression.intercept_
    if len(regression.classes_) == 2:
        weights = [-weights[0] / 2, weights[0] / 2]
        intercepts = [-intercepts[0] / 2, intercepts[0] / 2]
    rows = {
        token: [round(float(vectorizer.idf_[i]), digits)]
        + [rounded(float(row[i]), digits, least) for row in weights]
        for token, i in sorted(vectorizer.vocabulary_.items())
    }
    return {
        "classes": [str(name) for name in regression.classes_],
        "intercepts": [round(float(value), digits) for value in intercepts],
        "features": rows,
    }


LEAST_WEIGHT = 0.3
"""Weights of whole texts that are nearer to 0 are left out: the file is a third smaller."""


def rounded(weight: float, digits: int, least: float) -> float:
    """Return a weight with so many digits behind the dot, 0 where it is below ``least``."""
    return 0 if abs(weight) < least else round(weight, digits) or 0


def write(name: str, data: dict[str, Any]) -> None:
    """Write a model, one feature a line."""
    lines = [f"{json.dumps(token)}: {json.dumps(row)}" for token, row in data["features"].items()]
    head = f'"classes": {json.dumps(data["classes"])},\n"intercepts": {data["intercepts"]},\n'
    body = ",\n".join(lines)
    (TAXONOMY / name).write_text(f'{{{head}"features": {{\n{body}\n}}}}\n', encoding="utf-8")


def train(name: str, untrained: Pipeline, given: list[Any], wanted: list[str]) -> None:
    """Cross-validate, train on everything, write, and say how good it is."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    chances = cross_val_predict(untrained, given, wanted, cv=folds, method="predict_proba")
    classes = sorted(set(wanted))
    best = [max(range(len(classes)), key=row.__getitem__) for row in chances]
    right = [classes[index] == label for index, label in zip(best, wanted, strict=True)]
    sure = [row[index] >= TEXT_THRESHOLD for row, index in zip(chances, best, strict=True)]
    kept = [hit for hit, keep in zip(right, sure, strict=True) if keep]
    print(
        f"{name}: {len(wanted)} examples, {sum(right) / len(right):.3f} right; of the "
        f"{len(kept)} with a probability of {TEXT_THRESHOLD} or more "
        f"{sum(kept) / max(1, len(kept)):.3f}"
    )
    write(name, data_of(untrained.fit(given, wanted)))


def main() -> None:
    """Train both classifiers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="cross-validate first (minutes)")
    check = parser.parse_args().check
    given, labels = examples()
    sources = {source: source() for source in (recorded, pasted, phrases)}
    for more, categories in sources.values():
        given, labels = given + more, labels + categories
    if check:
        train(MODEL_FILE, category_pipeline(), given, labels)
    else:
        write(MODEL_FILE, data_of(category_pipeline().fit(given, labels), FEW_DIGITS))
    given, labels = examples()
    for more, categories in (sources[recorded], sources[phrases]):
        given, labels = given + more, labels + categories
    trained = fit_whole_texts(given, labels)
    write(WHOLE_TEXT_FILE, data_of(trained, FEW_DIGITS, LEAST_WEIGHT))


if __name__ == "__main__":
    main()
