"""Train the classifiers of bug reports, write their weights, and say how good they are.

    python benchmarks/train_report_types.py --labels labels.jsonl [--page docs/report_types.md]

``labels.jsonl`` holds one labelled report a line: project, summary, description, bug_type (or
null), extrinsic. Every figure is cross-validated with one project left out at a time. The result
depends on the data and the version of scikit-learn alone.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, f1_score
from sklearn.pipeline import Pipeline, make_pipeline
from train_taxonomy import data_of, write

from dl_bug_lsp.taxonomy.bug_type_and_origin import BUG_TYPES
from dl_bug_lsp.taxonomy.text_models import ORIGINS_FILE, TYPES_FILE, report_tokens

TYPES = {
    "Model": "model",
    "Training": "training",
    "Tensor & Input": "tensor_input",
    "Tensor": "tensor_input",
    "API": "api",
    "GPU": "gpu",
    None: "non_dl",
}
ORIGINS = ("intrinsic", "extrinsic")
STRENGTH = 0.3
LEAST_REPORTS = 8
"""Reports that a token must stand in: rarer ones are names of the projects at hand."""


@dataclass(frozen=True)
class Labelled:
    """Texts with their labels and projects."""

    texts: list[str]
    types: list[str]
    origins: list[str]
    projects: list[str]


def read(path: Path) -> Labelled:
    """Read the labelled reports."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return Labelled(
        [f"{row['summary']}\n\n{row['description']}" for row in rows],
        [TYPES[row["bug_type"]] for row in rows],
        ["extrinsic" if row["extrinsic"] else "intrinsic" for row in rows],
        [row["project"] for row in rows],
    )


def ours() -> Pipeline:
    """Return our untrained classifier: words, words of the title, and cues."""
    return make_pipeline(
        TfidfVectorizer(analyzer=report_tokens, sublinear_tf=True, min_df=LEAST_REPORTS),
        LogisticRegression(C=STRENGTH, max_iter=3000, tol=1e-6, class_weight="balanced"),
    )


def plain(balance: bool) -> Pipeline:
    """Return the baseline: scikit-learn's TF-IDF and logistic regression as they come."""
    regression = LogisticRegression(max_iter=3000, class_weight="balanced" if balance else None)
    return make_pipeline(TfidfVectorizer(), regression)


def left_out(make: Callable[[], Pipeline], data: Labelled, labels: list[str]) -> list[str]:
    """Return each report's label as predicted by a model of the other projects' reports."""
    found = [""] * len(labels)
    for project in sorted(set(data.projects)):
        rows = [n for n, other in enumerate(data.projects) if other != project]
        asked = [n for n, other in enumerate(data.projects) if other == project]
        model = make().fit([data.texts[n] for n in rows], [labels[n] for n in rows])
        for n, label in zip(asked, model.predict([data.texts[n] for n in asked]), strict=True):
            found[n] = str(label)
    return found


def majority(data: Labelled, labels: list[str]) -> list[str]:
    """Return for each report the most frequent label of the other projects' reports."""
    found = []
    for project in data.projects:
        others = [x for x, p in zip(labels, data.projects, strict=True) if p != project]
        found.append(min(Counter(others).items(), key=lambda item: (-item[1], item[0]))[0])
    return found


def ways(data: Labelled, labels: list[str]) -> dict[str, list[str]]:
    """Return the predictions of every classifier, ours last."""
    return {
        "majority class": majority(data, labels),
        "TF-IDF + logistic regression": left_out(lambda: plain(False), data, labels),
        "the same, classes balanced": left_out(lambda: plain(True), data, labels),
        "dl-bug-lsp": left_out(ours, data, labels),
    }


def tables(data: Labelled) -> list[str]:
    """Return the page's figures: both measures by classifier, and our confusion matrices."""
    types, origins = ways(data, data.types), ways(data, data.origins)
    lines = ["| | bug type, macro-F1 | origin, F1 of extrinsic |", "|---|---|---|"]
    for name, found in types.items():
        macro = f1_score(data.types, found, average="macro", zero_division=0)
        binary = f1_score(data.origins, origins[name], pos_label="extrinsic", zero_division=0)
        lines.append(f"| {name} | {macro:.3f} | {binary:.3f} |")
    for labels, found, classes in (
        (data.types, types["dl-bug-lsp"], BUG_TYPES),
        (data.origins, origins["dl-bug-lsp"], ORIGINS),
    ):
        rule = "|---" * (len(classes) + 1) + "|"
        lines += ["", f"| labelled \\ said | {' | '.join(classes)} |", rule]
        matrix: Any = confusion_matrix(labels, found, labels=list(classes))
        for name, row in zip(classes, matrix, strict=True):
            lines.append(f"| {name} | {' | '.join(str(int(count)) for count in row)} |")
    return lines


def page(data: Labelled) -> list[str]:
    """Return the document with the figures."""
    projects = len(set(data.projects))
    return [
        "# Bug type and origin of a bug report",
        "",
        "A report in prose has no exception to judge by. Two linear models say which part of the",
        "program it is about and whether the cause lies in the project's own code (intrinsic) or",
        "outside it (environment, third-party libraries, infrastructure). The labels are those of",
        "Jahan, Shah, Rahman (EMSE 2025). The features are the report's words, those of its title,",
        "and cues: what it mentions in many words, as an upgrade, a device or a test farm",
        "(`dl_bug_lsp/taxonomy/text_models.py`).",
        "",
        f"{len(data.texts)} reports of {projects} projects, each judged by models of the other",
        "projects' reports. Written by",
        "`python benchmarks/train_report_types.py --labels labels.jsonl "
        "--page docs/report_types.md`:",
        "",
        *tables(data),
        "",
        "These are weak classifiers: labels are few, most reports are of one project, and of type",
        "gpu there are too few to learn from. Read the verdict with its confidence. Where a report",
        "holds a traceback, the failure's category decides instead.",
    ]


def main() -> None:
    """Cross-validate, print, train on everything and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--page", type=Path, help="write the figures there as a document")
    options = parser.parse_args()
    data = read(options.labels)
    lines = page(data)
    print("\n".join(lines))
    if options.page is not None:
        options.page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    write(TYPES_FILE, data_of(ours().fit(data.texts, data.types)))
    write(ORIGINS_FILE, data_of(ours().fit(data.texts, data.origins)))


if __name__ == "__main__":
    main()
