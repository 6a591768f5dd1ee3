"""Spectrum, stack traces and words as one ranking, with learned weights.

The score of a line is a weighted sum of its features; the weights in ``weights.json`` are learned
listwise by ``benchmarks/train_spectrum.py``. Lines are then listed as a reader examines them: who
has seen one line and found no fault believes its neighbours less, so that the next place comes
first (maximal marginal relevance, Carbonell and Goldstein, SIGIR 1998).
"""

from __future__ import annotations

import heapq
import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from dl_bug_lsp.spectrum.failure_words import is_test_file
from dl_bug_lsp.spectrum.features import FEATURES, NO_CUES, FailureCues, Row, rows_of
from dl_bug_lsp.spectrum.spectrum import Counts, Element

DOUBT = 0.7
"""How much less an examined line's neighbours are believed, right beside it."""
REACH = 3.0
"""Over how many lines the doubt falls to 1/e of that."""
FAR = 30


@dataclass(frozen=True, slots=True)
class CombinationWeights:
    """What each feature adds; ``sharpness`` turns scores into shares that hold what they say."""

    of: dict[str, float]
    sharpness: float
    trained_on: tuple[str, ...] = ()

    def sum(self, row: Row) -> float:
        """Return the score of a row of features."""
        return math.fsum(
            self.of.get(name, 0.0) * value for name, value in zip(FEATURES, row, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Suspicion:
    """An element with its place in the list.

    ``score`` falls along the list; ``share`` is the estimated probability that the element is
    faulty; ``row`` holds the features, ``ef`` and ``ep`` how many failing and passing runs execute
    it.
    """

    element: Element
    score: float
    share: float
    row: Row
    ef: int
    ep: int


@lru_cache(maxsize=1)
def shipped_weights() -> CombinationWeights:
    """Return the weights that ship with the package."""
    text = resources.files("dl_bug_lsp.spectrum").joinpath("weights.json").read_text("utf-8")
    return weights_from(json.loads(text))


def weights_from(data: dict[str, Any]) -> CombinationWeights:
    """Make weights of the data file's content."""
    return CombinationWeights(data["weights"], data["sharpness"], tuple(data["trained_on"]))


def candidates(counts: Counts) -> Counts:
    """Return what may hold the fault: elements that a failing run executes, tests left out.

    Tests stay where nothing else was executed.
    """
    run = [i for i in range(len(counts)) if counts.ef[i] > 0]
    code = [i for i in run if not is_test_file(counts.elements[i].file)]
    return counts.where(code or run)


def combine(
    counts: Counts, cues: FailureCues = NO_CUES, weights: CombinationWeights | None = None
) -> list[Suspicion]:
    """Return the candidates as a reader should examine them, the most suspicious first."""
    weights = weights or shipped_weights()
    inside = candidates(counts)
    rows = rows_of(inside, cues)
    scores = [round(weights.sum(row), 9) for row in rows]
    top = max(scores, default=0.0)
    powers = [math.exp(weights.sharpness * (value - top)) for value in scores]
    total = math.fsum(powers)
    return [
        Suspicion(inside.elements[i], value, powers[i] / total, rows[i], inside.ef[i], inside.ep[i])
        for i, value in examine(inside.elements, scores)
    ]


def examine(
    elements: tuple[Element, ...],
    scores: list[float],
    doubt: float = DOUBT,
    reach: float = REACH,
) -> list[tuple[int, float]]:
    """Return the indices in the order of examination, each with its score when its turn comes.

    Always the best is next, ties by file and line; its neighbours' scores then fall by
    -log(1 - ``doubt`` · exp(-distance / ``reach``)), the distance in lines.
    """
    by_file: dict[str, list[int]] = {}
    for index in sorted(range(len(elements)), key=lambda i: (elements[i], i)):
        by_file.setdefault(elements[index].file, []).append(index)
    place = {i: at for members in by_file.values() for at, i in enumerate(members)}
    now = list(scores)
    heap = [(-value, elements[i], i) for i, value in enumerate(now)]
    heapq.heapify(heap)
    done: list[tuple[int, float]] = []
    seen = [False] * len(now)
    while heap:
        value, _, i = heapq.heappop(heap)
        if seen[i] or -value != now[i]:
            continue
        seen[i] = True
        done.append((i, now[i]))
        members = by_file[elements[i].file]
        for step in (-1, 1):
            at = place[i] + step
            while 0 <= at < len(members):
                j = members[at]
                apart = abs(elements[j].line - elements[i].line)
                if apart > FAR:
                    break
                if not seen[j]:
                    now[j] += math.log1p(-doubt * math.exp(-apart / reach))
                    heapq.heappush(heap, (-now[j], elements[j], j))
                at += step
    return done
