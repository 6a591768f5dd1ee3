"""The number of classes for the chance level, from the program's files where the log tells none."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.localize import class_count, localize
from dl_bug_lsp.workspace import Workspace

LOG = "".join(
    f"epoch {n} loss {2.9 - 0.04 * n:.3f} acc {acc:.3f}\n"
    for n, acc in enumerate((0.142, 0.139, 0.144, 0.141, 0.143, 0.142))
)


def test_the_config_s_count_is_named_as_an_assumption(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("model:\n  num_classes: 7\n")
    (tmp_path / "train.py").write_text("import torch\n")
    failure = localize(LOG, Workspace(tmp_path, cache=False)).primary
    assert failure is not None
    assert failure.category.id == "accuracy_at_chance"
    assert "if there are 7 classes, as config.yaml:2 says" in failure.category.evidence


def test_several_counts_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("model = net(num_classes=7)\nother = net(num_classes=9)\n")
    assert class_count(Workspace(tmp_path, cache=False)) is None
    (tmp_path / "a.py").write_text("model = net(num_classes=7)\n")
    found = class_count(Workspace(tmp_path, cache=False))
    assert found is not None
    assert (found.count, found.place) == (7, "a.py:1")


def test_an_argument_named_classes_counts(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("model = Classifier(64, 32, classes=10)\n")
    found = class_count(Workspace(tmp_path, cache=False))
    assert found is not None
    assert (found.count, found.place) == (10, "a.py:1")
