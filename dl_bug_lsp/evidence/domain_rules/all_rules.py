"""The rules, one line each."""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.domain_rules import (
    batches,
    carries,
    cells,
    environment,
    frames,
    missing,
    misuse,
    oddities,
    offsets,
    options,
    prefixes,
    registries,
    remainders,
    shapes,
    tracing,
    training,
    uneven,
    unused_parts,
    zeros,
)
from dl_bug_lsp.evidence.values import Case, Clue, Source

RULES: tuple[Source, ...] = (
    shapes.find,
    uneven.find,
    offsets.find,
    missing.find,
    misuse.find,
    oddities.find,
    environment.find,
    training.find,
    tracing.find,
    zeros.find,
    prefixes.find,
    registries.find,
    frames.find,
    cells.find,
    options.find,
    carries.find,
    remainders.find,
    unused_parts.find,
    batches.find,
)


def find(case: Case) -> Iterator[Clue]:
    """Yield the clues of all rules."""
    for rule in RULES:
        yield from rule(case)
