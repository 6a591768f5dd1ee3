"""Spectrum, stack traces and words as one ranking, with learned weights.

The features of a line are its suspiciousness, its surroundings, stacks, and words. Surroundings are
stretches of a file, and blocks that the same runs execute; printed frames become lines of the
spectrum's files. The score of a line is a weighted sum of its features; the weights in
``weights.json`` are learned listwise by ``benchmarks/train_spectrum.py``. Lines are then listed as
a reader examines them: who has seen one line and found no fault believes its neighbours less, so
that the next place comes first (maximal marginal relevance, Carbonell and Goldstein, SIGIR 1998).
"""

from __future__ import annotations

import heapq
import json
import math
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from dl_bug_lsp.spectrum.failing_runs import (
    best_named,
    is_test_file,
    logged_failures,
    words_of_report,
    words_of_tests,
)
from dl_bug_lsp.spectrum.formulas import score
from dl_bug_lsp.spectrum.spectrum import Counts, Element
from dl_bug_lsp.tracebacks import Failure, FailureKind, Frame
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

FEATURES = (
    "suspiciousness",
    "stretch",
    "last_line",
    "depth",
    "frame",
    "near_frame",
    "frame_file",
    "named_by_test",
    "named_by_report",
)
"""Names of the features, in the order of a row; every one but the first is between 0 and 1."""
FLOOR = 0.2
"""Added to suspiciousness before its logarithm is taken.

A line that very many passing runs execute is not ruled out: a stack trace may still point at it.
"""
NEAR_LINES = 60
MAX_FRAMES = 50
"""Frames of a stack that count, from the innermost on: the others would add next to nothing."""

Row = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FailureCues:
    """What the failing tests' text tells: stacks, and the words of their names and reports."""

    stacks: tuple[Stack, ...] = ()
    tests: frozenset[str] = frozenset()
    report: frozenset[str] = frozenset()


NO_CUES = FailureCues()


def cues_of(
    failures: Iterable[Failure],
    text: str,
    files: Iterable[str],
    names: Iterable[str] = (),
    stacks: tuple[Stack, ...] | None = None,
) -> FailureCues:
    """Read the signs off the failures that a text tells of; ``names`` are the failing tests' ids.

    ``files`` are the spectrum's; ``stacks`` those of the failures, where they are already known.
    Where none reaches the code under test, tracebacks that the program logged stand in.
    """
    failures, files = tuple(failures), frozenset(files)
    if stacks is None:
        stacks = stacks_of(failures, files)
    if all(is_test_file(file) for stack in stacks for file, _ in stack):
        stacks = tuple(dict.fromkeys((*stacks, *stacks_of(logged_failures(text), files))))
    return FailureCues(stacks, words_of_tests(failures, text, names), words_of_report(text))


def rows_of(counts: Counts, cues: FailureCues = NO_CUES) -> list[Row]:
    """Return the features of each element, in the order of `FEATURES`."""
    around = layout(counts)
    ochiai = score(counts, "Ochiai").tolist()
    highest = max(ochiai, default=0.0) or 1.0
    relative = [value / highest for value in ochiai]
    stretches: dict[int, float] = {}
    for number, value in zip(around.stretch, relative, strict=True):
        stretches[number] = max(value, stretches.get(number, 0.0))
    near = _near_frames(counts, around, cues.stacks)
    files = {element.file for element in counts.elements}
    by_test, by_report = best_named(files, cues.tests), best_named(files, cues.report)
    return [
        (
            math.log((relative[i] + FLOOR) / (1 + FLOOR)),
            stretches[around.stretch[i]],
            float(around.is_last[i]),
            around.depth[i],
            *near[i],
            float(element.file in by_test),
            float(element.file in by_report),
        )
        for i, element in enumerate(counts.elements)
    ]


def _by_file(counts: Counts) -> dict[str, list[int]]:
    """Return the indices of the elements of each file."""
    by_file: dict[str, list[int]] = {}
    for index, element in enumerate(counts.elements):
        by_file.setdefault(element.file, []).append(index)
    return by_file


def _near_frames(
    counts: Counts, around: Layout, stacks: tuple[Stack, ...]
) -> list[tuple[float, float, float]]:
    """Return, for each element: on a frame's line, near one, in the file of one.

    Each is 1/rank of the best frame, the innermost at rank 1 (Wong et al., ICSME 2014), and for
    near ones less by the number of executed lines in between.
    """
    nearness = [(0.0, 0.0, 0.0)] * len(counts)
    by_file = _by_file(counts)
    best: dict[tuple[str, int], int] = {}
    for stack in stacks:
        for rank, (file, line) in enumerate(stack[:MAX_FRAMES], 1):
            best[file, line] = min(rank, best.get((file, line), rank))
    for (file, line), rank in best.items():
        here = by_file.get(file, [])
        if not here:
            continue
        closest = min(here, key=lambda i: (abs(counts.elements[i].line - line), i))
        is_hit = counts.elements[closest].line == line
        for i in here:
            apart = abs(counts.elements[i].line - line)
            steps = abs(around.position[i] - around.position[closest]) + (not is_hit)
            now = (
                float(apart == 0) / rank,
                1 / (1 + steps) / rank if apart <= NEAR_LINES else 0.0,
                1 / rank,
            )
            nearness[i] = tuple(map(max, nearness[i], now))  # type: ignore[assignment]
    return nearness


