"""Arguments whose shape, dtype or device the failing step met and no passing one.

Yields nothing for a case whose spectrum has no signatures (`dl-bug-lsp run --spectrum`). The first
function that met an odd argument is nearest to where it came from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.spectrum.values import Signature

MOST = 6
"""Odd arguments that are followed."""
LATER = 0.8
"""What each later one counts of the one before it."""
VARIED = 8
"""Passing forms of an argument beyond which another form is nothing odd."""
DECAY = 4.0
STEPS = 60


def find(case: Case) -> Iterator[Clue]:
    """Yield the functions that met odd arguments, their calls, and what these were made of."""
    for order, (odd, usual) in enumerate(odd_arguments(case)):
        strength = LATER**order / len(usual)
        now = f"`{odd.argument}` is {odd.text} in the failing step"
        before = f"{usual[0]} in those before" if len(usual) == 1 else "never before"
        why = f"{now}, {before}"
        yield Clue("signatures.entry", odd.file, odd.line, strength, why)
        if odd.call_line:
            yield Clue("signatures.call", odd.call_file, odd.call_line, strength, why)
            yield from _origins(case, odd, strength, why)


def odd_arguments(case: Case) -> list[tuple[Signature, list[str]]]:
    """Return signatures that only the failing step met, each with the forms that passed."""
    signatures = case.spectrum.signatures if case.spectrum is not None else ()
    passed: dict[tuple[str, str, str], list[str]] = {}
    for one in signatures:
        if one.passing:
            passed.setdefault((one.file, one.function, one.argument), []).append(one.text)
    found = []
    for one in signatures:
        usual = passed.get((one.file, one.function, one.argument), [])
        if one.failing and not one.passing and 0 < len(usual) <= VARIED:
            found.append((one, usual))
    return found[:MOST]


def _origins(case: Case, odd: Signature, strength: float, why: str) -> Iterator[Clue]:
    """Yield what decides about the values at the call, where the call is on the stack."""
    for site in case.sites:
        if (site.place.file, site.place.line) == (odd.call_file, odd.call_line):
            for step in backward_slice(list(site.nodes), STEPS):
                if step.decides and step.node.line > 0:
                    score = strength * math.exp(-step.distance / DECAY)
                    what = f"`{step.node.text}` goes into the call where {why}"
                    yield Clue("signatures.origin", step.node.file, step.node.line, score, what)
