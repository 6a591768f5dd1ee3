"""A spectrum as a ranked table: lines, functions or branches, with ranks, scores and counts.

Ranks of elements that share a score: best, average, worst, and the expected E_inspect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dl_bug_lsp.spectrum.formulas import score
from dl_bug_lsp.spectrum.spectrum import Counts, Element

COMBINED = "combined"
"""The name under which our own ranking stands beside the formulas."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """An element with its 1-based ranks, the first and last of its tie, and its ``score``.

    With a formula the score is its value, with the combination the estimated probability of being
    the cause. ``failing`` and ``passing`` count the runs that execute the element, None where that
    cannot be seen (a config's line).
    """

    best: int
    worst: int
    score: float
    element: Element
    failing: int | None
    passing: int | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by rank; ``failing`` and ``passing`` are all runs, ``others`` the other failures.

    Each of those is a test's name and its first place. ``failure`` names the test whose ranking it
    is, empty where the rows rank for all of them.
    """

    formula: str
    level: str
    rows: tuple[TableRow, ...]
    failing: int
    passing: int
    others: tuple[tuple[str, str], ...] = ()
    failure: str = ""


def formula_table(counts: Counts, formula: str, level: str) -> Table:
    """Rank what a failing run executes by a formula; KeyError for an unknown one."""
    values = [float(value) for value in score(counts, formula).tolist()]
    run = [i for i in range(len(counts)) if counts.ef[i] > 0]
    ranks = rank_ranges([values[i] for i in run])
    rows = [
        TableRow(rank.best, rank.worst, values[i], counts.elements[i], counts.ef[i], counts.ep[i])
        for i, rank in zip(run, ranks, strict=True)
    ]
    rows.sort(key=lambda row: (row.best, row.element))
    return Table(formula, level, tuple(rows), counts.failing, counts.passing)


def shares_table(
    shares: Sequence[tuple[str, int, str, float, str]],
    counts: Counts,
    level: str,
    others: Sequence[tuple[str, str]] = (),
    failure: str = "",
) -> Table:
    """Rank by shares: (file, line, function, share, why) of lines, best first, or of functions."""
    known = {
        (e.file, e.line if level == "line" else e.function): i
        for i, e in enumerate(counts.elements)
    }
    rows = []
    for rank, (file, line, function, share, why) in enumerate(shares, 1):
        at = known.get((file, line if level == "line" else function))
        ef, ep = (counts.ef[at], counts.ep[at]) if at is not None else (None, None)
        element = Element(file, line, 0, function)
        rows.append(TableRow(rank, rank, share, element, ef, ep, why))
    return Table(
        COMBINED, level, tuple(rows), counts.failing, counts.passing, tuple(others), failure
    )


DIGITS = 9
"""Scores that agree so far are one: formulas reach equal values by different roundings."""


@dataclass(frozen=True, slots=True)
class RankRange:
    """The 1-based ranks that an element may have: its tie's first and last."""

    best: int
    worst: int


def rank_ranges(scores: Sequence[float]) -> list[RankRange]:
    """Return the range of ranks of every element, the highest score first."""
    rounded = [round(float(value), DIGITS) for value in scores]
    order = sorted(range(len(rounded)), key=lambda i: -rounded[i])
    ranges = [RankRange(0, 0)] * len(rounded)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and rounded[order[end]] == rounded[order[at]]:
            end += 1
        for index in order[at:end]:
            ranges[index] = RankRange(at + 1, end)
        at = end
    return ranges
