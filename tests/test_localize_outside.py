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
