"""What the combination knows of a line: suspiciousness, its surroundings, stacks, and words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dl_bug_lsp.spectrum.captured import logged_failures
from dl_bug_lsp.spectrum.failure_words import (
    best_named,
    is_test_file,
    words_of_report,
    words_of_tests,
)
from dl_bug_lsp.spectrum.formulas import score
from dl_bug_lsp.spectrum.regions import Layout, layout
from dl_bug_lsp.spectrum.stacks import Stack, stacks_of
from dl_bug_lsp.spectrum.values import Counts
from dl_bug_lsp.tracebacks import Failure

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
class FailureSigns:
    """What the failing tests' text tells: stacks, and the words of their names and reports."""

    stacks: tuple[Stack, ...] = ()
    tests: frozenset[str] = frozenset()
    report: frozenset[str] = frozenset()


NO_SIGNS = FailureSigns()


def signs_of(
    failures: Iterable[Failure],
    text: str,
    files: Iterable[str],
    names: Iterable[str] = (),
    stacks: tuple[Stack, ...] | None = None,
) -> FailureSigns:
    """Read the signs off the failures that a text tells of; ``names`` are the failing tests' ids.

    ``files`` are the spectrum's; ``stacks`` those of the failures, where they are already known.
    Where none reaches the code under test, tracebacks that the program logged stand in.
    """
    failures, files = tuple(failures), frozenset(files)
    if stacks is None:
        stacks = stacks_of(failures, files)
    if all(is_test_file(file) for stack in stacks for file, _ in stack):
        stacks = tuple(dict.fromkeys((*stacks, *stacks_of(logged_failures(text), files))))
    return FailureSigns(stacks, words_of_tests(failures, text, names), words_of_report(text))


def rows_of(counts: Counts, signs: FailureSigns = NO_SIGNS) -> list[Row]:
    """Return the features of each element, in the order of `FEATURES`."""
    around = layout(counts)
    ochiai = score(counts, "Ochiai").tolist()
    highest = max(ochiai, default=0.0) or 1.0
    relative = [value / highest for value in ochiai]
    stretches: dict[int, float] = {}
    for number, value in zip(around.stretch, relative, strict=True):
        stretches[number] = max(value, stretches.get(number, 0.0))
    near = _near_frames(counts, around, signs.stacks)
    files = {element.file for element in counts.elements}
    by_test, by_report = best_named(files, signs.tests), best_named(files, signs.report)
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


def _near_frames(
    counts: Counts, around: Layout, stacks: tuple[Stack, ...]
) -> list[tuple[float, float, float]]:
    """Return, for each element: on a frame's line, near one, in the file of one.

    Each is 1/rank of the best frame, the innermost at rank 1 (Wong et al., ICSME 2014), and for
    near ones less by the number of executed lines in between.
    """
    found = [(0.0, 0.0, 0.0)] * len(counts)
    by_file: dict[str, list[int]] = {}
    for index, element in enumerate(counts.elements):
        by_file.setdefault(element.file, []).append(index)
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
            found[i] = tuple(map(max, found[i], now))  # type: ignore[assignment]
    return found
