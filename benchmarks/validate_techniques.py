"""Compare our BugLocator and BLUiR with the study's own record, bug by bug.

    python benchmarks/validate_techniques.py --bugs FILE --repositories DIR

FILE's lines hold, under ``study``, the average precision that each technique reached in the study
(Jahan et al., EMSE 2025). Two controls show what the record of BLUiR is like: the same eight sums
with bare term counts in BM25's place (no idf, no file length), and the files by length alone.
Last, rank-bm25, the sparse matrix and the postings are compared: the same ranking, and how long.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from denchmark_bugs import Bug, by_repository, find_repository, read_bugs
from denchmark_metrics import Score, reciprocal_rank
from denchmark_runs import fixed_reports
from git_versions import Versions
from scipy.stats import spearmanr

from dl_bug_lsp.retrieval import Floats, bm25, bm25_by_library, bm25_by_matrix
from dl_bug_lsp.techniques.information_retrieval import BLUIR, BUGLOCATOR
from dl_bug_lsp.techniques.scores import Composition, FixedReport, Query, Subject
from dl_bug_lsp.workspace import GitError, Workspace

EVERY = 10
"""Of the reports, one in so many is ranked by all ways to BM25."""


def bare_counts(subject: Subject) -> Floats:
    """Return BLUiR's eight sums with a term's count in the file in BM25's place."""
    total = subject.zeros()
    for asked in (subject.summary, subject.description):
        for field in subject.fields:
            rows, columns, counts = field.postings(asked.numbers)
            weights = counts * asked.counts[columns]
            total = total + np.bincount(rows, weights=weights, minlength=len(field))
    return total


CHOSEN = (
    (BUGLOCATOR, "buglocator"),
    (BLUIR, "bluir"),
    (Composition("bare counts", "a control", bare_counts), "bluir"),
    (Composition("length", "a control", lambda subject: subject.corpus.lengths), "bluir"),
)
"""What is ranked, and the technique of the record that it is compared with."""


def subjects(bugs: Sequence[Bug], repositories: Path) -> list[tuple[Bug, Subject]]:
    """Return each bug with its version's files; those without a version at hand are left out."""
    found: list[tuple[Bug, Subject]] = []
    for _, group in by_repository(bugs):
        repository = find_repository(repositories, group[0])
        if repository is None:
            continue
        with Versions(repository) as versions:
            reports = fixed_reports(group, versions)
            for bug in group:
                try:
                    workspace = versions.workspace(bug.version)
                except GitError:
                    continue
                found.append((bug, _read(bug, workspace, reports)))
    return found


def _read(bug: Bug, workspace: Workspace, reports: Sequence[tuple[str, FixedReport]]) -> Subject:
    earlier = [
        report
        for project, report in reports
        if project == bug.project and bug.opened is not None and report.fixed < bug.opened
    ]
    subject = Subject(Query(bug.summary, bug.description, bug.opened), workspace, earlier)
    # All that is asked of the files is read here, while the repository's process lives.
    _ = subject.corpus, subject.fields
    return subject


def judge(technique: Composition, bug: Bug, subject: Subject) -> Score:
    """Return the first rank and the average precision of a technique on a bug."""
    files = [file for file, _ in technique.rank_subject(subject).files]
    ranks = [rank for rank, file in enumerate(files, 1) if file in bug.files]
    total = sum(hit / rank for hit, rank in enumerate(ranks, 1))
    return Score(ranks[0] if ranks else None, total / len(bug.files) if bug.files else 0.0)


def compared(cases: list[tuple[Bug, Subject]], record: dict[tuple[str, str], Any]) -> list[str]:
    """Return the table: means of ours and of the record, and the rank correlation over bugs."""
    lines = ["| | mean AP | mean RR | record's mean AP | record's mean RR | Spearman of AP |"]
    lines.append("|---|---|---|---|---|---|")
    for technique, name in CHOSEN:
        scores = [judge(technique, bug, subject) for bug, subject in cases]
        ours = [score.average_precision for score in scores]
        theirs = [record[bug.project, bug.id][name] for bug, _ in cases]
        precision = [row["average_precision"] for row in theirs]
        reciprocal = fmean(1 / row["first_rank"] if row["first_rank"] else 0.0 for row in theirs)
        lines.append(
            f"| {technique.name} | {fmean(ours):.3f} | {fmean(map(reciprocal_rank, scores)):.3f} "
            f"| {fmean(precision):.3f} | {reciprocal:.3f} "
            f"| {float(spearmanr(ours, precision).statistic):.3f} |"
        )
    return lines


def ways_to_bm25(cases: list[tuple[Bug, Subject]]) -> list[str]:
    """Return in how many rankings the ways to BM25 agree, and the time of each."""
    ways: dict[str, Callable[..., Floats]] = {
        "postings": bm25, "rank-bm25": bm25_by_library, "sparse matrix": bm25_by_matrix
    }  # fmt: skip
    seconds = dict.fromkeys(ways, 0.0)
    same = 0
    for _, subject in cases:
        orders = []
        for name, way in ways.items():
            start = time.perf_counter()
            scores = way(subject.corpus, subject.text)
            seconds[name] += time.perf_counter() - start
            orders.append(np.lexsort((np.arange(len(scores)), -np.round(scores, 6))).tolist())
        same += orders[0] == orders[1] == orders[2]
    shown = ", ".join(f"{name} {1000 * s / len(cases):.1f} ms" for name, s in seconds.items())
    return [f"the same ranking in {same} of {len(cases)} reports; a report: {shown}"]


def main() -> None:
    """Read, rank, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    options = parser.parse_args()
    bugs, problems = read_bugs(options.bugs)
    rows = [json.loads(line) for line in options.bugs.read_text("utf-8").splitlines() if line]
    record = {(row["project"], str(row["id"])): row["study"] for row in rows if row.get("study")}
    known = [bug for bug in bugs if (bug.project, bug.id) in record]
    cases = subjects(known, options.repositories)
    print(f"{len(cases)} bugs with a record")
    for line in (*compared(cases, record), "", *ways_to_bm25(cases[::EVERY]), *problems):
        print(line)


if __name__ == "__main__":
    main()
