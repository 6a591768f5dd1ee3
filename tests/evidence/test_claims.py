"""Sentences of a report claim no more than is known."""

from __future__ import annotations

import json
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


def notebook(folder: Path, cells: list[str], failing: int, error: str) -> FailureReport:
    """Return the report on a notebook of which one cell's first line fails."""
    written = [
        {
            "cell_type": "code",
            "execution_count": number,
            "id": f"c{number}",
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(keepends=True),
        }
        for number, cell in enumerate(cells, 1)
    ]
    book = {"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "nb.ipynb").write_text(json.dumps(book, indent=1), encoding="utf-8")
    first = cells[failing - 1].splitlines()[0]
    text = f"""\
---------------------------------------------------------------------------
{error.partition(":")[0]}                                Traceback (most recent call last)
Cell In[{failing}], line 1
----> 1 {first}

{error}
"""
    found = localize(text, Workspace(folder, cache=False)).primary
    assert found is not None
    return found


def test_an_assignment_that_is_refused_hands_nothing_on(tmp_path: Path) -> None:
    cells = [
        "import torch\nX = torch.arange(12.0).reshape((3, 4))",
        "X[1, 2] = torch.tensor([5, 6, 7])",
        "X[:] = torch.tensor([1, 2, 3])",
    ]
    error = (
        "RuntimeError: The expanded size of the tensor (4) must match the existing size (3) at "
        "non-singleton dimension 1.  Target sizes: [3, 4].  Tensor sizes: [3]"
    )
    said = reasons(notebook(tmp_path, cells, 3, error))
    assert "torch.arange" in said or "goes into the size 4" in said
    assert "torch.tensor([5, 6, 7])" not in said


def test_a_result_that_is_refused_is_not_lost(tmp_path: Path) -> None:
    cells = [
        "import numpy as np\nrow = np.array([1, 2, 3, 4])",
        "row.reshape((3, 5))\nprint(row)",
        "row.reshape((2, 2))\nprint(row)",
        "row.arange(4)",
    ]
    error = "AttributeError: 'numpy.ndarray' object has no attribute 'arange'"
    said = reasons(notebook(tmp_path, cells, 4, error))
    assert "`row.reshape((2, 2))` gives a new value" in said
    assert "`row.reshape((3, 5))` gives a new value" not in said


def test_a_none_that_is_turned_back_does_not_arrive(tmp_path: Path) -> None:
    program = """\
import numpy as np


def path(name):
    if not name:
        return None
    return name + ".npy"


def load(name):
    file = path(name)
    if file is None:
        return []
    return np.load(file)


load("rows")
"""
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    text = """\
Traceback (most recent call last):
  File "main.py", line 17, in <module>
    load("rows")
  File "main.py", line 14, in load
    return np.load(file)
PermissionError: [Errno 13] Permission denied: 'rows.npy'
"""
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert "`None`" not in reasons(found)


@pytest.mark.parametrize(
    ("call", "changes"),
    [
        ("rows.sample(5)", False),
        ("rows.to_csv('b.csv')", False),
        ("rows.drop('b', axis=1)", False),
        ("rows.drop('b', axis=1, inplace=True)", True),
        ("rows.insert(0, 'c', 1)", True),
    ],
)
def test_a_call_that_changes_nothing_configures_nothing(
    tmp_path: Path, call: str, changes: bool
) -> None:
    cells = ["import pandas as pd\nrows = pd.read_csv('a.csv')", call, "pd.to_numeric(rows.a)"]
    error = 'ValueError: Unable to parse string " " at position 4'
    said = reasons(notebook(tmp_path, cells, 3, error))
    assert ("may configure what goes into" in said) is changes


def test_a_query_of_another_object_configures_nothing(tmp_path: Path) -> None:
    cells = [
        "import gensim\nwords = gensim.models.KeyedVectors.load_word2vec_format('v.txt')",
        "words.most_similar('dog')",
        "words.most_similar('cat')",
    ]
    said = reasons(notebook(tmp_path, cells, 3, "KeyError: \"word 'cat' not in vocabulary\""))
    assert "may configure what goes into" not in said


def test_numbers_of_axes_are_no_sizes(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("age,name\n1,a\n2,b\n3,c\n", encoding="utf-8")
    program = """\
import pandas as pd
from sklearn.preprocessing import OrdinalEncoder

rows = pd.read_csv("rows.csv")
OrdinalEncoder().fit_transform(rows.iloc[:, 1])
"""
    error = "ValueError: Expected 2D array, got 1D array instead:\narray=['a' 'b' 'c']."
    said = reasons(report(tmp_path, program, 5, error))
    assert "size" not in said
    assert "do not fit" not in said
    assert "of the message" not in said and "in the message" not in said


@pytest.mark.parametrize(
    "error",
    [
        "ValueError: Custom expected a rank-4 input tensor; got x.dim()=3.",
        "ValueError: Data must be 1-dimensional",
        "IndexError: too many indices for array: array is 1-dimensional, but 4 were indexed",
        "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got 1D",
        "ValueError: Input 0 of layer rnn is incompatible with the layer: expected ndim=3, found "
        "ndim=4",
    ],
)
def test_a_number_in_the_program_is_no_number_of_axes(tmp_path: Path, error: str) -> None:
    program = """\
import helpers

WIDTH, COUNT, HEIGHT = 3, 4, 1
helpers.work(helpers.make(WIDTH, COUNT, HEIGHT))
"""
    assert "in the message" not in reasons(report(tmp_path, program, 4, error))


MAY_PASS = "may get past"


def test_a_layer_is_made_with_lengths(tmp_path: Path) -> None:
    program = """\
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        self.part = width // heads
        self.layer = nn.Linear(heads, width)
        self.keys = torch.randn(self.part, self.part)
        self.order = [n for n in range(heads)]

    def forward(self):
        return self.layer(self.keys)


Heads(4, 100)()
"""
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    text = """\
Traceback (most recent call last):
  File "main.py", line 17, in <module>
    Heads(4, 100)()
  File "main.py", line 14, in forward
    return self.layer(self.keys)
  File "/usr/lib/python3/site-packages/torch/nn/modules/linear.py", line 116, in forward
    return F.linear(input, self.weight, self.bias)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (25x25 and 4x100)
"""
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert "range(heads)" not in reasons(found)


def test_names_in_another_order_are_no_repair(tmp_path: Path) -> None:
    program = """\
import matplotlib.pyplot as plt

figure, axes = plt.subplots(3, 1)
axes[0, 0].plot([1, 2], [3, 4])
"""
    error = "IndexError: too many indices for array: array is 1-dimensional, but 2 were indexed"
    assert MAY_PASS not in reasons(report(tmp_path, program, 4, error), 3)


@pytest.mark.parametrize("index", ["[:, None]", "[None]"])
def test_an_axis_of_a_column_is_not_added_by_an_index(tmp_path: Path, index: str) -> None:
    program = """\
import pandas as pd
from sklearn.preprocessing import OrdinalEncoder

rows = pd.read_csv("rows.csv")
OrdinalEncoder().fit_transform(rows.iloc[:, 1])
"""
    error = "ValueError: Expected 2D array, got 1D array instead:\narray=['a' 'b' 'c']."
    assert index not in reasons(report(tmp_path, program, 5, error))


def test_a_value_for_a_call_that_is_not_known_is_no_repair(tmp_path: Path) -> None:
    program = """\
import torch
from elsewhere import Attention



class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention(8)

    def forward(self, x):
        x = self.attention(x)
        return x.mean(dim=1)


x = torch.randn(2, 16, 8)
Net()(x)
"""
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    text = """\
Traceback (most recent call last):
  File "main.py", line 16, in <module>
    Net()(x)
  File "main.py", line 11, in forward
    x = self.attention(x)
  File "/usr/lib/python3/site-packages/elsewhere/layers.py", line 96, in forward
    raise ValueError(
ValueError: Attention expected a rank-4 input tensor; got x.dim()=3.
"""
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert MAY_PASS not in reasons(found)


def test_rows_are_padded_by_what_all_releases_have(tmp_path: Path) -> None:
    program = """\
import tensorflow as tf

rows = [[4, 5, 6, 7], [8, 9]]
batch = tf.constant(rows)
"""
    error = "ValueError: Can't convert non-rectangular Python sequence to Tensor."
    said = reasons(report(tmp_path, program, 4, error))
    assert "tf.keras.preprocessing.sequence.pad_sequences(rows)" in said


@pytest.mark.parametrize(
    ("warning", "is_told"),
    [
        ('Parameters: { "early_stopping_round" } are not used.', True),
        ("Parameters: { early_stopping_round, seed } might not be used.", True),
        ('Parameters: { "seed" } are not used.', False),
        ("Unused parameters: see early_stopping_round in the manual", False),
    ],
)
def test_settings_that_a_warning_of_the_log_names(
    tmp_path: Path, warning: str, is_told: bool
) -> None:
    (tmp_path / "params.yaml").write_text("depth: 3\nearly_stopping_round: 5\n")
    (tmp_path / "main.py").write_text(
        "import yaml\nparams = yaml.safe_load(open('params.yaml'))\n1 / 0\n"
    )
    log = (
        f'{warning}\nTraceback (most recent call last):\n  File "main.py", line 3, in <module>\n'
        "    1 / 0\nZeroDivisionError: division by zero\n"
    )
    failure = localize(log, Workspace(tmp_path, cache=False)).failures[0]
    told = [e.why for s in failure.suspects if s.file == "params.yaml" for e in s.evidence]
    assert any("a warning of the log names" in why for why in told) == is_told
