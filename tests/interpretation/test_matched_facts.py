"""Values of a failing line that a message refuses, where no model of a library sees it fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import Array, Origin, Raised
from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.messages import extract_facts
from dl_bug_lsp.tracebacks.failures import Cause, Relation
from dl_bug_lsp.workspace import Workspace

PROGRAMS = {
    "an argument by its name": (
        "ValueError",
        "Input X contains NaN.",
        """
import somelib
from sklearn.svm import SVC
table = somelib.load("a.csv")
features = table.numbers(3)  # origin
labels = somelib.labels("b.csv")
SVC().fit(features, labels)  # fails
""",
    ),
    "more drawn than there is": (
        "ValueError",
        "Sample larger than population or is negative",
        """
import random, somelib
pool = somelib.pool()
count = 32  # origin
random.sample(pool, count)  # fails
""",
    ),
    "a key that something unknown lacks": (
        "KeyError",
        "'val_acc'",
        """
import somelib
metrics = somelib.train()
name = "val_acc"  # origin
print(f"{metrics.step} {metrics[name]:.3f}")  # fails
""",
    ),
    "a text that the message repeats": (
        "ValueError",
        "Unknown optimizer: 'adamm'",
        """
import somelib
rate = 0.1
kind = "adamm"  # origin
somelib.optimizer(kind, rate)  # fails
""",
    ),
    "a shape of an unknown operation": (
        "RuntimeError",
        "operands could not be broadcast together with shapes (7,5) (7,6)",
        """
import numpy as np, somelib
wide = 5  # origin
a = np.zeros((7, wide))
b = np.zeros((7, 6))
c = np.zeros((3, 3))
somelib.fused(c, a, b)  # fails
""",
    ),
    "an array on the CPU": (
        "RuntimeError",
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0"
        " and cpu!",
        """
import torch, somelib
x = torch.zeros(4, 3, device="cuda")
w = torch.ones(3)  # origin
somelib.scaled(x, w)  # fails
""",
    ),
    "a number that a narrow type does not hold": (
        "OverflowError",
        "can't convert negative int to unsigned",
        """
import somelib
size = 4
shift = -100  # origin
somelib.encode(size, shift)  # fails
""",
    ),
    "a traced argument": (
        "ConcretizationTypeError",
        "Shapes must be 1D sequences of concrete values of integer type. The error occurred while "
        "tracing the function update at /home/u/program.py:3 for jit. This concrete value was not "
        "available in Python because it depends on the value of the argument heads.",
        """
import somelib

@somelib.jit  # origin
def update(x, heads):
    return somelib.reshape(x, heads)  # fails

update(somelib.start(), 4)
""",
    ),
    "rows of an embedding inside a model": (
        "IndexError",
        "index out of range in self",
        """
import somelib
from torch import nn
vocabulary = 50  # origin
model = nn.ModuleDict({"words": nn.Embedding(vocabulary, 8)})
somelib.Trainer(model=model).run(somelib.ids())  # fails
""",
    ),
    "an assertion of what is not known": (
        "AssertionError",
        "",
        """
import somelib
bound = 0.3  # origin
loss = somelib.loss()
assert loss < bound  # fails
""",
    ),
    "the only argument": (
        "RuntimeError",
        "the input is not positive-definite",
        """
import torch, somelib
rate = 0.1
noise = somelib.noise(3, 3)
matrix = torch.zeros(3, 3) + 0.0  # origin
somelib.factor(matrix)  # fails
""",
    ),
    "an allocation of the size of a product": (
        "OutOfMemoryError",
        "CUDA out of memory. Tried to allocate 4.00 GiB.",
        """
import torch
many = 32768  # origin
a = torch.zeros(many, 8, device="cuda")
weights = a @ a.T  # fails
""",
    ),
}


def sides_of(tmp_path: Path, exception: str, message: str, text: str) -> Raised | None:
    (tmp_path / "program.py").write_text(text.lstrip("\n"), encoding="utf-8")
    target = ("program.py", marked(text, "# fails"))
    interpreter = Interpreter(
        Workspace(tmp_path, cache=False), "program.py", target, exception=exception, message=message
    )
    outcome = interpreter.run()
    assert outcome.raised is None
    assert outcome.reached
    cause = Cause(exception, message, (), Relation.ROOT, Span(1, 1))
    facts = extract_facts(cause).facts
    return interpreter.demanded([(f.kind.value, f.role.value, f.value) for f in facts])


def marked(text: str, mark: str) -> int:
    lines = text.lstrip("\n").splitlines()
    return next(number for number, line in enumerate(lines, 1) if mark in line)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_message_tells_which_values_are_refused(name: str, tmp_path: Path) -> None:
    exception, message, text = PROGRAMS[name]
    raised = sides_of(tmp_path, exception, message, text)
    assert raised is not None
    origins: set[Origin] = set()
    for side in raised.sides:
        origins |= side.origins
        if isinstance(side.data, Array):
            origins |= {place for dim in side.data.shape or () for place in dim.origins}
    assert ("program.py", marked(text, "# origin")) in origins
    assert raised.weight < 1.0


def test_nothing_is_said_where_no_value_fits(tmp_path: Path) -> None:
    text = "import somelib\nrate = 0.5\nsomelib.run(somelib.data(), rate)  # fails\n"
    assert sides_of(tmp_path, "ValueError", "Unknown backend: 'cudnn9'", text) is None
