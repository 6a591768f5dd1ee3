"""Spectra of real bugs as recorded for the benchmark: the file's values, read with care."""

from __future__ import annotations

import gzip
import json
from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.spectrum.combination import NO_CUES, FailureCues, cues_of
from dl_bug_lsp.spectrum.formulas import DIGITS
from dl_bug_lsp.spectrum.spectrum import Counts, Element
from dl_bug_lsp.tracebacks import read_failures

TECHNIQUES = ("Tarantula", "Ochiai", "DStar")
"""Formulas whose published results the file holds."""


def e_inspect(
    scores: Sequence[float], faulty: Collection[int], unscored: int = 0, unscored_faulty: int = 0
) -> float | None:
    """Return how many elements a reader expects to inspect up to the first faulty one.

    ``faulty`` holds indices into ``scores``. With the first faulty element at a score that t
    elements share, k of them faulty, and s the first rank of that tie: s + (t - k) / (k + 1) (Zou
    et al., TSE 2019; Rezaalipour and Furia, EMSE 2024). Where none of ``faulty`` is scored, the
    first is among ``unscored`` elements that all come last, ``unscored_faulty`` of them faulty;
    None where there is none either.
    """
    if not faulty:
        if unscored_faulty <= 0:
            return None
        tied = max(unscored, unscored_faulty)
        return expected_rank(len(scores) + 1, tied, unscored_faulty)
    rounded = [round(float(value), DIGITS) for value in scores]
    best = max(rounded[i] for i in faulty)
    tied = sum(value == best for value in rounded)
    inside = sum(rounded[i] == best for i in set(faulty))
    return expected_rank(1 + sum(value > best for value in rounded), tied, inside)


def expected_rank(first: int, tied: int, faulty: int) -> float:
    """Return the expected rank of the first faulty one of ``tied`` elements from ``first`` on."""
    return first + (tied - faulty) / (faulty + 1)


def counts_of(
    rows: Iterable[tuple[Element, int, int]], failing: int = 0, passing: int = 0
) -> Counts:
    """Make counts of (element, ef, ep) rows, sorted by element; the last row of an element wins.

    Totals that are lower than a row's are raised to it: recovered data may not know them.
    """
    table = {element: (max(0, ef), max(0, ep)) for element, ef, ep in rows}
    elements = tuple(sorted(table))
    ef = array("q", (table[e][0] for e in elements))
    ep = array("q", (table[e][1] for e in elements))
    return Counts(elements, ef, ep, max([failing, *ef]), max([passing, *ep]))


@dataclass(frozen=True)
class Bug:
    """One bug: its spectrum, what its failing tests printed, and where the fault is.

    ``faulty`` holds indices into ``counts.elements``; ``hidden_faulty`` is how many faulty
    statements no failing test runs, ``hidden`` how many statements none runs.
    """

    name: str
    counts: Counts
    faulty: frozenset[int]
    hidden: int
    hidden_faulty: int
    output: str = field(repr=False, default="")
    signs: FailureCues = NO_CUES
    published: dict[str, float] = field(default_factory=dict)
    is_passing_known: bool = True

    @property
    def project(self) -> str:
        """The project that the bug is of."""
        return self.name.partition(":")[0]

    def inspect(self, scores: list[float]) -> float | None:
        """Return E_inspect of scores that run parallel to the elements."""
        return e_inspect(scores, self.faulty, self.hidden, self.hidden_faulty)

    def inspect_list(self, listed: list[Element]) -> float | None:
        """Return the rank of the first faulty statement in a list without ties.

        Where it is not listed, it is expected among all statements that are not.
        """
        wanted = {self.counts.elements[i] for i in self.faulty}
        for rank, element in enumerate(listed, 1):
            if element in wanted:
                return float(rank)
        left = len(wanted) + self.hidden_faulty
        rest = len(self.counts) + self.hidden - len(listed)
        return expected_rank(len(listed) + 1, max(rest, left), left) if left else None


def read_bugs(path: Path) -> list[Bug]:
    """Read a spectra file (plain or gzipped JSON), bugs in the file's order.

    SystemExit with one line when it is none.
    """
    try:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        bugs = json.loads(raw)["bugs"]
        return [_bug(name, entry) for name, entry in bugs.items()]
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise SystemExit(f"{path} cannot be read as a spectra file: {problem}") from problem


def _bug(name: str, entry: dict[str, Any]) -> Bug:
    rows = []
    for place, (ef, ep) in (entry.get("statements") or {}).items():
        rows.append((_element(place), int(ef or 0), int(ep or 0)))
    passing = entry.get("passing_tests")
    counts = counts_of(rows, int(entry.get("failing_tests") or 0), int(passing or 0))
    number = {element: index for index, element in enumerate(counts.elements)}
    places = {_element(place) for place in entry.get("faulty") or ()}
    faulty = frozenset(number[p] for p in places if p in number)
    total = int(entry.get("statement_count") or 0)
    output = entry.get("failure_output") or ""
    failures = read_failures(read_log(output)).failures if output else ()
    files = {element.file for element in counts.elements}
    return Bug(
        name,
        counts,
        faulty,
        max(0, total - len(counts)),
        len(places) - len(faulty),
        output,
        cues_of(failures, output, files),
        {k: float(v) for k, v in (entry.get("published_e_inspect") or {}).items() if v is not None},
        bool(passing),
    )


def _element(place: str) -> Element:
    file, _, line = place.rpartition("::")
    return Element(file, int(line))
