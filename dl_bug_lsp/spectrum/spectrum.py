"""A spectrum as values: runs with outcomes, program elements, which run executed which, counts."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


PROGRAM = "run:"
"""How the names of runs that are programs, or steps of one, begin; others are tests."""


class Outcome(Enum):
    """How a run ended, in pytest's terms."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """Setup or teardown raised."""
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    """Failed as its author expected."""
    XPASSED = "xpassed"

    @property
    def is_failing(self) -> bool:
        """Whether the run counts as failing."""
        return self in (Outcome.FAILED, Outcome.ERROR)

    @property
    def is_passing(self) -> bool:
        """Whether the run counts as passing.

        A skipped run says nothing, and an expected failure may execute a known fault: neither
        counts on any side.
        """
        return self in (Outcome.PASSED, Outcome.XPASSED)


@dataclass(frozen=True, slots=True)
class Run:
    """One test, one whole run of a program, or one iteration of a loop.

    ``weight`` says how many equal ones it stands for: thousands of training steps execute the same.
    """

    name: str
    outcome: Outcome
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Signature:
    """How an argument looked at a function's entry, as ``float32(8, 10)``, and in how many runs.

    ``line`` is the function's first, ``call_file`` and ``call_line`` where the workspace called it
    first with such an argument (line 0 where that is not known); all lines are 1-based.
    """

    file: str
    line: int
    function: str
    argument: str
    text: str
    call_file: str
    call_line: int
    passing: int
    failing: int


@dataclass(frozen=True, slots=True, order=True)
class Element:
    """Something that a run executes or does not.

    ``file`` is relative to the workspace with ``/``; ``line`` is 1-based (the first line of a
    function where the element is one). ``target`` is set for a branch: the 1-based line that
    control goes to from ``line``, negative where it leaves the code object (as coverage.py counts).
    ``function`` is the dotted name of the innermost function around, empty where none is known.
    """

    file: str
    line: int
    target: int = 0
    function: str = ""


@dataclass(frozen=True)
class Counts:
    """How many failing and passing runs execute each element: all that the formulas need.

    ``ef`` and ``ep`` run parallel to ``elements``; ``failing`` and ``passing`` are the totals, so
    that nf = failing - ef and np = passing - ep.
    """

    elements: tuple[Element, ...]
    ef: array[int]
    ep: array[int]
    failing: int
    passing: int

    def __len__(self) -> int:
        return len(self.elements)

    def where(self, wanted: Sequence[int]) -> Counts:
        """Return the counts of some elements, by index."""
        return Counts(
            tuple(self.elements[i] for i in wanted),
            array("q", (self.ef[i] for i in wanted)),
            array("q", (self.ep[i] for i in wanted)),
            self.failing,
            self.passing,
        )


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Which of ``runs`` executed which of ``elements``, sparse.

    A spectrum is equal only to itself, so that what was counted of it can be remembered.

    Pair k says that run ``rows[k]`` executed element ``columns[k]``; both are 0-based indices.
    Pairs that stand there twice count once. ValueError when an index has nothing to point at.
    ``signatures`` are those of the failing runs' functions, in the order in which they were met.
    """

    runs: tuple[Run, ...]
    elements: tuple[Element, ...]
    rows: array[int] = field(repr=False)
    columns: array[int] = field(repr=False)
    signatures: tuple[Signature, ...] = ()

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.columns):
            raise ValueError("A spectrum needs as many rows as columns.")
        for name, indices, size in (
            ("run", self.rows, len(self.runs)),
            ("element", self.columns, len(self.elements)),
        ):
            if indices and not (min(indices) >= 0 and max(indices) < size):
                raise ValueError(
                    f"A pair of the spectrum names no {name}: its index is out of range."
                )

    @property
    def failing(self) -> tuple[Run, ...]:
        """The failing runs."""
        return tuple(run for run in self.runs if run.outcome.is_failing)

    @property
    def passing(self) -> tuple[Run, ...]:
        """The passing runs."""
        return tuple(run for run in self.runs if run.outcome.is_passing)


def spectrum_of(executed: Iterable[tuple[Run, Iterable[Element]]]) -> Spectrum:
    """Make a spectrum of runs, each with what it executed; elements are sorted."""
    runs: list[Run] = []
    numbers: dict[Element, int] = {}
    rows, columns = array("q"), array("q")
    for run, elements in executed:
        for element in elements:
            rows.append(len(runs))
            columns.append(numbers.setdefault(element, len(numbers)))
        runs.append(run)
    ordered = sorted(numbers)
    place = array("q", bytes(8 * len(numbers)))
    for new, element in enumerate(ordered):
        place[numbers[element]] = new
    return Spectrum(tuple(runs), tuple(ordered), rows, array("q", (place[c] for c in columns)))


# ---------------------------------------------------------------------- from pairs to ef and ep
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
