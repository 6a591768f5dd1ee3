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
    known = columns >= 0
    pairs = np.unique(_numbers(spectrum.rows)[known] * max(size, 1) + columns[known])
    runs, inside = np.divmod(pairs, max(size, 1))
    failing = np.array([run.outcome.is_failing for run in spectrum.runs], dtype=bool)
    passing = np.array([run.outcome.is_passing for run in spectrum.runs], dtype=bool)
    ef = np.bincount(inside[failing[runs]], minlength=size)
    ep = np.bincount(inside[passing[runs]], minlength=size)
    return Counts(
        elements,
        array("q", ef.astype(np.int64).tobytes()),
        array("q", ep.astype(np.int64).tobytes()),
        int(failing.sum()),
        int(passing.sum()),
    )


def _numbers(values: array[int]) -> Numbers:
    import numpy as np

    return np.frombuffer(values, dtype=np.int64) if len(values) else np.zeros(0, dtype=np.int64)