GAP = 8
"""Executed lines further apart than this are mostly in two functions."""
BLOCK_GAP = 10


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each executed element stands among its neighbours, parallel to the elements.

    ``position`` counts the elements by file and line; ``stretch`` numbers the runs of executed
    lines with gaps of at most `GAP`; ``is_last`` tells the last line of a stretch; ``depth`` is how
    far into its block an element stands, from 0 to below 1. A block is a sequence of lines with the
    same counts: they come one after the other, with no branch between them.
    """

    position: list[int]
    stretch: list[int]
    is_last: list[bool]
    depth: list[float]


def layout(counts: Counts) -> Layout:
    """Return the layout of the elements."""
    size = len(counts)
    order = sorted(range(size), key=lambda i: (counts.elements[i].file, counts.elements[i].line, i))
    position, stretch = [0] * size, [0] * size
    is_last, depth = [True] * size, [0.0] * size
    for place, index in enumerate(order):
        position[index] = place
    for number, members in enumerate(_groups(counts, order, GAP, same_counts=False)):
        for index in members:
            stretch[index] = number
            is_last[index] = index == members[-1]
    for members in _groups(counts, order, BLOCK_GAP, same_counts=True):
        for place, index in enumerate(members):
            depth[index] = place / len(members)
    return Layout(position, stretch, is_last, depth)


def _groups(
    counts: Counts, order: list[int], gap: int, *, same_counts: bool
) -> Iterator[list[int]]:
    """Yield maximal sequences of neighbours in one file, gaps in lines bounded."""
    members: list[int] = []
    for index in order:
        if members:
            before, here = counts.elements[members[-1]], counts.elements[index]
            together = before.file == here.file and here.line - before.line <= gap
            if same_counts:
                last = members[-1]
                together = together and counts.ef[last] == counts.ef[index]
                together = together and counts.ep[last] == counts.ep[index]
            if not together:
                yield members
                members = []
        members.append(index)
    if members:
        yield members


Stack = tuple[tuple[str, int], ...]
"""Files of the spectrum with 1-based lines, the innermost frame first, each line once."""


def stacks_of(failures: Iterable[Failure], files: Iterable[str]) -> tuple[Stack, ...]:
    """Return the stacks of exceptions, in the order of the text, as far as they are in ``files``.

    A printed path belongs to the longest of the files that it ends in.
    """
    finder = Finder(files)
    stacks: list[Stack] = []
    for failure in failures:
        if failure.kind is FailureKind.EXCEPTION:
            stack = finder.stack(failure.frames)
            if stack:
                stacks.append(stack)
    return tuple(stacks)


class Finder:
    """Finds which file of a spectrum a printed path means."""

    def __init__(self, files: Iterable[str]) -> None:
        self._files = frozenset(files)

    def file(self, printed: str) -> str | None:
        """Return the longest file that the printed path ends in, or None.

        Of installed code it must be the whole path below the folder of packages, so that the
        ``utils.py`` of a library is not taken for the workspace's.
        """
        parts = printed.replace("\\", "/").split("/")
        if is_library_path(printed):
            below = [i + 1 for i, part in enumerate(parts) if _holds_packages(part)]
            tails = ["/".join(parts[start:]) for start in below[-1:]]
        else:
            tails = ["/".join(parts[start:]) for start in range(len(parts))]
        return next((tail for tail in tails if tail in self._files), None)

    def stack(self, frames: Iterable[Frame]) -> Stack:
        """Return the lines of frames that stand outermost first."""
        lines: dict[tuple[str, int], None] = {}
        for frame in reversed(tuple(frames)):
            file = self.file(frame.file)
            if file is not None and frame.line > 0:
                lines[file, frame.line] = None
        return tuple(lines)


def _holds_packages(folder: str) -> bool:
    return folder in ("site-packages", "dist-packages") or folder.endswith(".egg")


def stack_as_failing_run(counts: Counts, stacks: tuple[Stack, ...]) -> Counts:
    """Return counts in which each stack is a failing run: the idea of SBEST (Pacheco et al., 2024).

    For failures of which no run was recorded. A run surely executed the lines of its frames; of
    the code around them it executed some, so that a stretch with a frame counts up to the frame's
    line.
    """
    around = layout(counts)
    by_file = _by_file(counts)
    ef = array("q", bytes(8 * len(counts)))
    for stack in stacks:
        run: set[int] = set()
        for file, line in stack:
            here = by_file.get(file, [])
            hit = {around.stretch[i] for i in here if counts.elements[i].line == line}
            run.update(
                i for i in here if around.stretch[i] in hit and counts.elements[i].line <= line
            )
        for index in run:
            ef[index] += 1
    return Counts(counts.elements, ef, counts.ep, max(1, len(stacks)), counts.passing)


# ---------------------------------------------------------------------- the ranking
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
