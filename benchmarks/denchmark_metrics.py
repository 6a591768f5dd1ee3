"""Ranks, average precision and their means, with bootstrap intervals."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass

SAMPLES = 2000
SEED = 20210522
CUTS = (1, 5, 10)


@dataclass(frozen=True)
class Score:
    """How a ranking met the truth: 1-based rank of the first hit (None without one), and AP."""

    first_rank: int | None
    average_precision: float


def score(hits: Sequence[Collection[Hashable]], truth: Collection[Hashable]) -> Score:
    """Judge a ranking; ``hits`` tells for each rank which elements of the truth stand there.

    Average precision is the mean over the truth of the precision at the rank where an element is
    met first (Manning, Raghavan, Schütze: Introduction to Information Retrieval, 8.4); an element
    that is never met adds 0.
    """
    met: dict[Hashable, float] = {}
    first: int | None = None
    relevant = 0
    for rank, found in enumerate(hits, 1):
        if not found:
            continue
        relevant += 1
        first = first or rank
        for element in found:
            met.setdefault(element, relevant / rank)
    total = sum(met[element] for element in sorted(met, key=repr))
    return Score(first, total / len(truth) if truth else 0.0)


def top(cut: int) -> Callable[[Score], float]:
    """Return the measure Top@cut of one bug: whether the first hit stands that high."""
    return lambda s: float(s.first_rank is not None and s.first_rank <= cut)


def reciprocal_rank(s: Score) -> float:
    """Return 1/rank of the first hit, 0 without one."""
    return 1 / s.first_rank if s.first_rank else 0.0


MEASURES: dict[str, Callable[[Score], float]] = {
    **{f"Top@{cut}": top(cut) for cut in CUTS},
    "MRR": reciprocal_rank,
    "MAP": lambda s: s.average_precision,
}


@dataclass(frozen=True)
class Mean:
    """A mean with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


def mean(values: Sequence[float]) -> Mean:
    """Return the mean and its percentile bootstrap interval (Efron, 1979), seeded; 0 of nothing."""
    if not values:
        return Mean(0.0, 0.0, 0.0)
    count = len(values)
    drawn = random.Random(SEED)
    means = sorted(sum(drawn.choices(values, k=count)) / count for _ in range(SAMPLES))
    low, high = means[int(0.025 * SAMPLES)], means[int(0.975 * SAMPLES) - 1]
    return Mean(sum(values) / count, low, high)
