"""The repairs, one line each."""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue, Source
from dl_bug_lsp.evidence.repairs import (
    arguments,
    bounds,
    counterfactuals,
    missing,
    results,
    spelling,
)

REPAIRS: tuple[Source, ...] = (
    spelling.find,
    arguments.find_arguments,
    missing.find,
    arguments.find_results,
    results.find,
    bounds.find,
    bounds.find_growing,
    counterfactuals.find,
)


def find(case: Case) -> Iterator[Clue]:
    """Yield the clues of all repairs of a failure that raised something."""
    if case.failure.cause is None:
        return
    for repair in REPAIRS:
        yield from repair(case)
