"""Train DNNLOC's network and write its weights as readable, rounded JSON.

    python benchmarks/train_dnnloc.py --bugs FILE --repositories DIR

DIR holds clones as DIR/owner/name. One network is trained on all projects and, for each project,
one on the others; a report's features come from its version and earlier fixes alone. The result
depends on the data and the version of scikit-learn alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from denchmark_bugs import Bug, by_repository, find_repository, read_bugs
from denchmark_runs import fixed_reports
from git_versions import Versions
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier

from dl_bug_lsp.techniques.dnnloc import ALL, FEATURES, feature_rows
from dl_bug_lsp.techniques.scores import Query, Subject
from dl_bug_lsp.workspace import GitError

WEIGHTS = Path(__file__).resolve().parent.parent / "dl_bug_lsp" / "techniques" / "dnnloc.json"
UNITS = 8
WRONG_FILES = 100
"""Files a report that are not buggy: those nearest to it in words, as in the paper."""
PENALTY = 1.0
DIGITS = 3


@dataclass(frozen=True)
class Rows:
    """Features of some files of one project's report, and which of them are buggy."""

    project: str
    features: NDArray[np.float64]
    buggy: NDArray[np.bool_]


def rows_of(bugs: list[Bug], repositories: Path) -> Iterator[Rows]:
    """Yield each report's training rows; reports without a version at hand are left out."""
    for _, group in by_repository(bugs):
        repository = find_repository(repositories, group[0])
        if repository is None:
            continue
        with Versions(repository) as versions:
            reports = fixed_reports(group, versions)
            for bug in group:
                earlier = [
                    report
                    for project, report in reports
                    if bug.opened is not None and project == bug.project
                    and report.id != bug.id and report.fixed < bug.opened
                ]  # fmt: skip
                until = bug.opened.timestamp() if bug.opened is not None else None
                try:
                    workspace = versions.workspace(bug.version, known_until=until)
                except GitError:
                    continue
                query = Query(bug.summary, bug.description, bug.opened)
                yield _chosen(bug, Subject(query, workspace, earlier))


def _chosen(bug: Bug, subject: Subject) -> Rows:
    features = feature_rows(subject)
    buggy = np.array([file in bug.files for file in subject.files], dtype=bool)
    order = np.argsort(-features[:, 0], kind="stable")
    wrong = [row for row in order if not buggy[row]][:WRONG_FILES]
    rows = [*np.flatnonzero(buggy), *wrong]
    return Rows(bug.project, features[rows], buggy[rows])


def train(rows: list[Rows]) -> dict[str, Any]:
    """Return the weights of a network trained on these rows."""
    features = np.concatenate([row.features for row in rows])
    buggy = np.concatenate([row.buggy for row in rows])
    model = MLPClassifier(
        (UNITS,), activation="tanh", solver="lbfgs", alpha=PENALTY, max_iter=3000, random_state=0
    )
    model.fit(features, buggy)
    (hidden, out), (hidden_bias, out_bias) = model.coefs_, model.intercepts_
    return {
        "hidden": np.round(hidden, DIGITS).tolist(),
        "hidden_bias": np.round(hidden_bias, DIGITS).tolist(),
        "out": np.round(out[:, 0], DIGITS).tolist(),
        "out_bias": round(float(out_bias[0]), DIGITS),
    }


def write(networks: dict[str, Any]) -> None:
    """Write the networks, one layer a line."""
    parts = []
    for name, network in networks.items():
        layers = ",\n".join(f'  "{key}": {json.dumps(value)}' for key, value in network.items())
        parts.append(f"{json.dumps(name)}: {{\n{layers}\n}}")
    body = ",\n".join(parts)
    head = f'"features": {json.dumps(FEATURES)},\n"networks": {{\n'
    WEIGHTS.write_text(f"{{{head}{body}\n}}}}\n", encoding="utf-8")


def main() -> None:
    """Train all networks and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    options = parser.parse_args()
    bugs, problems = read_bugs(options.bugs)
    rows = list(rows_of(bugs, options.repositories))
    projects = sorted({row.project for row in rows})
    networks = {ALL: train(rows)}
    for project in projects:
        networks[project] = train([row for row in rows if row.project != project])
    write(networks)
    for line in (*problems, f"{len(rows)} reports of {len(projects)} projects"):
        print(line)


if __name__ == "__main__":
    main()
