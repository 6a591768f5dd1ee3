"""Lines of one statement are one place of a spectrum."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dl_bug_lsp.evidence.statements import statement_spans
from dl_bug_lsp.localize import localize
from dl_bug_lsp.spectrum.values import Element, Outcome, Run, spectrum_of
from dl_bug_lsp.workspace import Workspace

SPANS = {
    "x = 1": {},
    "x = (1,\n     2)": {1: (1, 2), 2: (1, 2)},
    "if (a and\n    b):\n    c()": {1: (1, 2), 2: (1, 2)},
    "for x in f(\n    1\n):\n    c()": {1: (1, 3), 2: (1, 3), 3: (1, 3)},
    "with a(\n    1\n) as b:\n    c(\n      2)": {
        **dict.fromkeys((1, 2, 3), (1, 3)),
        **dict.fromkeys((4, 5), (4, 5)),
    },
    "def f(a,\n      b):\n    pass": {},
    "try:\n    f(\n    )\nfinally:\n    g()": {2: (2, 3), 3: (2, 3)},
}


@pytest.mark.parametrize("code", SPANS)
def test_spans_of_statements(code: str) -> None:
    assert statement_spans(ast.parse(code)) == SPANS[code]


CODE = """\
def scaled(x, rates):
    if (
        x > 0
        and rates
    ):
        total = sum(
            rate * x
            for rate in rates
        )
        return total
    return 0
"""
ASSERTION = """\
=================================== FAILURES ===================================
__________________________________ test_scaled _________________________________

    def test_scaled():
>       assert scaled(2, [1]) == 4
E       assert 2 == 4

tests/test_calc.py:4: AssertionError
"""
INSIDE = """\
=================================== FAILURES ===================================
__________________________________ test_scaled _________________________________

tests/test_calc.py:4: in test_scaled
    assert scaled(2, ["a"]) == 4
calc.py:6: in scaled
    total = sum(
calc.py:7: in <genexpr>
    rate * x
E   TypeError: can't multiply sequence by non-int of type 'float'
"""
PLACES = {
    "the statement as a whole": (ASSERTION, (6, 9)),
    "the line of a frame": (INSIDE, (7, 7)),
}


@pytest.mark.parametrize("case", PLACES)
def test_a_statement_is_suspected_once(tmp_path: Path, case: str) -> None:
    text, expected = PLACES[case]
    (tmp_path / "calc.py").write_text(CODE)
    failing = Run("tests/test_calc.py::test_scaled", Outcome.FAILED)
    passing = Run("tests/test_calc.py::test_zero", Outcome.PASSED)
    spectrum = spectrum_of(
        [
            (failing, [Element("calc.py", line) for line in (2, 3, 4, 6, 7, 8, 10)]),
            (passing, [Element("calc.py", line) for line in (2, 3, 11)]),
        ]
    )
    primary = localize(text, Workspace(tmp_path, cache=False), spectrum=spectrum).primary
    assert primary is not None
    inside = [(s.line, s.end_line) for s in primary.suspects if 6 <= s.line <= 9]
    assert inside[0] == expected
    assert case == "the line of a frame" or len(inside) == 1
