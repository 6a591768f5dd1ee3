"""The number of classes for the chance level, from the program's files where the log tells none."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.evidence.class_counts import class_count
from dl_bug_lsp.localize import localize
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


def counted(folder: Path, **files: str) -> tuple[int, str] | None:
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        (folder / f"{stem}.{suffix}").write_text(text)
    found = class_count(Workspace(folder, cache=False))
    return (found.count, found.place) if found is not None else None


def test_a_list_of_labels_counts(tmp_path: Path) -> None:
    settings = '{"labels": ["billing", "outage", "account"]}'
    assert counted(tmp_path, settings_json=settings) == (3, "settings.json:1")


def test_a_length_of_the_config_that_a_call_gets_counts(tmp_path: Path) -> None:
    program = """\
import yaml
from net import Net

config = yaml.safe_load(open("config.yaml"))
model = Net(classes=len(config["states"]))
"""
    config = "states: [ok, worn, broken]\n"
    assert counted(tmp_path, train_py=program, config_yaml=config) == (3, "train.py:5")


def test_the_last_layer_counts_where_the_loss_is_a_cross_entropy(tmp_path: Path) -> None:
    program = """\
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5))
criterion = nn.CrossEntropyLoss()
"""
    assert counted(tmp_path, train_py=program) == (5, "train.py:3")
    program = program.replace("CrossEntropyLoss", "MSELoss")
    assert counted(tmp_path, train_py=program) is None


def test_a_column_of_labels_counts(tmp_path: Path) -> None:
    table = "size,label\n" + "".join(f"{n},{'abc'[n % 3]}\n" for n in range(12))
    assert counted(tmp_path, data_csv=table) == (3, "column `label` of data.csv")
