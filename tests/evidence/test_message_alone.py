"""A message without its traceback: the statements of the workspace that can have raised it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.evidence.raising.raise_sites import assumed_raise_sites, of_statement
from dl_bug_lsp.evidence.raising.scan import Enclosing
from dl_bug_lsp.localize import localize
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.messages import extract_facts
from dl_bug_lsp.report import Confidence
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.views import words
from dl_bug_lsp.workspace import Workspace

PROGRAM = """\
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Sequential(nn.Linear(width, 7), nn.ReLU())
        self.words = nn.Embedding(30, width)

    def forward(self, x):
        return self.head(self.words(x))


class Bare(nn.Module):
    def __init__(self):
        self.name = "bare"
        self.out = nn.Linear(2, 2)


def check(rows, limit):
    if len(rows) > limit:
        raise ValueError(f"more than {limit} rows: {len(rows)}")
    assert limit % 2 == 0, "the limit {} is odd".format(limit)
    return sum(rows) / len(rows)


def load(path):
    first, second, third = read(path)
    table = {"left": first}
    total = second + "/" + third
    return table["right"], total.shape(), helper


def read(path):
    return open(path).read().split()


model = Base(width=4)
loss = model(torch.ones(3)).mean(dim=4)
loss.backward()
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("ValueError: more than 3 rows: 9", 23),
        ("AssertionError: the limit 3 is odd", 24),
        ("ZeroDivisionError: division by zero", 25),
        ("ValueError: too many values to unpack (expected 3)", 29),
        ('TypeError: can only concatenate str (not "int") to str', 31),
        ("KeyError: 'right'", 32),
        ("TypeError: 'torch.Size' object is not callable", 32),
        ("NameError: name 'helper' is not defined", 32),
        ("IndexError: index out of range in self", 12),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x7)", 12),
        ("AttributeError: cannot assign module before Module.__init__() call", 17),
        ("IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 4)", 40),
        ("TypeError: Base.__init__() got an unexpected keyword argument 'width'", 39),
        (
            "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
            41,
        ),
    ],
)
def test_finds_the_statement_that_can_raise(tmp_path: Path, message: str, line: int) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    cause = read_failures(read_log(message + "\n")).failures[0].cause
    assert cause is not None
    places = assumed_raise_sites(Workspace(tmp_path, cache=False), cause, extract_facts(cause))
    assert line in [place.line for place in places[:2]]


TRAINING = """\
import json

import keras
import torch
from keras import layers


def network(width):
    entry = keras.Input((width,))
    x = layers.Reshape((width, 1))(entry)
    x = layers.LSTM(8)(x)
    x = layers.MaxPooling1D(4)(x)
    return keras.Model(entry, layers.Dense(3)(x))


def train(net, rows, path):
    loss = torch.nn.CrossEntropyLoss()
    steps = torch.optim.Adam(net.parameters, lr=0.1)
    total = torch.mm(rows, rows)
    model = network(4)
    model.compile("adam", "mse")
    model.fit(rows, rows)
    with open(path, "w") as out:
        json.dump(rows, out)
    return loss(total, rows), steps
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("TypeError: 'method' object is not iterable", 18),
        ("RuntimeError: mm: Argument #2 (dense): Expected dim 0 size 9, got 3", 19),
        (
            "ValueError: Arguments `target` and `output` must have the same rank (ndim)."
            " Received: target.shape=(None,), output.shape=(None, 3)",
            22,
        ),
        (
            "ValueError: Exception encountered when calling MaxPooling1D.call().\n\n"
            "Computed output size would be zero or negative.",
            12,
        ),
        (
            'ValueError: Input 0 of layer "lstm_2" is incompatible with the layer: expected'
            " ndim=3, found ndim=2. Full shape received: (None, 32)",
            11,
        ),
        ("RuntimeError: Expected target size [32, 12], got [32, 10]", 25),
        ("OSError: [Errno 28] No space left on device", 24),
    ],
)
def test_names_what_frameworks_call(tmp_path: Path, message: str, line: int) -> None:
    (tmp_path / "train.py").write_text(TRAINING)
    cause = read_failures(read_log(message + "\n")).failures[0].cause
    assert cause is not None
    places = assumed_raise_sites(Workspace(tmp_path, cache=False), cause, extract_facts(cause))
    assert line in [place.line for place in places[:2]]


def test_the_report_says_that_the_place_is_worked_out(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    message = "ValueError: more than 3 rows: 9"
    failure = localize(message, Workspace(tmp_path, cache=False)).primary
    assert failure is not None
    assert failure.suspects[0].line == 23
    assert failure.confidence is not Confidence.LIKELY
    assert words.caution(failure) == words.ALONE


def test_a_message_of_another_framework_is_not_looked_for_there(tmp_path: Path) -> None:
    (tmp_path / "in_keras.py").write_text("import keras\nd = keras.Dense(3)\ny = d(2)\n")
    (tmp_path / "in_torch.py").write_text("import torch\nl = torch.nn.Linear(3, 1)\ny = l(2)\n")
    message = "RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float"
    failure = localize(message, Workspace(tmp_path, cache=False)).primary
    assert failure is not None
    assert failure.suspects[0].file == "in_torch.py"


@given(st.text(), st.text(), st.sampled_from(["raise E({!r})", "assert x, {!r}", "fail({!r})"]))
def test_any_template_and_message_can_be_compared(text: str, said: str, form: str) -> None:
    node = ast.parse(form.format(text)).body[0]
    for part in ast.walk(node):
        found = list(of_statement(part, Enclosing("a.py"), "AssertionError", said))
        assert all(0 < weight <= 1 for weight, _ in found)
