"""Ranks within ties, and the expected number of inspected elements."""

from __future__ import annotations

import math

import pytest

from dl_bug_lsp.spectrum.table import e_inspect, rank_ranges


def test_a_tie_has_a_best_a_middle_and_a_worst_rank() -> None:
    ranges = rank_ranges([0.5, 0.9, 0.5, 0.1, 0.5])
    assert [(r.best, r.average, r.worst) for r in ranges] == [
        (2, 3.0, 4),
        (1, 1.0, 1),
        (2, 3.0, 4),
        (5, 5.0, 5),
        (2, 3.0, 4),
    ]


def test_rounding_does_not_part_a_tie_and_infinity_is_one() -> None:
    assert [r.worst for r in rank_ranges([0.1 + 0.2, 0.3])] == [2, 2]
    assert [r.best for r in rank_ranges([math.inf, 1.0, math.inf])] == [1, 3, 1]


@pytest.mark.parametrize(
    ("scores", "faulty", "expected"),
    [
        ([3, 2, 1], {0}, 1),  # alone at the top
        ([3, 2, 1], {1, 2}, 2),  # only the first faulty one counts
        ([1, 1, 1], {0}, 2),  # 1 + (3 - 1)/2
        ([1, 1, 1, 1], {1, 3}, 1 + 2 / 3),  # 1 + (4 - 2)/3
        ([5, 1, 1, 1, 0], {2}, 3),  # 2 + (3 - 1)/2
        ([5, 1, 1, 0], {1, 2, 3}, 2),  # 2 + (2 - 2)/3: the whole tie is faulty
    ],
)
def test_e_inspect(scores: list[float], faulty: set[int], expected: float) -> None:
    assert e_inspect(scores, faulty) == pytest.approx(expected)


def test_unscored_statements_are_one_tie_at_the_end() -> None:
    # 4 scored, then 10 others, 4 of them faulty: 5 + (10 - 4)/5
    assert e_inspect([4, 3, 2, 1], (), 10, 4) == pytest.approx(6.2)
    assert e_inspect([1.0], (), 10, 0) is None
    assert e_inspect([], ()) is None
