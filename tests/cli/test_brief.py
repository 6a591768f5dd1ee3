"""`--brief`, output handed on through a pipe, `explain` of a message, frameworks in `doctor`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from warm_start import program

from dl_bug_lsp.cli.main import main

LOG = """\
Traceback (most recent call last):
  File "train.py", line 2, in <module>
    x["lr"]
KeyError: 'lr'
"""


def workspace(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text('x = {"rate": 1}\nx["lr"]\n')
    (tmp_path / "requirements.txt").write_text("torch==2.2.0\nrequests\n")
    return tmp_path


def test_brief_is_one_line_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "run.log"
    log.write_text(LOG)
    code = main(["localize", str(log), "--workspace", str(workspace(tmp_path)), "--brief"])
    shown = capsys.readouterr().out
    assert code == 0
    assert len(shown.splitlines()) == 1
    assert "train.py:" in shown
    assert "KeyError: 'lr'" in shown
    assert main(["localize", str(log), "--brief", "--format", "json"]) == 2


@pytest.mark.parametrize(("passing", "is_passed"), [("always", True), ("auto", False)])
def test_a_pipe_is_handed_on(tmp_path: Path, passing: str, is_passed: bool) -> None:
    done = subprocess.run(
        program("localize", "--pass", passing, "--workspace", str(workspace(tmp_path))),
        input=LOG.encode(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.startswith(LOG.encode()) == is_passed
    assert b"Most suspicious places" in done.stdout


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("oom", "gpu_out_of_memory"),
        ("size mismatch", "tensor_mismatch"),
        ("stack expects each tensor", "read as tensor_mismatch"),
        ("ModuleNotFoundError: No module named 'torch'", "read as library_not_found"),
    ],
)
def test_explain_takes_common_words_and_messages(
    said: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", said]) == 0
    told = capsys.readouterr().out
    assert shown in told
    # What helps may take several lines; the arrow stands before its first.
    lines = told.splitlines()
    arrows = [n for n, line in enumerate(lines) if line.lstrip().startswith("→")]
    assert arrows and not {n + 1 for n in arrows} & set(arrows)


def test_doctor_names_the_frameworks_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--workspace", str(workspace(tmp_path))]) == 0
    shown = capsys.readouterr().out
    assert "torch==2.2.0 (requirements.txt:1)" in shown
    assert "requests" not in shown


def test_doctor_names_each_framework_once_and_says_how_many_more(tmp_path: Path) -> None:
    """As in a repository of many examples, each with requirements of its own."""
    files = {
        "requirements.txt": "torch==2.2.0\nnumpy\ntransformers[torch]>=4.40\nscikit-learn\n",
        "environment.yml": "dependencies:\n  - keras 3.1\n  - pip:\n    - jax @ https://u:pw@x/j\n",
        **{f"examples/e{n}/requirements.txt": f"torch==2.{n}.0\nflax\n" for n in range(40)},
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = program("doctor", "--workspace", str(tmp_path))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (asked,) = [line for line in done.stdout.splitlines() if line.startswith("frameworks asked")]
    assert asked == (
        "frameworks asked for: torch==2.2.0 (requirements.txt:1; other requirements in 39 places), "
        "keras 3.1 (environment.yml:2), jax @ … (environment.yml:4), "
        "transformers>=4.40 (requirements.txt:3), scikit-learn (requirements.txt:4), and 2 more"
    )
