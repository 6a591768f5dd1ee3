"""Ranks within ties."""

from __future__ import annotations

import math

from dl_bug_lsp.spectrum.formulas import rank_ranges


def test_a_tie_has_a_best_and_a_worst_rank() -> None:
    ranges = rank_ranges([0.5, 0.9, 0.5, 0.1, 0.5])
    assert [(r.best, r.worst) for r in ranges] == [
        (2, 4),
        (1, 1),
        (2, 4),
        (5, 5),
        (2, 4),
    ]


def test_rounding_does_not_part_a_tie_and_infinity_is_one() -> None:
    assert [r.worst for r in rank_ranges([0.1 + 0.2, 0.3])] == [2, 2]
    assert [r.best for r in rank_ranges([math.inf, 1.0, math.inf])] == [1, 3, 1]
