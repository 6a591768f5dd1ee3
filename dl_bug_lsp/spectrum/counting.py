"""Counting: from a spectrum's pairs to ef and ep, also by function."""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import TYPE_CHECKING

from dl_bug_lsp.spectrum.values import Counts, Element, Spectrum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

DENSE = 1 << 27
"""Up to so many cells (bytes) a table of all pairs is filled, which is faster than sorting them."""


@lru_cache(maxsize=2)
def count(spectrum: Spectrum) -> Counts:
    """Return how many failing and passing runs execute each element.

    Remembered for the latest two: every failure of a report asks for the same counts.
    """
    return _count(spectrum, _numbers(spectrum.columns), spectrum.elements)


def count_functions(spectrum: Spectrum) -> Counts:
    """Return how many runs execute each function: those that run any element of it.

    One element a function, with the first line at which it was seen executed. Elements of no known
    function are left out. These are the counts of method-level spectra (Abreu et al., JSS 2009).
    """
    import numpy as np

    names: dict[tuple[str, str], int] = {}
    first: list[Element] = []
    of = array("q")
    for element in spectrum.elements:
        if not element.function:
            of.append(-1)
            continue
        number = names.setdefault((element.file, element.function), len(names))
        of.append(number)
        here = Element(element.file, element.line, 0, element.function)
        if number == len(first):
            first.append(here)
        else:
            first[number] = min(first[number], here)
    functions = _numbers(of)[_numbers(spectrum.columns)] if len(of) else np.zeros(0, np.int64)
    return _count(spectrum, functions, tuple(first))


def _count(spectrum: Spectrum, columns: Numbers, elements: tuple[Element, ...]) -> Counts:
    import numpy as np

    size = len(elements)
    failing = np.array([run.outcome.is_failing for run in spectrum.runs], dtype=bool)
    passing = np.array([run.outcome.is_passing for run in spectrum.runs], dtype=bool)
    runs, inside = _distinct(_numbers(spectrum.rows), columns, len(spectrum.runs), size)
    weights = np.array([run.weight for run in spectrum.runs], dtype=np.int64)

    def executed(wanted: NDArray[np.bool_]) -> array[int]:
        chosen = wanted[runs]
        # Without weights counting takes half the time.
        each = weights[runs[chosen]] if (weights[wanted] != 1).any() else None
        times = np.bincount(inside[chosen], each, minlength=size)
        return array("q", times.astype(np.int64).tobytes())

    return Counts(
        elements,
        executed(failing),
        executed(passing),
        int(weights[failing].sum()),
        int(weights[passing].sum()),
    )


def _distinct(rows: Numbers, columns: Numbers, height: int, width: int) -> tuple[Numbers, Numbers]:
    """Return each pair once; pairs with a negative column are left out."""
    import numpy as np

    known = columns >= 0
    pairs = rows[known] * max(width, 1) + columns[known]
    if height * width <= DENSE:
        seen = np.zeros(height * width, dtype=bool)
        seen[pairs] = True
        pairs = np.flatnonzero(seen)
    else:
        pairs = np.unique(pairs)
    runs, inside = np.divmod(pairs, max(width, 1))
    return runs, inside


def _numbers(values: array[int]) -> Numbers:
    import numpy as np

    return np.frombuffer(values, dtype=np.int64) if len(values) else np.zeros(0, dtype=np.int64)
