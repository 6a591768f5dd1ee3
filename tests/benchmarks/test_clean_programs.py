"""Counting the statements that are refused in programs that run well."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_refused_statements_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import clean_programs

    (tmp_path / "right.py").write_text("import numpy as np\n\nprint(np.zeros(3) + np.ones(3))\n")
    (tmp_path / "wrong.py").write_text("import numpy as np\n\nnp.zeros(3) + np.ones(4)\n")
    detail = tmp_path / "detail.json"
    words = ["clean_programs.py", str(tmp_path), "--detail", str(detail)]
    monkeypatch.setattr(sys, "argv", words)
    clean_programs.main()
    shown = capsys.readouterr().out
    assert shown == "2 programs, 1 with a refused statement, 1 statements\nsize 1\n"
    assert json.loads(detail.read_text()) == {f"{tmp_path.name}/wrong.py:3": "size"}
