"""What a report says where it knows little: nothing that is not so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Confidence, Report
from dl_bug_lsp.views.markdown import render_markdown
from dl_bug_lsp.views.text import render_brief, render_text
from dl_bug_lsp.workspace import Workspace

SOURCE = """\
import random

random.seed(0)
loss = 0.6931
for epoch in range(20):
    print(f"epoch {epoch} loss {loss:.4f}")
"""


def report(folder: Path, log: str, **files: str) -> Report:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return localize(log, Workspace(folder, cache=False))


def ran(folder: Path, script: str) -> str:
    command = [sys.executable, script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def text(of: Report, folder: Path) -> str:
    return render_text(of, Workspace(folder, cache=False).lines, 200)


@pytest.mark.parametrize(
    "log",
    [
        "epoch 0 norm 0.147578247792624\nepoch 1 norm 0.2829877970915071\nepoch 2 norm 0.4076926",
        "all fine, epoch 1 loss 0.5\n",
        "training finished successfully after twelve epochs\n",
        "Saving the model to the folder of the run in the background\nDone with all of it\n",
    ],
)
def test_logs_of_good_runs_tell_of_no_failure(tmp_path: Path, log: str) -> None:
    found = report(tmp_path, log, main=SOURCE)
    assert found.failures == ()
    assert "No known failure was found" in text(found, tmp_path)


@pytest.mark.parametrize(
    "prose",
    [
        "Saving the optimizer crashes after the second epoch",
        "Why is the loss the same in every epoch?",
        "训练出来的图片全都是灰色的，这是什么原因",
    ],
)
def test_what_a_person_writes_of_a_failure_is_a_report(tmp_path: Path, prose: str) -> None:
    found = report(tmp_path, prose, main=SOURCE)
    assert [failure.by_report for failure in found.failures] == [True]
    assert "in tests" not in text(found, tmp_path)


def test_the_line_that_printed_last_is_no_cause(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SOURCE)
    found = report(tmp_path, ran(tmp_path, "train.py"))
    (failure,) = found.failures
    assert [(s.line, [e.kind for e in s.evidence]) for s in failure.suspects] == [
        (6, ["last_output"])
    ]
    shown = text(found, tmp_path)
    assert (
        "No place of the cause is known; the last output in the log comes from train.py:6" in shown
    )
    for view in (shown, render_markdown(found), render_brief(found)):
        assert "100 %" not in view
        assert "in tests" not in view


def test_the_line_that_the_parser_names_is_sure(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("def f(:\n    pass\n")
    (tmp_path / "a.py").write_text("import b\n")
    found = report(tmp_path, ran(tmp_path, "a.py"))
    (failure,) = found.failures
    assert (failure.suspects[0].file, failure.suspects[0].line) == ("b.py", 1)
    assert failure.confidence is not Confidence.UNSURE
    assert "raised here" not in str(failure.suspects[0].evidence)


HANG = """\
start

[dl-bug-lsp] hang: no output and no progress for 6 s; stacks of 1 process follow
[dl-bug-lsp] stacks of process 30416: python hang.py
Current thread 0x00007f7c9bc6cb80 (most recent call first):
  File "/srv/hang.py", line 4 in wait
  File "/srv/hang.py", line 7 in <module>
[dl-bug-lsp] end of the stacks
"""
WAITS = "import time\n\ndef wait():\n    time.sleep(300)\n\nprint('start', flush=True)\nwait()\n"


def test_one_process_that_stood_still_raised_nothing(tmp_path: Path) -> None:
    found = report(tmp_path, HANG.replace("/srv", str(tmp_path)), hang=WAITS)
    (failure,) = found.failures
    assert failure.exception is not None
    assert (failure.exception.type, failure.category.id) == ("hang", "unclassified")
    shown = text(found, tmp_path)
    assert shown.startswith("hang: no output and no progress for 6 s\n")
    assert "look first at hang.py:4, where the process stood still" in shown
    for false in ("raised", "Killed", "from outside"):
        assert false not in shown


@pytest.mark.parametrize(
    ("made", "is_said"), [("", False), ("net = torch.nn.Linear(4, 3)\n", True)]
)
def test_no_model_is_blamed_where_there_is_none(tmp_path: Path, made: str, is_said: bool) -> None:
    value = "net(torch.ones(4))" if made else "torch.ones(3)"
    source = f"import torch\n{made}grid = torch.zeros(3, 3, 4)\ngrid[1, 2:] = {value}\n"
    line = 3 + bool(made)
    log = (
        "Traceback (most recent call last):\n"
        f'  File "main.py", line {line}, in <module>\n'
        f"    grid[1, 2:] = {value}\n"
        "RuntimeError: The expanded size of the tensor (4) must match the existing size (3) at "
        "non-singleton dimension 1.  Target sizes: [1, 4].  Tensor sizes: [3]\n"
    )
    shown = text(report(tmp_path, log, main=source), tmp_path)
    assert ("the model" in shown) == is_said
