"""Runs of programs beside tests: told apart, since they are compared in different ways.

Tests differ in what they execute. In deep learning every step executes nearly the same, so that
formulas that were made for tests see no difference between layers (Cao et al., EMSE 2025, whose
layer-level Tarantula is 0.5 everywhere); of steps only what differs is told.
"""

from __future__ import annotations

from array import array
from functools import lru_cache

from dl_bug_lsp.spectrum.counting import count
from dl_bug_lsp.spectrum.values import PROGRAM, Counts, Spectrum


@lru_cache(maxsize=2)
def tests_alone(spectrum: Spectrum) -> Spectrum:
    """Return the spectrum without runs of programs; itself where it has none."""
    return _only(spectrum, programs=False)


@lru_cache(maxsize=2)
def counts_of_programs(spectrum: Spectrum) -> Counts:
    """Return how many steps and runs of programs execute each element."""
    return count.__wrapped__(_only(spectrum, programs=True))


def _only(spectrum: Spectrum, programs: bool) -> Spectrum:
    wanted = [run.name.startswith(PROGRAM) == programs for run in spectrum.runs]
    if all(wanted):
        return spectrum
    numbers = {old: new for new, old in enumerate(i for i, is_in in enumerate(wanted) if is_in)}
    rows, columns = array("q"), array("q")
    for row, column in zip(spectrum.rows, spectrum.columns, strict=True):
        if wanted[row]:
            rows.append(numbers[row])
            columns.append(column)
    runs = tuple(run for run, is_in in zip(spectrum.runs, wanted, strict=True) if is_in)
    return Spectrum(runs, spectrum.elements, rows, columns, spectrum.signatures)
