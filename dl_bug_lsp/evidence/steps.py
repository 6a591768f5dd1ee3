"""Lines that the failing step executed and few or none of the steps that passed.

Yields nothing for a case without recorded runs of a program (`dl-bug-lsp run --spectrum`).
"""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.spectrum.programs import counts_of_programs

RARE = 0.5
"""Share of the passing steps beyond which a line is nothing special."""
FEW = 3
"""Passing steps at which half of the difference is believed."""
NARROW = 5
"""Lines that may stand out at full strength; more of them say less, each."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines that stand out."""
    if case.spectrum is None:
        return
    counts = counts_of_programs(case.spectrum)
    if not counts.failing or not counts.passing:
        return
    belief = counts.passing / (counts.passing + FEW)
    rare = [
        i
        for i, element in enumerate(counts.elements)
        if counts.ef[i] and not element.target and counts.ep[i] <= RARE * counts.passing
    ]
    strength = belief * min(1.0, NARROW / max(len(rare), 1))
    for i in rare:
        element, ep = counts.elements[i], counts.ep[i]
        score = strength * (1 - ep / counts.passing)
        why = f"executed by the failing run, by {ep} of {counts.passing} steps or runs that pass"
        yield Clue("steps.rare", element.file, element.line, score, why)
