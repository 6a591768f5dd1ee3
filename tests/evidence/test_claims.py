"""Sentences of a report claim no more than is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.workspace import Workspace


def report(folder: Path, program: str, line: int, error: str, inside: str = "") -> FailureReport:
    """Return the report on a program of one file that fails at a line of its module."""
    (folder / "main.py").write_text(program, encoding="utf-8")
    source = program.splitlines()[line - 1].strip()
    text = "Traceback (most recent call last):\n"
    text += f'  File "main.py", line {line}, in <module>\n    {source}\n'
    text += f'  File "/usr/lib/python3/site-packages/{inside}\n    ...\n' if inside else ""
    found = localize(f"{text}{error}\n", Workspace(folder, cache=False)).primary
    assert found is not None
    return found


def reasons(found: FailureReport, line: int = 0) -> str:
    """Return what is said of a line, or of all lines."""
    suspects = [s for s in found.suspects if line in (0, s.line)]
    return " / ".join(piece.why for suspect in suspects for piece in suspect.evidence)


def test_a_quotient_is_made_of_both_its_operands(tmp_path: Path) -> None:
    program = """\
import numpy as np


def split(heads, width):
    part = width // heads
    return np.ones((3, part)) @ np.ones((heads, 2))


split(4, 100)
"""
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    text = """\
Traceback (most recent call last):
  File "main.py", line 9, in <module>
    split(4, 100)
  File "main.py", line 6, in split
    return np.ones((3, part)) @ np.ones((heads, 2))
ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature \
(n?,k),(k,m?)->(n?,m?) (size 4 is different from 25)
"""
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    said = reasons(found, 5)
    assert "makes 25 of 100 and 4" in said
    assert "makes 25 of 4" not in said


READS = """\
import pandas as pd

rows = pd.read_csv("rows.csv")
rows["size"] = rows["size"].astype(float)
"""


@pytest.mark.parametrize("mark", ["?", "-", " ", "missing"])
def test_a_mark_that_pandas_does_not_know_is_named(tmp_path: Path, mark: str) -> None:
    error = f"ValueError: could not convert string to float: '{mark}'"
    said = reasons(report(tmp_path, READS, 4, error))
    assert f"`'{mark}'` is none that pandas knows by itself" in said


@pytest.mark.parametrize("mark", ["N/A", "null", "None", ""])
def test_a_mark_that_pandas_knows_is_not_kept(tmp_path: Path, mark: str) -> None:
    error = f"ValueError: could not convert string to float: '{mark}'"
    assert "marks of missing values" not in reasons(report(tmp_path, READS, 4, error))


def test_empty_cells_are_supposed_only(tmp_path: Path) -> None:
    program = """\
import pandas as pd
from sklearn.linear_model import LinearRegression

rows = pd.read_csv("rows.csv")
LinearRegression().fit(rows[["a"]], rows["b"])
"""
    said = reasons(report(tmp_path, program, 5, "ValueError: Input X contains NaN."))
    assert (
        "where the file has empty cells, `rows = pd.read_csv('rows.csv')` reads them as NaN" in said
    )


NUMPY_OF_GRAPH = """\
import torch

weights = torch.tensor([1.0, 2.0], requires_grad=True)
weights = weights.numpy()
"""


def test_a_refused_conversion_cuts_no_gradient(tmp_path: Path) -> None:
    error = "RuntimeError: Can't call numpy() on Tensor that requires grad. Use \
tensor.detach().numpy() instead."
    assert "cuts the gradient" not in reasons(report(tmp_path, NUMPY_OF_GRAPH, 4, error))
