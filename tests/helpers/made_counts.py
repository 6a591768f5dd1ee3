"""Counts of a spectrum, made of rows."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from dl_bug_lsp.spectrum.spectrum import Counts, Element


def counts_of(rows: Iterable[tuple[Element, int, int]], failing: int, passing: int) -> Counts:
    """Return the counts of (element, ef, ep) rows, by element."""
    ordered = sorted(rows)
    ef, ep = array("q", (row[1] for row in ordered)), array("q", (row[2] for row in ordered))
    return Counts(tuple(row[0] for row in ordered), ef, ep, failing, passing)
