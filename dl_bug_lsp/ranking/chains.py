"""The chain from a suspicious place to the failure: the steps of the slice between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.provenance.slices import Step
from dl_bug_lsp.report import ChainStep, Suspect

MOST_SUSPECTS = 10
"""The first suspects of a failure, which get a chain."""
MOST_STEPS = 8
"""Steps of a chain; of a longer one its middle is left out."""


def with_chains(suspects: tuple[Suspect, ...], case: Case) -> tuple[Suspect, ...]:
    """Return the suspects, the first of them with the steps that lead to the failing expression."""
    if not suspects or not case.starts:
        return suspects
    nearest: dict[tuple[str, int], Step] = {}
    for step in _steps(case):
        nearest.setdefault((step.node.file, step.node.line), step)
    chains = {
        place: _chain(nearest[place])
        for s in suspects[:MOST_SUSPECTS]
        if (place := (s.file, s.line)) in nearest
    }
    return tuple(replace(s, chain=chains.get((s.file, s.line), ())) for s in suspects)


def _steps(case: Case) -> Iterator[Step]:
    """Yield the steps of the slices, those first that decide what the message complains of."""
    yield from (step for step in case.property_slice if step.decides)
    yield from case.raise_slice
    for steps in case.outer_slices:
        yield from steps


def _chain(step: Step) -> tuple[ChainStep, ...]:
    """Return the steps from a step's place to where its slice starts.

    Of each line it is the first expression; of the line where the slice starts, the whole one.
    """
    found: dict[tuple[str, int], ChainStep] = {}
    way = step.way()
    for one in reversed(way):
        node = one.node
        if node.line > 0 and node.text:
            found.setdefault((node.file, node.line), ChainStep(node.file, node.line, node.text))
    start = way[0].node
    if (start.file, start.line) in found and start.text:
        found[start.file, start.line] = ChainStep(start.file, start.line, start.text)
    chain = tuple(found.values())
    if len(chain) < 2:
        return ()
    if len(chain) <= MOST_STEPS:
        return chain
    return (*chain[: MOST_STEPS // 2], *chain[-MOST_STEPS // 2 :])
