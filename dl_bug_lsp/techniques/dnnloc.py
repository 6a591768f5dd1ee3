"""DNNLOC: rVSM, term relevancy by field and metadata, weighed by a small neural network.

Lam, Nguyen, Nguyen, Nguyen: "Combining deep learning with information retrieval to localize buggy
files for bug reports", ASE 2015; "Bug localization with combination of deep learning and
information retrieval", ICPC 2017. Metadata features after Ye, Bunescu, Liu, FSE 2014.

    score(f) = MLP(features(f)),  one hidden layer of tanh units, a logistic output

The paper relates report terms to code terms with deep networks of their own; on a few hundred
reports these learn nothing, so the cosine of the report with each field stands in their place.
``benchmarks/train_dnnloc.py`` trains the weights with scikit-learn; ``dnnloc.json`` holds them for
everything it saw and, for each project, without that project.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from dl_bug_lsp.retrieval import Corpus, Floats, cosines, rvsm
from dl_bug_lsp.techniques.scores import Composition, Subject, normal, text_document

FEATURES = (
    "rvsm",
    "classes",
    "methods",
    "variables",
    "comments",
    "collaborative_filtering",
    "class_name",
    "fix_recency",
    "fix_frequency",
)
MONTH = 30 * 86_400.0
ALL = "all"


@dataclass(frozen=True, slots=True)
class Network:
    """A trained network: ``hidden`` is features by units, ``out`` one weight a unit."""

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: float

    def scores(self, features: Floats) -> Floats:
        """Return a score from 0 to 1 for each row of features."""
        units = np.tanh(features @ self.hidden + self.hidden_bias)
        sums: Floats = units @ self.out + self.out_bias
        return 1.0 / (1.0 + np.exp(-sums))


def network_from(data: dict[str, Any]) -> Network:
    """Make a network of one entry of the weights file."""
    hidden, bias = np.array(data["hidden"], dtype=float), np.array(data["hidden_bias"], dtype=float)
    return Network(hidden, bias, np.array(data["out"], dtype=float), float(data["out_bias"]))


@cache
def shipped(left_out: str = ALL) -> Network:
    """Return the shipped network; with a project's name the one that never saw that project."""
    text = resources.files("dl_bug_lsp.techniques").joinpath("dnnloc.json").read_text("utf-8")
    networks = json.loads(text)["networks"]
    return network_from(networks.get(left_out, networks[ALL]))


def feature_rows(subject: Subject) -> Floats:
    """Return files by `FEATURES`, each feature from 0 to 1 within the report."""
    columns = [rvsm(subject.corpus, subject.text)]
    columns.extend(cosines(field, subject.text) for field in subject.fields)
    columns.append(_collaborative_filtering(subject))
    columns.append(_class_names(subject))
    columns.extend(_fixes(subject))
    return np.stack([normal(column) for column in columns], axis=1)


def _collaborative_filtering(subject: Subject) -> Floats:
    """Return the cosine of the report and all earlier reports of a file taken as one text."""
    texts: dict[str, list[str]] = {}
    for report in subject.earlier:
        for file in report.files:
            if file in subject.rows:
                texts.setdefault(file, []).append(f"{report.summary}\n{report.description}")
    scores = subject.zeros()
    corpus = Corpus([text_document("\n".join(parts)) for parts in texts.values()])
    for file, near in zip(texts, cosines(corpus, subject.text), strict=True):
        scores[subject.rows[file]] = near
    return scores


def _class_names(subject: Subject) -> Floats:
    """Return the length of the longest name of a file's classes that the report's title has."""
    words = set(subject.query.summary.replace(".", " ").replace("`", " ").split())
    scores = subject.zeros()
    for row, file in enumerate(subject.files):
        for element in subject.workspace.elements(file).functions:
            name = element.name.rpartition(".")[2]
            if element.is_class and name in words:
                scores[row] = max(float(scores[row]), len(name))
    return scores


def _fixes(subject: Subject) -> tuple[Floats, Floats]:
    """Return 1 / (months since the last bug fix + 1), and the number of bug fixes, of each file."""
    recency, frequency = subject.zeros(), subject.zeros()
    for commit in subject.workspace.history().fixes:
        if commit.time > subject.now:
            continue
        for change in commit.changes:
            row = subject.rows.get(change.file)
            if row is not None:
                frequency[row] += 1
                months = int((subject.now - commit.time) / MONTH)
                recency[row] = max(float(recency[row]), 1.0 / (months + 1))
    return recency, frequency


def dnnloc(left_out: str = ALL) -> Composition:
    """Return the technique, its network trained without a project where one is named."""

    def file_scores(subject: Subject) -> Floats:
        if not subject.files:
            return subject.zeros()
        return shipped(left_out).scores(feature_rows(subject))

    return Composition("dnnloc", "Lam et al., ASE 2015 and ICPC 2017", file_scores)
