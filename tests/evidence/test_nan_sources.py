"""NaN that comes with the data: files of arrays that hold it, their scripts, NumPy's warnings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dl_bug_lsp.evidence import nan_sources
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.messages import MessageFacts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind
from dl_bug_lsp.workspace import Workspace

LOG = "epoch 0 loss: nan\nepoch 1 loss: nan\n"
TRAIN = """\
import os
import numpy as np
import torch

class Points:
    def __init__(self, split, root="data"):
        self.points = torch.from_numpy(np.load(os.path.join(root, "points_" + split + ".npy")))

points = Points("train")
"""
GENERATED = {
    # A column that does not vary.
    "standard": """\
import os
import numpy as np

def standardize(values):
    mean, spread = values.mean(0), values.max(0)
    spread = values.std(0)
    return (values - mean) / spread

rng = np.random.default_rng(0)
values = rng.normal(size=(20, 3))
values[:, 1] = 2.0
os.makedirs("data", exist_ok=True)
np.save(os.path.join("data", "points_train.npy"), standardize(values))
""",
    # The distance of a point to itself.
    "pull": """\
import os
import numpy as np

def pull(at):
    diff = at[:, None] - at[None]
    square = (diff ** 2).sum(-1)
    inverse = square ** -1.5
    return (diff * inverse[..., None]).sum(1)

os.makedirs("data", exist_ok=True)
for split in ("train", "test"):
    np.save("data/points_%s.npy" % split, pull(np.random.default_rng(0).normal(size=(9, 3))))
""",
    # The logarithm of negative numbers.
    "logarithm": """\
import os
import numpy as np

counts = np.arange(-2.0, 10.0)
levels = np.log(counts)
os.makedirs("data", exist_ok=True)
for split in ["train"]:
    np.save(f"data/points_{split}.npy", levels)
""",
}
AT_FAULT = {"standard": (7, 6), "pull": (7, 6), "logarithm": (5, 4)}
"""The line that makes NaN, and the one that makes its operand."""


def _case(folder: Path, log: str = LOG, category: str = "loss_nan") -> Case:
    failure = Failure(FailureKind.SILENT, (), 0, "metrics", Span(1, 1), "")
    verdict = CategoryVerdict(category, "silent", 0.9, "", "")
    workspace = Workspace(folder, cache=False)
    return Case(failure, MessageFacts(None, ()), verdict, (), workspace, read_log(log))


def _found(folder: Path, log: str = LOG, category: str = "loss_nan") -> list[Clue]:
    clues = list(nan_sources.find(_case(folder, log, category)))
    return sorted(clues, key=lambda clue: -clue.score)


def _generated(folder: Path, name: str) -> str:
    """Run a script that writes data, and return its warnings."""
    (folder / "make.py").write_text(GENERATED[name])
    (folder / "train.py").write_text(TRAIN)
    done = subprocess.run(
        [sys.executable, "make.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stderr.replace("make.py", str(folder / "make.py"))


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("warns", [True, False])
def test_the_script_that_wrote_nan_leads(tmp_path: Path, name: str, warns: bool) -> None:
    warnings = _generated(tmp_path, name)
    assert "RuntimeWarning" in warnings
    first, second, *_ = _found(tmp_path, (warnings if warns else "") + LOG)
    assert ([first.file, second.file], (first.line, second.line)) == (
        ["make.py"] * 2,
        AT_FAULT[name],
    )
    assert "data/points_train.npy has NaN in " in first.why or "points_test" in first.why


def test_a_file_that_no_script_writes_is_said_where_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    values = np.zeros((1000, 3), "float32")
    values[:12, 0] = np.nan
    np.save(tmp_path / "data/points_train.npy", values)
    (tmp_path / "train.py").write_text(TRAIN)
    (clue,) = _found(tmp_path)
    assert (clue.file, clue.line) == ("train.py", 7)
    assert clue.why == "data/points_train.npy has NaN in 12 of 3,000 numbers, which is read here"


def test_a_program_that_treats_missing_numbers_is_suspected_less(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data/points_train.npy", np.full((4, 3), np.nan))
    (tmp_path / "train.py").write_text(TRAIN)
    (plain,) = _found(tmp_path)
    (tmp_path / "train.py").write_text(TRAIN.replace("np.load(", "np.nan_to_num(np.load(") + ")")
    text = TRAIN + "points.points = torch.nan_to_num(points.points)\n"
    (tmp_path / "train.py").write_text(text)
    (treated,) = _found(tmp_path)
    assert treated.score < 0.5 * plain.score


def test_data_without_nan_and_failures_of_another_kind_give_nothing(tmp_path: Path) -> None:
    _generated(tmp_path, "pull")
    assert not _found(tmp_path, "epoch 0 loss: 2.3\n", "loss_stagnation")
    for split in ("train", "test"):
        np.save(tmp_path / f"data/points_{split}.npy", np.zeros((9, 3)))
    assert not _found(tmp_path)


def test_a_divisor_that_is_kept_off_zero_makes_no_nan(tmp_path: Path) -> None:
    _generated(tmp_path, "standard")
    safe = GENERATED["standard"].replace("/ spread", "/ (spread + 1e-8)")
    (tmp_path / "make.py").write_text(safe)
    assert {(clue.file, clue.line) for clue in _found(tmp_path)} == {("train.py", 7)}


def test_rules_on_the_model_count_less_where_the_data_hold_nan(tmp_path: Path) -> None:
    _generated(tmp_path, "pull")
    case = _case(tmp_path)
    clue = Clue("training.strong", "train.py", 9, 1.0, "")
    assert nan_sources.clue_factor(case, clue) < 0.5
    np.save(tmp_path / "data/points_train.npy", np.zeros((9, 3)))
    np.save(tmp_path / "data/points_test.npy", np.zeros((9, 3)))
    assert nan_sources.clue_factor(_case(tmp_path), clue) == 1.0


def test_a_warned_line_of_the_program_leads_without_any_file(tmp_path: Path) -> None:
    text = "import numpy as np\n\ndef scaled(x):\n    top = x.max()\n    return x / top\n"
    (tmp_path / "train.py").write_text(text)
    warning = f"{tmp_path / 'train.py'}:5: RuntimeWarning: invalid value encountered in divide\n"
    assert [clue.line for clue in _found(tmp_path, warning + LOG)] == [5, 4]
