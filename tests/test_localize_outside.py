"""Another project's failure is no failure of the open folder, and the report says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.views import words
from dl_bug_lsp.workspace import Workspace

TRAIN = "import torch\n\n\ndef main():\n    width = 64\n    return torch.zeros(width)\n\n\nmain()\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "pkg" / "core").mkdir(parents=True)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "pkg" / "core" / "net.py").write_text("def call(x):\n    return x / 0\n")
    return Workspace(tmp_path, cache=False)


def log(*frames: tuple[str, int, str, str]) -> str:
    shown = [f'  File "{f}", line {n}, in {name}\n    {code}\n' for f, n, name, code in frames]
    return "Traceback (most recent call last):\n" + "".join(shown) + "ValueError: bad width 64\n"


def read(workspace: Workspace, text: str) -> FailureReport:
    found = localize(text, workspace).primary
    assert found is not None
    return found


def test_names_alone_are_another_projects_too(workspace: Workspace) -> None:
    text = log(
        ("/home/ann/other/train.py", 9, "<module>", "run_all(seed=3)"),
        ("/home/ann/other/data/sets.py", 4, "run_all", "raise ValueError(width)"),
    )
    found = read(workspace, text)
    assert found.outside == "/home/ann/other"
    assert found.suspects == ()
    assert found.files == ()
    assert all(frame.workspace_file is None for frame in found.frames)
    assert "/home/ann/other" in words.outside(found)


def test_a_source_line_proves_the_rest_of_the_stack(workspace: Workspace) -> None:
    text = log(
        ("/workspace/train.py", 9, "<module>", "main()"),
        ("/workspace/train.py", 6, "main", "return torch.ones(width)"),
    )
    found = read(workspace, text)
    assert found.outside is None
    assert [frame.workspace_file for frame in found.frames] == ["train.py", "train.py"]
    assert all(frame.mapped for frame in found.frames)
    assert "/workspace/" in words.mapped(found)


def test_a_long_suffix_is_no_chance(workspace: Workspace) -> None:
    found = read(workspace, log(("/x/pkg/core/net.py", 2, "call", "return x / y")))
    assert found.frames[0].workspace_file == "pkg/core/net.py"


def test_paths_of_the_folder_itself(workspace: Workspace) -> None:
    """An edited line stays where it was: the path itself is proof."""
    own = str(workspace.root / "train.py")
    found = read(workspace, log((own, 5, "main", "width = -1")))
    assert found.frames[0].workspace_file == "train.py"
    assert not found.frames[0].mapped
    assert words.mapped(found) == ""


def test_a_stack_of_libraries_alone_is_not_outside(workspace: Workspace) -> None:
    text = log(("/opt/lib/python3.11/site-packages/torch/a.py", 3, "f", "raise ValueError"))
    assert read(workspace, text).outside is None


def of_rank(rank: int, line: int, code: str, message: str) -> str:
    shown = (
        "Traceback (most recent call last):\n"
        f'  File "/workspace/train.py", line {line}, in main\n    {code}\n'
        '  File "/opt/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 9,'
        f" in all_reduce\n    work.wait()\nRuntimeError: {message}\n"
    )
    return "".join(f"[rank{rank}]: {row}\n" for row in shown.splitlines())


GONE = "Timed out waiting 600000ms for recv operation to complete: Connection closed by peer"


@pytest.mark.parametrize(("other", "retry"), [(6, True), (5, False)])
def test_ranks_that_took_different_branches(workspace: Workspace, other: int, retry: bool) -> None:
    code = {5: "width = 64", 6: "return torch.zeros(width)"}
    text = of_rank(0, 6, code[6], GONE) + of_rank(1, other, code[other], f"{GONE} [127.0.0.1]")
    assert read(workspace, text).retry_may_help is retry


def test_ranks_that_waited_for_different_collectives(workspace: Workspace) -> None:
    row = (
        "[rank{0}]:[E ProcessGroupNCCL.cpp:523] [Rank {0}] Watchdog caught collective operation"
        " timeout: WorkNCCL(SeqNum={1}, OpType={2}, NumelIn=8, Timeout(ms)=600000) ran for"
        " 600410 milliseconds before timing out.\n"
    )
    same = "".join(row.format(rank, 81, "ALLREDUCE") for rank in (0, 1))
    assert read(workspace, same).retry_may_help
    other = row.format(0, 81, "ALLREDUCE") + row.format(1, 80, "BROADCAST")
    assert not read(workspace, other).retry_may_help
