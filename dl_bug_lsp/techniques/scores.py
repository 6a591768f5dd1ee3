"""The scores that the published techniques are composed of; each gives one number a file."""

from __future__ import annotations

import math

from dl_bug_lsp.retrieval import vsm
from dl_bug_lsp.retrieval.bm25 import bm25_scores
from dl_bug_lsp.retrieval.corpus import Corpus, Floats
from dl_bug_lsp.techniques.subject import Subject, text_document
from dl_bug_lsp.workspace.history import Commit

DAY = 86_400.0
NEAR_FRAMES = 10
FAR_FRAME = 0.1
IMPORTED = 0.1


def text_score(subject: Subject) -> Floats:
    """Return rVSMScore of the whole report (Zhou et al., ICSE 2012)."""
    return vsm.rvsm(subject.corpus, subject.text)


def structure_score(subject: Subject) -> Floats:
    """Return the sum of the eight BM25 scores of two report fields and four file fields.

    Saha et al., ASE 2013: sum over fields q of the report and d of the file of s(q, d).
    """
    total = subject.zeros()
    for asked in (subject.summary, subject.description):
        for field in subject.fields:
            total = total + bm25_scores(field, asked)
    return total


def structured_vsm_score(subject: Subject) -> Floats:
    """Return the sum of the eight TF-IDF cosines of the same fields (Youm et al., 2017)."""
    total = subject.zeros()
    for asked in (subject.summary, subject.description):
        for field in subject.fields:
            total = total + vsm.cosines(field, asked)
    return total


def similar_score(subject: Subject) -> Floats:
    """Return SimiScore: sum over earlier reports S that changed f of cos(q, S) / |files of S|.

    Zhou et al., ICSE 2012.
    """
    total = subject.zeros()
    nearness = vsm.cosines(subject.reports, subject.text)
    for report, near in zip(subject.earlier, nearness, strict=True):
        for file in report.files:
            row = subject.rows.get(file)
            if row is not None:
                total[row] += near / len(report.files)
    return total


def stack_score(subject: Subject) -> Floats:
    """Return BoostScore of the stack traces in the report (Wong et al., ICSME 2014).

    A file on a stack gets 1 / rank, its rank counted from the raise site among the distinct files
    of the stack; 0.1 beyond rank 10. Files that those import get 0.1.
    """
    total = subject.zeros()
    ranks: dict[str, int] = {}
    for place in subject.frames:
        ranks.setdefault(place.file, len(ranks) + 1)
    for file in ranks:
        for module in subject.workspace.elements(file).imports:
            row = subject.rows.get(subject.workspace.module_file(module, file) or "")
            if row is not None:
                total[row] = max(float(total[row]), IMPORTED)
    for file, rank in ranks.items():
        row = subject.rows.get(file)
        if row is not None:
            total[row] = 1.0 / rank if rank <= NEAR_FRAMES else FAR_FRAME
    return total


def recency(age: float, window: float) -> float:
    """Return 1 / (1 + e^(12 (1 - (k - t) / k))) for a commit of ``age`` t days, ``window`` k.

    Wang and Lo, ICPC 2014, after Google's bug prediction: 0.5 for one of just now, near 0 at the
    window's far end.
    """
    return 1.0 / (1.0 + math.exp(12.0 * min(1.0, max(0.0, age / window))))


def recent_fixes(subject: Subject, window: float) -> list[tuple[Commit, float]]:
    """Return the bug-fixing commits of the last ``window`` days, each with its recency."""
    found: list[tuple[Commit, float]] = []
    for commit in subject.workspace.history().fixes:
        age = (subject.now - commit.time) / DAY
        if 0 <= age <= window:
            found.append((commit, recency(age, window)))
    return found


def history_score(subject: Subject, window: float = 15.0) -> Floats:
    """Return the sum of the recencies of the bug fixes that touched a file (AmaLgam, k = 15)."""
    total = subject.zeros()
    for commit, recent in recent_fixes(subject, window):
        for change in commit.changes:
            row = subject.rows.get(change.file)
            if row is not None:
                total[row] += recent
    return total


def commit_score(subject: Subject, window: float = 120.0) -> Floats:
    """Return the same over 120 days, each fix by the cosine of its message and the report (BLIA).

    Youm et al., Information and Software Technology 82, 2017: commits that speak of other things
    than the report count less.
    """
    total = subject.zeros()
    fixes = recent_fixes(subject, window)
    messages = Corpus([text_document(commit.message) for commit, _ in fixes])
    nearness = vsm.cosines(messages, subject.text)
    for (commit, recent), near in zip(fixes, nearness, strict=True):
        for change in commit.changes:
            row = subject.rows.get(change.file)
            if row is not None:
                total[row] += recent * near
    return total
