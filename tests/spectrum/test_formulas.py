"""Formulas against tables worked out by hand, their conventions, and their laws."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_counts import counts_of

from dl_bug_lsp.spectrum.formulas import FORMULAS, score
from dl_bug_lsp.spectrum.spectrum import Counts, Element

INF = math.inf

# Two failing and three passing runs. (ef, ep) → (nf, np): a (2, 1) → (0, 2); b (1, 0) → (1, 3);
# c (0, 3) → (2, 0); d (2, 3) → (0, 0).
BY_HAND: dict[str, tuple[float, float, float, float]] = {
    # a: 1 / (1 + 1/3) = 3/4; b: ½ / ½ = 1; c: 0; d: 1 / (1 + 1) = 1/2
    "Tarantula": (3 / 4, 1, 0, 1 / 2),
    # a: 2/√(2·3); b: 1/√(2·1); d: 2/√(2·5)
    "Ochiai": (2 / math.sqrt(6), 1 / math.sqrt(2), 0, 2 / math.sqrt(10)),
    # a: 2·2/√(3·2·2·3) = 4/6; b: 1·3/√(1·4·2·3) = 3/√24; d: np = 0 above, nf + np = 0 below: 0/0
    "Ochiai2": (4 / 6, 3 / math.sqrt(24), 0, 0),
    # a: 2/(2+0+1); b: 1/(1+1+0); d: 2/(2+0+3)
    "Jaccard": (2 / 3, 1 / 2, 0, 2 / 5),
    # a: 4/(4+0+1); b: 2/(2+1+0); d: 4/(4+0+3)
    "SorensenDice": (4 / 5, 2 / 3, 0, 4 / 7),
    # a: 4/(1+0); b: 1/(0+1); c: 0/(3+2); d: 4/(3+0)
    "DStar": (4, 1, 0, 4 / 3),
    # a: 1-1/3; b: 1-0; c: 1-3/3; d: 1-3/5
    "Barinel": (2 / 3, 1, 0, 2 / 5),
    # a: nf = 0, so np = 2; b, c: nf > 0; d: np = 0
    "Op1": (2, -1, -1, 0),
    # a: 2-1/4; b: 1-0/4; c: 0-3/4; d: 2-3/4
    "Op2": (7 / 4, 1, -3 / 4, 5 / 4),
    # a: 2(1+1/(2+2)); b: 1(1+1/(0+1)); c: 0; d: 2(1+1/(6+2))
    "GP13": (5 / 2, 2, 0, 9 / 4),
    # a: |1-1/3|; b: |½-0|; c: |0-1|; d: |1-1|
    "Ample": (2 / 3, 1 / 2, 1, 0),
    # a: ½(1+2/3); b: ½(½+1); d: ½(1+2/5)
    "Kulczynski2": (5 / 6, 3 / 4, 0, 7 / 10),
    # a: 2/(2+0+1+0); b: 1/(1+1+0+0); d: 2/(2+0+3+0)
    "Zoltar": (2 / 3, 1 / 2, 0, 2 / 5),
    # 2/5; 1/5; 0; 2/5
    "RussellRao": (2 / 5, 1 / 5, 0, 2 / 5),
    # a: 2/(2+2+2·1); b: 1/(1+3+2·1); d: 2/(2+0+2·3)
    "M2": (1 / 3, 1 / 6, 0, 1 / 4),
    # a: (4-0)/(2·3); b: (1-0)/(2·1); c: (0-6)/(2·3); d: (4-0)/(2·5)
    "McCon": (2 / 3, 1 / 2, -1, 2 / 5),
}


def table(*rows: tuple[int, int], failing: int = 2, passing: int = 3) -> Counts:
    return counts_of(
        [(Element("a.py", line), *row) for line, row in enumerate(rows, 1)], failing, passing
    )


def test_every_formula_stands_in_the_table() -> None:
    assert BY_HAND.keys() == FORMULAS.keys()


@pytest.mark.parametrize("name", BY_HAND)
def test_scores_are_those_worked_out_by_hand(name: str) -> None:
    scores = score(table((2, 1), (1, 0), (0, 3), (2, 3)), name)
    assert scores.tolist() == pytest.approx(BY_HAND[name])


def test_zoltar_punishes_failing_runs_that_miss_the_element() -> None:
    # 1/(1 + 1 + 1 + 10000·1·1/1)
    assert score(table((1, 1)), "Zoltar").tolist() == pytest.approx([1 / 10003])


# One failing run, none passing: (1, 0) and (0, 0).
WITHOUT_PASSING = {
    "Tarantula": (1, 0),
    "Ochiai": (1, 0),
    "DStar": (INF, 0),
    "Ample": (1, 0),
    "Op2": (1, 0),
    "Ochiai2": (0, 0),
    "Barinel": (1, 0),
}


@pytest.mark.parametrize("name", WITHOUT_PASSING)
def test_without_passing_runs_nothing_is_divided_by_zero(name: str) -> None:
    scores = score(table((1, 0), (0, 0), failing=1, passing=0), name)
    assert tuple(scores.tolist()) == WITHOUT_PASSING[name]


@pytest.mark.parametrize("name", FORMULAS)
def test_no_runs_and_no_elements_are_no_error(name: str) -> None:
    assert not np.isnan(score(table((0, 0), failing=0, passing=0), name)).any()
    assert score(table(failing=0, passing=0), name).tolist() == []


def test_unknown_formula_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        score(table((1, 1)), "Nonsense")


GROWING = sorted(FORMULAS.keys() - {"Ample"})
"""Ample is an absolute difference, which may fall first."""
totals = st.integers(1, 30)


@pytest.mark.parametrize("name", GROWING)
@settings(deadline=None)
@given(failing=totals, passing=st.integers(0, 30), data=st.data())
def test_more_failing_runs_never_make_an_element_less_suspicious(
    name: str, failing: int, passing: int, data: st.DataObject
) -> None:
    ep = data.draw(st.integers(0, passing))
    rows = [(ef, ep) for ef in range(failing + 1)]
    scores = score(table(*rows, failing=failing, passing=passing), name)
    assert not np.isnan(scores).any()
    assert all(a <= b + 1e-9 for a, b in pairwise(scores))


@pytest.mark.parametrize("name", FORMULAS)
@settings(deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=8), data=st.data())
def test_an_element_is_scored_by_its_own_counts_alone(
    name: str, rows: list[tuple[int, int]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(rows))))
    straight = score(table(*rows, failing=5, passing=9), name).tolist()
    shuffled = score(table(*(rows[i] for i in order), failing=5, passing=9), name).tolist()
    assert shuffled == [straight[i] for i in order]
