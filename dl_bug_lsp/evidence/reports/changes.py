"""The history of files, and what files say of each other.

Recent changes, commits about similar subjects, tests named after the files that they test, and
files that change together.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dl_bug_lsp.evidence.reports.documents import Matches, Terms, joined, one_document
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval import Floats, Ints, words_of
from dl_bug_lsp.workspace.stores import Commit

MOST_COMMITS = 800
_DAY = 86_400.0
_FRESH = 60.0
_BODY = 500
_NEAREST = 40
_LARGEST = 30
_REMEMBERED = 4 * MOST_COMMITS


def commits_of(context: ReportContext) -> list[tuple[Commit, list[int]]]:
    """Return the newest commits with the rows of the files that they changed."""
    rows = context.rows
    commits = []
    for commit in context.workspace.history().commits[:MOST_COMMITS]:
        touched = [rows[c.file] for c in commit.changes if c.file in rows]
        if touched:
            commits.append((commit, touched))
    return commits


def find(context: ReportContext) -> dict[str, Floats]:
    """Return how fresh a file's last change is, and the votes of commits like the report."""
    commits = commits_of(context)
    newest = context.workspace.history().time or 0
    recent = context.zeros()
    for commit, rows in commits:
        age = max(0.0, (newest - commit.time) / _DAY)
        recent[rows] = np.maximum(recent[rows], math.exp(-age / _FRESH))
    return {"changes.recent": recent, **_alike(context, commits)}


def _alike(context: ReportContext, commits: list[tuple[Commit, list[int]]]) -> dict[str, Floats]:
    total = context.zeros()
    if commits:
        messages = [_message(c.subject, c.body[:_BODY]) for c, _ in commits]
        near = Matches(joined(messages), context.query, 0.6).bm25(context.weights["main"])
        for index in np.argsort(-near, kind="stable")[:_NEAREST]:
            commit, rows = commits[int(index)]
            if len(rows) > _LARGEST or near[index] <= 0:
                continue
            for row in rows:
                total[row] += near[index] / math.sqrt(len(rows))
                context.note("commits.sum", row, f'changed by "{commit.subject[:60]}"')
    return {
        "commits.sum": total,
        "commits.profile": _profiles(context, commits),
    }


@lru_cache(maxsize=_REMEMBERED)
def _message(subject: str, body: str) -> Terms:
    """Make the document of a commit's message; its subject counts twice beside a body."""
    return one_document(words_of(f"{subject} {subject} {body}" if body else subject))


def _profiles(context: ReportContext, commits: list[tuple[Commit, list[int]]]) -> Floats:
    """Return BM25 of what all commits of a file say; a subject counts less the more it touches."""
    row: list[Ints] = []
    number: list[Ints] = []
    count: list[Floats] = []
    for commit, rows in commits:
        if len(rows) <= _LARGEST:
            terms = _message(commit.subject, "")
            for touched in rows:
                row.append(np.full(len(terms.number), touched))
                number.append(terms.number)
                count.append(terms.count / math.sqrt(len(rows)))
    if not row:
        return context.zeros()
    width = int(max(n.max(initial=0) for n in number)) + 1
    keys, index = np.unique(
        np.concatenate(row) * width + np.concatenate(number), return_inverse=True
    )
    sums = np.bincount(index, weights=np.concatenate(count))
    terms = Terms(keys // width, keys % width, sums, len(context.files))
    return Matches(terms, context.query, 0.5).bm25(context.weights["main"])


_STRONG_FILES = 5


def co_changes(context: ReportContext, strength: Floats) -> Floats:
    """Return, for the strongest files, the share of their changes that a file took part in."""
    scores = context.zeros()
    commits = [rows for _, rows in commits_of(context) if 1 < len(rows) <= _LARGEST]
    for row in np.argsort(-strength, kind="stable")[:_STRONG_FILES].tolist():
        together = context.zeros()
        weight = 0.0
        for rows in commits:
            if row in rows:
                part = 1 / math.sqrt(len(rows))
                weight += part
                together[rows] += part
        together[row] = 0.0
        scores += strength[row] * together / (weight + 2.0)
    return scores


def neighbours(context: ReportContext, scores: Floats) -> dict[str, Floats]:
    """Return features made of the other files' first scores.

    ``near.tested`` is 1 / rank of the file that a test file is named after, ``near.tested_share``
    its share (softmax); ``near.co_change`` what the strongest files' commits also changed.
    """
    count = len(context.files)
    strength = np.zeros(count)
    order = np.argsort(-np.round(scores, 9), kind="stable")
    strength[order] = 1 / (1 + np.arange(count))
    powers = np.exp(scores - scores.max()) if count else scores
    share = powers / powers.sum() if count else scores
    tested, tested_share = context.zeros(), context.zeros()
    for row, tested_rows in enumerate(context.imports.tested):
        for other, part in tested_rows.items():
            tested[row] = max(tested[row], strength[other] * part)
            tested_share[row] = max(tested_share[row], share[other] * part)
            if strength[other] >= _STRONG:
                context.note("near.tested", row, f"tests `{context.files[other]}`")
    return {
        "near.tested": tested,
        "near.tested_share": tested_share,
        "near.co_change": co_changes(context, share),
    }


_STRONG = 0.2
