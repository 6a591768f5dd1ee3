"""Spectra as values: outcomes, counts, functions, malformed pairs, and a million pairs."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from dl_bug_lsp.spectrum import spectrum as counting
from dl_bug_lsp.spectrum.formulas import FORMULAS, score
from dl_bug_lsp.spectrum.spectrum import (
    Element,
    Outcome,
    Run,
    Spectrum,
    count,
    count_functions,
    spectrum_of,
)

A1, A2 = Element("a.py", 1, 0, "f"), Element("a.py", 2, 0, "f")
B1 = Element("b.py", 1, 0, "g")
JUMP = Element("a.py", 1, 2, "f")


def run(name: str, outcome: Outcome) -> Run:
    return Run(name, outcome)


def test_outcomes_fall_on_the_side_that_they_speak_for() -> None:
    sides = {o.value: (o.is_failing, o.is_passing) for o in Outcome}
    assert sides == {
        "passed": (False, True),
        "failed": (True, False),
        "error": (True, False),
        "skipped": (False, False),
        "xfailed": (False, False),
        "xpassed": (False, True),
    }


def test_counting_a_small_suite() -> None:
    spectrum = spectrum_of(
        [
            (run("fails", Outcome.FAILED), [B1, A1, A1, JUMP]),
            (run("breaks", Outcome.ERROR), [A1]),
            (run("passes", Outcome.PASSED), [A1, A2]),
            (run("skipped", Outcome.SKIPPED), [A2]),
        ]
    )
    counts = count(spectrum)
    assert counts.elements == (A1, JUMP, A2, B1)
    assert (list(counts.ef), list(counts.ep)) == ([2, 1, 0, 1], [1, 0, 1, 0])
    assert (counts.failing, counts.passing) == (2, 1)
    assert [r.name for r in spectrum.failing] == ["fails", "breaks"]


def test_a_run_executes_a_function_once_whatever_lines_it_runs() -> None:
    spectrum = spectrum_of(
        [
            (run("fails", Outcome.FAILED), [A1, A2, Element("c.py", 5)]),
            (run("passes", Outcome.PASSED), [A2]),
            (run("other", Outcome.PASSED), [B1]),
        ]
    )
    counts = count_functions(spectrum)
    assert [(e.function, e.line) for e in counts.elements] == [("f", 1), ("g", 1)]
    assert (list(counts.ef), list(counts.ep)) == ([1, 0], [1, 1])


@pytest.mark.parametrize(
    ("rows", "columns", "said"),
    [
        ([0], [], "as many rows as columns"),
        ([1], [0], "names no run"),
        ([0], [1], "names no element"),
        ([0], [-1], "names no element"),
    ],
)
def test_pairs_must_point_at_something(rows: list[int], columns: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Spectrum((run("t", Outcome.PASSED),), (A1,), array("q", rows), array("q", columns))


def test_nothing_is_a_spectrum_too() -> None:
    counts = count(spectrum_of([]))
    assert len(counts) == 0
    assert (counts.failing, counts.passing) == (0, 0)
    assert len(count_functions(spectrum_of([(run("t", Outcome.FAILED), [])]))) == 0


@pytest.mark.parametrize("dense", [1 << 27, 0])
def test_a_million_pairs(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "DENSE", dense)
    pairs, tests, lines = 1_000_000, 1_000, 50_000
    random = np.random.default_rng(7)
    rows = random.integers(0, tests, pairs)
    columns = random.integers(0, lines, pairs)
    spectrum = Spectrum(
        tuple(Run(f"t{i}", Outcome.FAILED if i < 5 else Outcome.PASSED) for i in range(tests)),
        tuple(Element("a.py", line) for line in range(1, lines + 1)),
        array("q", rows.tobytes()),
        array("q", columns.tobytes()),
    )
    counts = count(spectrum)
    ran = {(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if c < 20}
    for line in range(20):
        executed = [r for r, c in ran if c == line]
        assert counts.ef[line] == sum(r < 5 for r in executed)
        assert counts.ep[line] == sum(r >= 5 for r in executed)
    for name in FORMULAS:
        assert len(score(counts, name)) == lines
