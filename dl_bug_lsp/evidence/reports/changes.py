"""The history of the files: recent changes and bug fixes, and commits that speak of the like."""

from __future__ import annotations

import math

import numpy as np

from dl_bug_lsp.evidence.reports.documents import joined, one_document
from dl_bug_lsp.evidence.reports.scene import Scene
from dl_bug_lsp.evidence.reports.similarity import Matches
from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.retrieval.terms import words_of
from dl_bug_lsp.workspace.history import Commit

MOST_COMMITS = 800
_DAY = 86_400.0
_HALF_LIFE = 180.0
_FRESH = 60.0
_BODY = 500
_NEAREST = 40
_LARGEST = 30


def commits_of(scene: Scene) -> list[tuple[Commit, list[int]]]:
    """Return the newest commits with the rows of the files that they changed."""
    rows = scene.rows
    found = []
    for commit in scene.workspace.history().commits[:MOST_COMMITS]:
        touched = [rows[c.file] for c in commit.changes if c.file in rows]
        if touched:
            found.append((commit, touched))
    return found


def find(scene: Scene) -> dict[str, Floats]:
    """Return recency, fixes and churn (all fading), and the votes of commits like the report."""
    commits = commits_of(scene)
    names = ("changes.recent", "changes.fixes", "changes.churn")
    found = {name: scene.zeros() for name in names}
    newest = scene.workspace.history().time or 0
    for commit, rows in commits:
        age = max(0.0, (newest - commit.time) / _DAY)
        part = math.exp(-age / _HALF_LIFE) / math.sqrt(len(rows))
        for row in rows:
            found["changes.recent"][row] = max(
                found["changes.recent"][row], math.exp(-age / _FRESH)
            )
            found["changes.churn"][row] += part
            found["changes.fixes"][row] += part * commit.is_fix
    for name in names[1:]:
        found[name] = np.log1p(found[name])
    return found | _alike(scene, commits)


def _alike(scene: Scene, commits: list[tuple[Commit, list[int]]]) -> dict[str, Floats]:
    total, best = scene.zeros(), scene.zeros()
    if commits:
        messages = [
            one_document(words_of(f"{c.subject} {c.subject} {c.body[:_BODY]}")) for c, _ in commits
        ]
        near = Matches(joined(messages), scene.query, 0.6).bm25(scene.weights["main"])
        for index in np.argsort(-near, kind="stable")[:_NEAREST]:
            commit, rows = commits[int(index)]
            if len(rows) > _LARGEST or near[index] <= 0:
                continue
            for row in rows:
                total[row] += near[index] / math.sqrt(len(rows))
                best[row] = max(best[row], near[index] / len(rows) ** 0.25)
                scene.note("commits.sum", row, f'changed by "{commit.subject[:60]}"')
    return {"commits.sum": total, "commits.best": best}


_STRONG_FILES = 5


def co_changes(scene: Scene, strength: Floats) -> Floats:
    """Return, for the strongest files, the share of their changes that a file took part in."""
    found = scene.zeros()
    commits = [rows for _, rows in commits_of(scene) if 1 < len(rows) <= _LARGEST]
    for row in np.argsort(-strength, kind="stable")[:_STRONG_FILES].tolist():
        together = scene.zeros()
        weight = 0.0
        for rows in commits:
            if row in rows:
                part = 1 / math.sqrt(len(rows))
                weight += part
                together[rows] += part
        together[row] = 0.0
        found += strength[row] * together / (weight + 2.0)
    return found
