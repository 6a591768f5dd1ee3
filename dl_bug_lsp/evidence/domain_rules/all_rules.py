"""The rules, one line each."""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue, Source
from dl_bug_lsp.evidence.domain_rules import (
    batches,
    cells,
    dataframes,
    divisibility,
    division_by_zero,
    environment,
    index_ranges,
    jax_carry,
    missing,
    misuse,
    options,
    prefixes,
    registries,
    shapes,
    tracing,
    training,
    uneven_samples,
    unused_and_similar_names,
    unused_parts,
)

RULES: tuple[Source, ...] = (
    shapes.find,
    uneven_samples.find,
    index_ranges.find,
    missing.find,
    misuse.find,
    unused_and_similar_names.find,
    environment.find,
    training.find,
    tracing.find,
    division_by_zero.find,
    prefixes.find,
    registries.find,
    dataframes.find,
    cells.find,
    options.find,
    jax_carry.find,
    divisibility.find,
    unused_parts.find,
    batches.find,
)


def find(case: Case) -> Iterator[Clue]:
    """Yield the clues of all rules."""
    for rule in RULES:
        yield from rule(case)
