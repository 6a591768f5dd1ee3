"""What is said of a place holds for the line that it is said of."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.workspace import Workspace


def report(folder: Path, files: dict[str, str], text: str) -> FailureReport:
    for name, source in files.items():
        (folder / name).write_text(source, encoding="utf-8")
    found = localize(text, Workspace(folder, cache=False)).primary
    assert found is not None
    return found


def reasons(found: FailureReport, file: str, line: int) -> str:
    suspects = [s for s in found.suspects if (s.file, s.line) == (file, line)]
    return " / ".join(piece.why for suspect in suspects for piece in suspect.evidence)


def test_none_of_a_return_statement_is_returned(tmp_path: Path) -> None:
    program = """\
def learn(ready):
    if not ready:
        return None
    return 0.5


losses = [learn(False), learn(True)]
print(sum(losses))
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    print(sum(losses))
TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'
"""
    found = report(tmp_path, {"train.py": program}, text)
    assert "None is returned here" in reasons(found, "train.py", 3)
    assert found.advice[0].cause == "A function may have a path that returns nothing."


def test_a_step_counter_is_no_size(tmp_path: Path) -> None:
    program = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Texts(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.zeros(26 - i % 2)


first = 0
for step, batch in enumerate(DataLoader(Texts(), batch_size=4), start=first + 1):
    print(step)
"""
    text = """\
Traceback (most recent call last):
  File "train.py", line 14, in <module>
    for step, batch in enumerate(DataLoader(Texts(), batch_size=4), start=first + 1):
  File "/opt/lib/python3.11/site-packages/torch/utils/data/_utils/collate.py", line 275, in collate_tensor_fn
    return torch.stack(batch, 0, out=out)
RuntimeError: stack expects each tensor to be equal size, but got [26] at entry 0 and [25] at entry 1
"""  # noqa: E501
    found = report(tmp_path, {"train.py": program}, text)
    assert "shifts by 1" not in reasons(found, "train.py", 14)
    assert "demanded" not in " ".join(reasons(found, s.file, s.line) for s in found.suspects)


def test_a_setting_of_a_module_has_its_name(tmp_path: Path) -> None:
    files = {
        "settings.py": "CLASSES = 4\nBATCH = 16\n",
        "train.py": """\
import numpy as np
from tensorflow import keras

import settings

model = keras.Sequential([keras.layers.Dense(settings.CLASSES, activation="softmax")])
model.compile(loss="categorical_crossentropy")
model.fit(np.zeros((20, 3)), np.zeros((20, 5)), batch_size=settings.BATCH)
""",
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    model.fit(np.zeros((20, 3)), np.zeros((20, 5)), batch_size=settings.BATCH)
  File "/opt/lib/python3.11/site-packages/keras/src/backend/tensorflow/nn.py", line 1354, in categorical_crossentropy
    raise ValueError(
ValueError: Arguments `target` and `output` must have the same shape. Received: target.shape=(None, 5), output.shape=(None, 4)
"""  # noqa: E501
    found = report(tmp_path, files, text)
    said = reasons(found, "settings.py", 1) + reasons(found, "settings.py", 2)
    assert "`16`, a setting" not in said
    assert "`4`, a setting" not in said
    compiled = reasons(found, "train.py", 7)
    assert "what this call returns (`model.compile" not in compiled


def test_counting_labels_beside_a_vocabulary_is_no_size_of_a_table(tmp_path: Path) -> None:
    files = {
        "train.py": """\
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, words, classes, longest):
        super().__init__()
        self.tokens = nn.Embedding(words, 8)
        self.places = nn.Embedding(longest, 8)
        self.head = nn.Linear(8, classes)

    def forward(self, ids):
        return self.tokens(ids) + self.places(torch.arange(ids.size(1)))


vocab, labels = {"a": 0, "b": 1}, [0, 1, 1]
model = Classifier(len(vocab), len(set(labels)), 4)
model(torch.zeros(2, 6, dtype=torch.long))
""",
    }
    text = """\
Traceback (most recent call last):
  File "train.py", line 18, in <module>
    model(torch.zeros(2, 6, dtype=torch.long))
  File "train.py", line 13, in forward
    return self.tokens(ids) + self.places(torch.arange(ids.size(1)))
  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 2615, in embedding
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
IndexError: index out of range in self
"""
    found = report(tmp_path, files, text)
    assert "counts different values" not in reasons(found, "train.py", 17)
