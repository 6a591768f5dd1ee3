"""The spectrum: lines that failing runs execute and passing ones do not, near the stack.

Yields nothing for a case without a spectrum. Scores come from `dl_bug_lsp.spectrum.combination`,
which weighs suspiciousness, stack and words as learned on real bugs.
"""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.values import Case, Clue
from dl_bug_lsp.spectrum.combination import Suspicion, combine, shipped_weights
from dl_bug_lsp.spectrum.counting import count
from dl_bug_lsp.spectrum.failure_words import words_of_report, words_of_tests
from dl_bug_lsp.spectrum.features import FEATURES, FailureSigns
from dl_bug_lsp.spectrum.stacks import Stack, stack_as_failing_run
from dl_bug_lsp.spectrum.values import Counts, Spectrum

MAX_LINES = 100
SCALE = 6.0
"""A line whose score is so far below the best one's gets no clue. The weight of the kind in
``weights.json`` gives a clue's score this size again."""
_SAID = {
    "frame": "a frame of the stack",
    "near_frame": "near a frame of the stack",
    "named_by_test": "the test's name names the file",
    "named_by_report": "the report names the file",
}


def find(case: Case) -> Iterator[Clue]:
    """Yield the most suspicious lines; without a failing run the stack stands for one."""
    if case.spectrum is None:
        return
    counts = _lines(count(case.spectrum))
    stacks = _stacks(case)
    is_stack_alone = not counts.failing
    if is_stack_alone:
        counts = stack_as_failing_run(counts, stacks)
    listed = combine(counts, _signs(case, case.spectrum, stacks))[:MAX_LINES]
    for one in listed:
        score = 1 - (listed[0].score - one.score) / SCALE
        if score > 0:
            why = _why(one, counts, is_stack_alone)
            yield Clue("spectrum.combined", one.element.file, one.element.line, score, why)


def _lines(counts: Counts) -> Counts:
    """Return the counts of lines; branches are elements of their own."""
    return counts.where([i for i, element in enumerate(counts.elements) if not element.target])


def _stacks(case: Case) -> tuple[Stack, ...]:
    inner = dict.fromkeys((place.file, place.line) for place in reversed(case.places))
    return (tuple(inner),) if inner else ()


def _signs(case: Case, spectrum: Spectrum, stacks: tuple[Stack, ...]) -> FailureSigns:
    """Read the failure's own part of the log."""
    span = case.failure.span
    text = "\n".join(
        line.text for line in case.log.lines if span.first_line <= line.number <= span.last_line
    )
    names = [run.name for run in spectrum.failing]
    return FailureSigns(stacks, words_of_tests([case.failure], text, names), words_of_report(text))


def _why(one: Suspicion, counts: Counts, is_stack_alone: bool) -> str:
    """Say how many runs execute the line, and what else speaks for it."""
    passing = f"{one.ep} of {counts.passing} passing runs"
    if is_stack_alone:
        why = f"on the way to the failure; executed by {passing}"
    else:
        why = f"executed by {one.ef} of {counts.failing} failing and {passing}"
    weights = shipped_weights().of
    parts = {
        name: weights[name] * value
        for name, value in zip(FEATURES, one.row, strict=True)
        if name in _SAID and value > 0
    }
    if parts:
        why += f"; {_SAID[max(parts, key=lambda name: parts[name])]}"
    return why
