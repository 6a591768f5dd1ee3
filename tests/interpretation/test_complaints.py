"""What a message says of the failing line stands where no model sees it fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.interpretation.complaints import Complaint
from dl_bug_lsp.interpretation.interpreter import Interpreter, Outcome
from dl_bug_lsp.workspace import Workspace

CASES = {
    "index into an embedding": (
        Complaint("index"),
        """
import torch
from somewhere import load
rows = 5  # origin
table = torch.nn.Embedding(rows, 4)
width = 3  # no origin
y = table(load("a")) * width  # fails
""",
    ),
    "class of a target": (
        Complaint("index"),
        """
import torch
import torch.nn.functional as F
from somewhere import load
classes = 3  # origin
scores = torch.zeros(8, classes)
loss = F.cross_entropy(scores, load("a"))  # fails
""",
    ),
    "divisor": (
        Complaint("zero"),
        """
from somewhere import load
hop = load(0.01)  # origin
total = 40  # no origin
frames = 1 + total // hop  # fails
""",
    ),
    "path": (
        Complaint("file"),
        """
import torch
root = "runs"  # origin
path = root + "/best.pt"
state = torch.load(path)  # fails
""",
    ),
    "keyword": (
        Complaint("argument", frozenset({"steps"})),
        """
from somewhere import Trainer
steps = 4  # origin
epochs = 9  # no origin
trainer = Trainer(epochs=epochs, steps=steps)  # fails
""",
    ),
    "text that is no number": (
        Complaint("conversion"),
        """
from somewhere import rows
cell = rows["a"]  # origin
value = float(cell)  # fails
""",
    ),
    "number that is printed": (
        Complaint("", frozenset(), frozenset({22, 4})),
        """
from somewhere import attention
width = 22  # origin
heads = 4  # origin
rate = 17  # no origin
y = attention(width, heads, rate)  # fails
""",
    ),
    "the part that is underlined": (
        Complaint("zero", expression="b / c"),
        """
from somewhere import load
c = load(1)  # origin
d = load(2)  # no origin
a = b = 7
y = a / d + b / c  # fails
""",
    ),
    "condition around a raise": (
        Complaint(""),
        """
width = 6  # origin
heads = 4  # origin
other = 3  # no origin
if width % heads != 0:
    raise ValueError("no")  # fails
""",
    ),
}


def interpret(root: Path, text: str, complaint: Complaint | None) -> Outcome:
    line = next(n for n, x in enumerate(text.split("\n"), 1) if x.endswith("# fails"))
    (root / "program.py").write_text(text, encoding="utf-8")
    workspace = Workspace(root, cache=False)
    return Interpreter(workspace, "program.py", ("program.py", line), (), complaint=complaint).run()


@pytest.mark.parametrize("name", CASES)
def test_the_operation_that_the_message_speaks_of_is_taken(name: str, tmp_path: Path) -> None:
    complaint, text = CASES[name]
    outcome = interpret(tmp_path, text, complaint)
    assert outcome.raised is not None
    assert outcome.is_seen == (name == "condition around a raise")
    origins = {line for side in outcome.raised.sides for _, line in side.origins}
    lines = text.split("\n")
    assert {n for n, x in enumerate(lines, 1) if x.endswith("# origin")} <= origins
    assert not {n for n, x in enumerate(lines, 1) if x.endswith("# no origin")} & origins


def test_nothing_is_taken_without_a_message(tmp_path: Path) -> None:
    outcome = interpret(tmp_path, CASES["divisor"][1], None)
    assert outcome.raised is None


def test_nothing_is_taken_where_nothing_fits(tmp_path: Path) -> None:
    outcome = interpret(tmp_path, CASES["divisor"][1], Complaint("index"))
    assert outcome.raised is None
    assert not outcome.is_seen
