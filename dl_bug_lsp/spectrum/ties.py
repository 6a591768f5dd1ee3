"""Ranks of elements that share a score: best, average, worst, and the expected E_inspect."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

DIGITS = 9
"""Scores that agree so far are one: formulas reach equal values by different roundings."""


@dataclass(frozen=True, slots=True)
class RankRange:
    """The 1-based ranks that an element may have: its tie's first and last."""

    best: int
    worst: int

    @property
    def average(self) -> float:
        """The middle of the tie."""
        return (self.best + self.worst) / 2


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


def e_inspect(
    scores: Sequence[float], faulty: Collection[int], unscored: int = 0, unscored_faulty: int = 0
) -> float | None:
    """Return how many elements a reader expects to inspect up to the first faulty one.

    ``faulty`` holds indices into ``scores``. With the first faulty element at a score that t
    elements share, k of them faulty, and s the first rank of that tie: s + (t - k) / (k + 1) (Zou
    et al., TSE 2019; Rezaalipour and Furia, EMSE 2024). Where none of ``faulty`` is scored, the
    first is among ``unscored`` elements that all come last, ``unscored_faulty`` of them faulty;
    None where there is none either.
    """
    if not faulty:
        if unscored_faulty <= 0:
            return None
        tied = max(unscored, unscored_faulty)
        return expected_rank(len(scores) + 1, tied, unscored_faulty)
    rounded = [round(float(value), DIGITS) for value in scores]
    best = max(rounded[i] for i in faulty)
    tied = sum(value == best for value in rounded)
    inside = sum(rounded[i] == best for i in set(faulty))
    return expected_rank(1 + sum(value > best for value in rounded), tied, inside)


def expected_rank(first: int, tied: int, faulty: int) -> float:
    """Return the expected rank of the first faulty one of ``tied`` elements from ``first`` on."""
    return first + (tied - faulty) / (faulty + 1)
