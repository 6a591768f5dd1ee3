"""Formulas of suspiciousness, and a spectrum as a table that they rank.

A formula is one row: ef, ep, nf and np in, scores out. ef and ep are how many failing and passing
runs execute an element, nf and np how many do not. All formulas follow one convention where they
divide by zero: 0/0 is 0, and x/0 is infinite. The table has lines, functions or branches, with
ranks, scores and counts. Ranks of elements that share a score: best, average, worst, and the
expected E_inspect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dl_bug_lsp.spectrum.spectrum import Counts, Element

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula with its usual name and where it was published."""

    name: str
    source: str
    compute: Callable[[Array, Array, Array, Array], Array]


def over(above: Array, below: Array) -> Array:
    """Divide element by element: 0/0 is 0, x/0 infinite."""
    import numpy as np

    above, below = np.broadcast_arrays(np.asarray(above, np.float64), np.asarray(below, np.float64))
    empty = np.where(above == 0, 0.0, np.copysign(np.inf, above))
    return np.divide(above, below, out=empty, where=below != 0)


def root(values: Array) -> Array:
    """Return the square root of each value."""
    import numpy as np

    return np.asarray(np.sqrt(values), np.float64)


def tarantula(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """(ef / F) / (ef / F + ep / P), with F = ef + nf and P = ep + np."""
    fails = over(ef, ef + nf)
    return over(fails, fails + over(ep, ep + np_))


def ochiai(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef / sqrt(F (ef + ep))."""
    return over(ef, root((ef + nf) * (ef + ep)))


def ochiai2(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef np / sqrt((ef + ep)(nf + np)(ef + nf)(ep + np))."""
    return over(ef * np_, root(ef + ep) * root(nf + np_) * root(ef + nf) * root(ep + np_))


def jaccard(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef / (ef + nf + ep)."""
    return over(ef, ef + nf + ep)


def sorensen_dice(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return 2 ef / (2 ef + nf + ep)."""
    return over(2 * ef, 2 * ef + nf + ep)


def dstar(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef² / (ep + nf): D* with its star at 2, the authors' choice."""
    return over(ef * ef, ep + nf)


def barinel(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """1 - ep / (ep + ef), 0 for what no failing run executes."""
    return over(ef, ef + ep)


def op1(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """-1 for what some failing run does not execute, else np: optimal for a single fault."""
    import numpy as np

    return np.where(nf > 0, -1.0, np_)


def op2(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef - ep / (P + 1)."""
    return ef - over(ep, ep + np_ + 1)


def gp13(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef (1 + 1 / (2 ep + ef)): found by genetic programming."""
    return ef + over(ef, 2 * ep + ef)


def ample(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """|ef / F - ep / P|."""
    import numpy as np

    return np.asarray(np.abs(over(ef, ef + nf) - over(ep, ep + np_)), np.float64)


def kulczynski2(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """½ (ef / (ef + nf) + ef / (ef + ep))."""
    return (over(ef, ef + nf) + over(ef, ef + ep)) / 2


def zoltar(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef / (ef + nf + ep + 10000 nf ep / ef), 0 for what no failing run executes."""
    return over(ef * ef, ef * (ef + nf + ep) + 10000 * nf * ep)


def russell_rao(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef / (ef + ep + nf + np)."""
    return over(ef, ef + ep + nf + np_)


def m2(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """Return ef / (ef + np + 2 (nf + ep))."""
    return over(ef, ef + np_ + 2 * (nf + ep))


def mccon(ef: Array, ep: Array, nf: Array, np_: Array) -> Array:
    """(ef² - nf ep) / ((ef + nf)(ef + ep))."""
    return over(ef * ef - nf * ep, (ef + nf) * (ef + ep))


_NAISH = "Naish, Lee and Ramamohanarao, TOSEM 2011"
FORMULAS: dict[str, Formula] = {
    f.name: f
    for f in (
        Formula("Tarantula", "Jones and Harrold, ASE 2005", tarantula),
        Formula("Ochiai", "Abreu, Zoeteweij and van Gemund, PRDC 2006", ochiai),
        Formula("Ochiai2", _NAISH, ochiai2),
        Formula("Jaccard", "Chen et al. (Pinpoint), DSN 2002", jaccard),
        Formula("SorensenDice", _NAISH, sorensen_dice),
        Formula("DStar", "Wong, Debroy, Gao and Li, TR 2014", dstar),
        Formula("Barinel", "Abreu, Zoeteweij and van Gemund, ASE 2009", barinel),
        Formula("Op1", _NAISH, op1),
        Formula("Op2", _NAISH, op2),
        Formula("GP13", "Yoo, SSBSE 2012", gp13),
        Formula("Ample", "Dallmeier, Lindig and Zeller, ECOOP 2005", ample),
        Formula("Kulczynski2", _NAISH, kulczynski2),
        Formula("Zoltar", "Gonzalez, MSc thesis, TU Delft 2007", zoltar),
        Formula("RussellRao", _NAISH, russell_rao),
        Formula("M2", _NAISH, m2),
        Formula("McCon", _NAISH, mccon),
    )
}
"""The formulas by name."""


def score(counts: Counts, formula: str = "Ochiai") -> Array:
    """Return each element's suspiciousness; KeyError for a formula that `FORMULAS` lacks."""
    import numpy as np

    compute = FORMULAS[formula].compute
    ef = np.array(counts.ef, dtype=np.float64)
    ep = np.array(counts.ep, dtype=np.float64)
    return compute(ef, ep, counts.failing - ef, counts.passing - ep)


# ---------------------------------------------------------------------- the ranked table
COMBINED = "combined"
"""The name under which our own ranking stands beside the formulas."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """An element with its 1-based ranks, the first and last of its tie, and its ``score``.

    With a formula the score is its value, with the combination the estimated probability of being
    the cause. ``failing`` and ``passing`` count the runs that execute the element, None where that
    cannot be seen (a config's line).
    """

    best: int
    worst: int
    score: float
    element: Element
    failing: int | None
    passing: int | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by rank; ``failing`` and ``passing`` are all runs, ``others`` the other failures.

    Each of those is a test's name and its first place. ``failure`` names the test whose ranking it
    is, empty where the rows rank for all of them.
    """

    formula: str
    level: str
    rows: tuple[TableRow, ...]
    failing: int
    passing: int
    others: tuple[tuple[str, str], ...] = ()
    of: str = "runs"
    """What was compared: tests, steps or, of both, runs."""
    failure: str = ""


def formula_table(counts: Counts, formula: str, level: str) -> Table:
    """Rank what a failing run executes by a formula; KeyError for an unknown one."""
    values = [float(value) for value in score(counts, formula).tolist()]
    run = [i for i in range(len(counts)) if counts.ef[i] > 0]
    ranks = rank_ranges([values[i] for i in run])
    rows = [
        TableRow(rank.best, rank.worst, values[i], counts.elements[i], counts.ef[i], counts.ep[i])
        for i, rank in zip(run, ranks, strict=True)
    ]
    rows.sort(key=lambda row: (row.best, row.element))
    return Table(formula, level, tuple(rows), counts.failing, counts.passing)


def shares_table(
    shares: Sequence[tuple[str, int, str, float, str]],
    counts: Counts,
    level: str,
    others: Sequence[tuple[str, str]] = (),
    failure: str = "",
) -> Table:
    """Rank by shares: (file, line, function, share, why) of lines, best first, or of functions."""
    known = {
        (e.file, e.line if level == "line" else e.function): i
        for i, e in enumerate(counts.elements)
    }
    rows = []
    for rank, (file, line, function, share, why) in enumerate(shares, 1):
        at = known.get((file, line if level == "line" else function))
        ef, ep = (counts.ef[at], counts.ep[at]) if at is not None else (None, None)
        element = Element(file, line, 0, function)
        rows.append(TableRow(rank, rank, share, element, ef, ep, why))
    return Table(
        COMBINED, level, tuple(rows), counts.failing, counts.passing, tuple(others), failure
    )


DIGITS = 9
"""Scores that agree so far are one: formulas reach equal values by different roundings."""


@dataclass(frozen=True, slots=True)
class RankRange:
    """The 1-based ranks that an element may have: its tie's first and last."""

    best: int
    worst: int


def rank_ranges(scores: Sequence[float]) -> list[RankRange]:
    """Return the range of ranks of every element, the highest score first."""
    rounded = [round(float(value), DIGITS) for value in scores]
    order = sorted(range(len(rounded)), key=lambda i: -rounded[i])
    ranges = [RankRange(0, 0)] * len(rounded)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and rounded[order[end]] == rounded[order[at]]:
            end += 1
        for index in order[at:end]:
            ranges[index] = RankRange(at + 1, end)
        at = end
    return ranges
