"""A spectrum as one failure sees it: its own failing runs count fully, the others less.

Tests and steps of a program are compared in different ways. Tests differ in what they execute. In
deep learning every step executes nearly the same lines, so that formulas made for tests see no
difference between layers (Cao et al., EMSE 2025, whose layer-level Tarantula is 0.5 everywhere);
of steps only differences count.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.spectrum.spectrum import PROGRAM, Counts, Run, Spectrum, count
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Relation

LEAST_LEAD = 2
"""How much more an own run counts than another failing one, at least. Together the others never
count more than the own ones: they may fail for reasons of their own."""


@dataclass(frozen=True)
class FailureSpectrum:
    """The runs of one failure; ``own`` are their indices, none where they are not known.

    Then all failing runs are taken for its own. ``files`` are those that count, None for all.
    """

    spectrum: Spectrum
    own: frozenset[int] = frozenset()
    files: frozenset[str] | None = None

    @cached_property
    def counts(self) -> Counts:
        """How many runs execute each line: what people are told."""
        return self._lines(count(self.spectrum))

    @cached_property
    def weighted(self) -> Counts:
        """The counts that rank: own runs lead, and what none of them executes has no ef.

        All weights are multiplied alike, which formulas that are ratios do not see.
        """
        runs = self.spectrum.runs
        others = sum(run.weight for i, run in enumerate(runs) if self._is_other(i, run))
        if not self.own or not others:
            return self.counts
        mine = sum(runs[i].weight for i in self.own)
        lead = max(LEAST_LEAD, -(-others // max(mine, 1)))
        weighted = self._counted(
            lambda i, run: run.weight * (1 if self._is_other(i, run) else lead)
        )
        executed = self._counted(lambda i, run: 0 if self._is_other(i, run) else run.weight)
        ef = array(
            "q", (e if mine else 0 for e, mine in zip(weighted.ef, executed.ef, strict=True))
        )
        return replace(weighted, ef=ef)

    @cached_property
    def executed(self) -> dict[str, frozenset[int]]:
        """The lines that the failure's runs execute, by file; of no other file they run any."""
        lines_by_file: dict[str, set[int]] = {}
        for element, ef in zip(self.weighted.elements, self.weighted.ef, strict=True):
            if ef:
                lines_by_file.setdefault(element.file, set()).add(element.line)
        return {file: frozenset(lines) for file, lines in lines_by_file.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the failure's runs."""
        runs = self.spectrum.runs
        chosen = [
            i for i, r in enumerate(runs) if r.outcome.is_failing and not self._is_other(i, r)
        ]
        return tuple(runs[i].name for i in chosen)

    def _is_other(self, index: int, run: Run) -> bool:
        return bool(self.own) and run.outcome.is_failing and index not in self.own

    def _counted(self, weight: Callable[[int, Run], int]) -> Counts:
        runs = tuple(replace(r, weight=weight(i, r)) for i, r in enumerate(self.spectrum.runs))
        # Not through the remembered counts: these would push out those that all failures share.
        return self._lines(count.__wrapped__(replace(self.spectrum, runs=runs)))

    def _lines(self, counts: Counts) -> Counts:
        """Return the counts of lines; branches are elements of their own."""
        files = self.files
        return counts.where(
            [
                i
                for i, element in enumerate(counts.elements)
                if not element.target and (files is None or element.file in files)
            ]
        )


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


DIALECT = "spectrum"
_NAMES = 5


def failing_runs(spectrum: Spectrum) -> Failure | None:
    """Return a failure that names the failing runs, None where all passed."""
    failing = spectrum.failing
    if not failing:
        return None
    total = len(failing) + len(spectrum.passing)
    names = ", ".join(run.name for run in failing[:_NAMES])
    more = f" and {len(failing) - _NAMES} more" if len(failing) > _NAMES else ""
    message = (
        f"{len(failing)} of {total} {'run fails' if total == 1 else 'runs fail'}: {names}{more}"
    )
    span = Span(1, 1)
    cause = Cause(DIALECT, message, (), Relation.ROOT, span)
    return Failure(FailureKind.MESSAGE, (cause,), 0, DIALECT, span, message, primary=True)
