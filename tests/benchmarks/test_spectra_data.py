"""The counts of recorded spectra, and the expected number of inspected elements."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from dl_bug_lsp.spectrum.spectrum import Element

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def spectra_data() -> Iterator[ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    yield import_module("spectra_data")
    sys.path.remove(str(BENCHMARKS))


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
def test_e_inspect(
    spectra_data: ModuleType, scores: list[float], faulty: set[int], expected: float
) -> None:
    assert spectra_data.e_inspect(scores, faulty) == pytest.approx(expected)


def test_unscored_statements_are_one_tie_at_the_end(spectra_data: ModuleType) -> None:
    e_inspect = spectra_data.e_inspect
    # 4 scored, then 10 others, 4 of them faulty: 5 + (10 - 4)/5
    assert e_inspect([4, 3, 2, 1], (), 10, 4) == pytest.approx(6.2)
    assert e_inspect([1.0], (), 10, 0) is None
    assert e_inspect([], ()) is None


def test_totals_are_never_below_what_the_rows_show(spectra_data: ModuleType) -> None:
    counts = spectra_data.counts_of(
        [(Element("a.py", 1), 2, 7), (Element("a.py", 2), -1, 0)], failing=1, passing=0
    )
    assert (counts.failing, counts.passing) == (2, 7)
    assert list(counts.ef) == [2, 0]
