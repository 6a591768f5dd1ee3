"""What the interpreter knows of a program, compared with a real run of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
PROGRAM = """\
import random
import fractions


class Counter:
    def __init__(self, start=2):
        self.count = start

    def more(self, by: int):
        self.count += by
        return self.count


counter = Counter()
total = [counter.more(by) for by in range(3)]
half = fractions.Fraction(1, 2).limit_denominator(3)
print(f"{total}", half, random.random() < 2)
"""


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setattr("followed_values.RECORDINGS", tmp_path / "recordings")
    folder = tmp_path / "case"
    (folder / "workspace").mkdir(parents=True)
    (folder / "workspace" / "program.py").write_text(PROGRAM)
    (folder / "command.txt").write_text("python program.py\n")
    return folder


def test_values_agree_with_a_real_run(case: Path) -> None:
    from followed_values import compare

    comparison = compare(case, sys.executable)
    assert comparison is not None
    assert comparison.wrong == []
    assert comparison.missed == []
    assert any("limit_denominator" in gap for gap in comparison.gaps.values())
    assert comparison.known > 0.7


def test_a_wrong_value_is_found(case: Path) -> None:
    import followed_values

    assert followed_values.compare(case, sys.executable) is not None
    recording = next(followed_values.RECORDINGS.iterdir())
    values = json.loads(recording.read_text())
    total = next(key for key in values if key.startswith("program.py:15:8:"))
    assert values[total][0]["length"] == 3
    values[total] = [{"kind": "list", "length": 4, "items": None}]
    recording.write_text(json.dumps(values))
    comparison = followed_values.compare(case, sys.executable)
    assert comparison is not None
    assert [key for key, _, _ in comparison.wrong] == [total]
