"""The measures of the benchmarks: ranks, hits, units of functions, and the baselines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULE = """import os

LIMIT = 3


class Net:
    size = 1

    @property
    @staticmethod
    def depth():
        return LIMIT

    def forward(self, x):
        def inner(y):
            return y

        return inner(x)
"""


@pytest.fixture(scope="module")
def scoring() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    yield import_module("scoring")
    sys.path.remove(str(ROOT / "benchmarks"))


def write_case(folder: Path, **changes: object) -> Path:
    truth = {
        "category": "tensor_mismatch",
        "category_alt": ["type_mismatch"],
        "bug_type": "model",
        "extrinsic": False,
        "framework": "pytorch",
        "format": "plain",
        "silent": False,
        "root_cause": [{"file": "net.py", "line": 7, "why": "…"}],
        "raise_site": {"file": "net.py", "line": 16},
        **changes,
    }
    (folder / "workspace").mkdir(parents=True)
    (folder / "workspace" / "net.py").write_text(MODULE, encoding="utf-8")
    (folder / "workspace" / "broken.py").write_text("def f(:\n", encoding="utf-8")
    (folder / "workspace" / "base.yaml").write_text("a: 1\nb: 2\n", encoding="utf-8")
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("file", "line", "unit"),
    [
        ("net.py", 3, ""),
        ("net.py", 6, "Net:6"),
        ("net.py", 7, "Net:6"),
        ("net.py", 9, "Net.depth:9"),
        ("net.py", 12, "Net.depth:9"),
        ("net.py", 16, "Net.forward.inner:15"),
        ("net.py", 18, "Net.forward:14"),
        ("net.py", 99, ""),
        ("broken.py", 1, ""),
        ("base.yaml", 2, ""),
        ("missing.py", 2, ""),
    ],
)
def test_unit(scoring: ModuleType, tmp_path: Path, file: str, line: int, unit: str) -> None:
    case = scoring.read_case(write_case(tmp_path / "001-net"))
    assert case.unit((file, line)) == (file, unit)


@pytest.mark.parametrize(
    ("lines", "line_rank", "function_rank"),
    [
        ((), None, None),
        ((("net.py", 16), ("net.py", 7)), 2, 2),
        ((("net.py", 16), ("net.py", 16), ("net.py", 15), ("net.py", 6)), None, 2),
        ((("net.py", 16), ("net.py", 16), ("net.py", 7)), 2, 2),
        ((("other.py", 7), ("base.yaml", 1), ("base.yaml", 2), ("net.py", 7)), 4, 3),
    ],
)
def test_ranks(
    scoring: ModuleType,
    tmp_path: Path,
    lines: tuple[tuple[str, int], ...],
    line_rank: int | None,
    function_rank: int | None,
) -> None:
    case = scoring.read_case(write_case(tmp_path / "001-net"))
    found = scoring.score(case, scoring.Answer(lines), ())
    assert (found.line_rank, found.function_rank) == (line_rank, function_rank)
    assert found.category is None


@pytest.mark.parametrize(
    ("answer", "strict", "lenient"),
    [("tensor_mismatch", True, True), ("type_mismatch", False, True), (None, False, False)],
)
def test_category(
    scoring: ModuleType, tmp_path: Path, answer: str | None, strict: bool, lenient: bool
) -> None:
    case = scoring.read_case(write_case(tmp_path / "001-net"))
    found = scoring.score(case, scoring.Answer((), answer, "model", "extrinsic"), ("category",))
    assert (found.category, found.category_or_alternative) == (strict, lenient)
    assert (found.bug_type, found.origin) == (None, None)


def test_case_kinds(scoring: ModuleType, tmp_path: Path) -> None:
    inside = scoring.read_case(write_case(tmp_path / "001-net"))
    assert inside.is_raised_elsewhere
    assert not inside.is_outside_python
    config = [{"file": "base.yaml", "line": 2, "why": "…"}]
    changes = {"root_cause": config, "raise_site": None, "extrinsic": True}
    outside = scoring.read_case(write_case(tmp_path / "002-net", **changes))
    assert not outside.is_raised_elsewhere
    assert outside.is_outside_python
    assert outside.origin == "extrinsic"
    assert [f.name for f in scoring.case_folders([tmp_path])] == ["001-net", "002-net"]


def test_bug_type_by_its_other_name(scoring: ModuleType, tmp_path: Path) -> None:
    folder = write_case(tmp_path / "001-net")
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    truth["dl_type"] = truth.pop("bug_type")
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    assert scoring.read_case(folder).bug_type == "model"


def test_figures(scoring: ModuleType) -> None:
    ranks = [1, 2, 4, None]
    assert [scoring.hits(ranks, cut) for cut in (1, 3, 5)] == [0.25, 0.5, 0.75]
    assert scoring.mean_reciprocal_rank(ranks) == pytest.approx((1 + 1 / 2 + 1 / 4) / 4)
    assert scoring.accuracy([True, False, None]) == 0.5
    assert scoring.accuracy([None]) is None


def test_methods_on_a_recorded_failure(scoring: ModuleType) -> None:
    fixtures = import_module("fixtures")
    trial = fixtures.try_case(scoring.read_case(ROOT / "fixtures" / "101-leaf-resnet-head"))
    assert trial.error is None
    frames = trial.answers[fixtures.INNERMOST].lines
    assert frames[0] == trial.case.raise_site
    assert trial.answers[fixtures.TYPE_TABLE].lines == frames[::-1]
    assert trial.answers[fixtures.TYPE_TABLE].category == "tensor_mismatch"
    assert len(trial.answers[fixtures.OURS].lines) > len(frames)


def test_table_names_categories_that_there_are(scoring: ModuleType) -> None:
    from dl_bug_lsp.taxonomy.categories import categories

    fixtures = import_module("fixtures")
    assert set(fixtures.TYPES.values()) <= {row.id for row in categories()}
