"""Catching up with the disk: what changed is seen, what did not is kept."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import FileElements
from dl_bug_lsp.workspace.index import Row, SourceSummary
from dl_bug_lsp.workspace.walk import walk, walk_again

OLD = 1_600_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.py", "pkg/b.py", "pkg/deep/c.py", "conf/x.yaml"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x: 1\n" if name.endswith("yaml") else "x = 1\n")
    settle(tmp_path)
    return tmp_path


def settle(root: Path) -> None:
    """Make everything old, so that only what a test changes is new."""
    for path in (root, *root.rglob("*")):
        os.utime(path, (OLD, OLD))


def gitignore(root: Path) -> None:
    (root / "pkg" / ".gitignore").write_text("c.py\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "nothing": lambda root: None,
    "a file came": lambda root: (root / "pkg" / "new.py").write_text(""),
    "a file went": lambda root: (root / "pkg" / "b.py").unlink(),
    "a folder came": lambda root: (root / "conf").rename(root / "pkg" / "conf"),
    "a folder went": lambda root: (root / "pkg").rename(root / ".venv"),
    "an ignored file came": lambda root: (root / "model.pt").write_text(""),
    "an ignore file came": gitignore,
    "a link came": lambda root: (root / "link.py").symlink_to(root / "a.py"),
    "a linked folder came": lambda root: (root / "linked").symlink_to(root / "conf"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_walk_brought_up_to_date_is_a_new_walk(what: str, root: Path) -> None:
    before = walk(root)
    CHANGES[what](root)
    after = walk_again(root, before)
    assert after == walk(root)
    assert walk_again(root, after) == after
    if what == "nothing":
        assert after is before


def test_an_ignore_file_that_changed_is_read_again(root: Path) -> None:
    gitignore(root)
    settle(root)
    before = walk(root)
    assert "pkg/deep/c.py" not in before.files
    (root / "pkg" / ".gitignore").write_text("")
    os.utime(root / "pkg", (OLD, OLD))
    assert "pkg/deep/c.py" in walk_again(root, before).files


def test_only_files_that_changed_are_read_again(root: Path) -> None:
    workspace = Workspace(root, cache=False)
    tree, elements = workspace.tree("a.py"), workspace.elements("a.py")
    other = workspace.tree("pkg/b.py")
    (root / "a.py").write_text("def f():\n    pass\n")
    assert workspace.tree("a.py") is tree
    workspace.catch_up()
    assert workspace.lines("a.py") == ("def f():", "    pass")
    assert workspace.tree("a.py") is not tree
    assert workspace.elements("a.py") != elements
    assert workspace.tree("pkg/b.py") is other


def test_a_file_changed_twice_within_a_clock_tick_is_seen(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, cache=False)
    file = tmp_path / "a.py"
    for number in range(5):
        file.write_text(f"x = {number}\n")
        os.utime(file, ns=(0, workspace_time(file, tmp_path)))
        workspace.catch_up()
        assert workspace.lines("a.py") == (f"x = {number}",)


def workspace_time(file: Path, root: Path) -> int:
    """Return the same recent time at every call, as a coarse clock would give it."""
    mark = root.parent / f"{root.name}.time"
    if not mark.exists():
        mark.write_text(str(file.stat().st_mtime_ns))
    return int(mark.read_text())


def test_nothing_is_held_of_files_that_are_gone(root: Path) -> None:
    others = _values()
    workspace = Workspace(root)
    # The bounded tables (texts, trees, summaries) fill first.
    for number in range(10):
        _go(workspace, _come(workspace, root, f"made_{number}"))
    before = _held(others)
    last = _come(workspace, root, "made_last")
    assert _held(others)["Kept"] == before["Kept"] + 1
    _go(workspace, last)
    assert _held(others) == before


def _come(workspace: Workspace, root: Path, name: str) -> Path:
    """Let a file come before a failure that asks for all that is kept of it."""
    file = root / f"{name}.py"
    file.write_text(f"def {name}():\n    return 1\n")
    os.utime(file, (OLD, OLD))
    workspace.catch_up()
    workspace.elements(file.name)
    workspace.derived("length", file.name, Kept)
    workspace.source_summary(file.name, frozenset({name}), frozenset())
    return file


def _go(workspace: Workspace, file: Path) -> None:
    file.unlink()
    workspace.catch_up()


class Kept:
    """What stands for a value that was derived from a file."""


KINDS = (Kept, Row, FileElements, SourceSummary)


def _held(others: list[object]) -> dict[str, int]:
    """Count the values that stay of files, but for those of other workspaces."""
    known = set(map(id, others))
    found = [type(one) for one in _values() if id(one) not in known]
    return {kind.__name__: found.count(kind) for kind in KINDS}


def _values() -> list[object]:
    """Return the values of files that are held anywhere."""
    gc.collect()
    return [one for one in gc.get_objects() if type(one) in KINDS]
