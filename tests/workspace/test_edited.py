"""A workspace with one file changed in memory, over the files on disk."""

from __future__ import annotations

import ast
from pathlib import Path

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.workspace import EditedWorkspace


def test_the_changed_file_alone_differs(tmp_path: Path) -> None:
    (tmp_path / "conf.yaml").write_text("width: 4\n", "utf-8")
    (tmp_path / "main.py").write_text("width = 4\n", "utf-8")
    base = Workspace(tmp_path, cache=False)
    changed = EditedWorkspace(base, "conf.yaml", text="width: 8\ndepth: 2\n")
    assert [entry.value for entry in changed.config_entries("conf.yaml")] == [8, 2]
    assert changed.lines("conf.yaml") == ("width: 8", "depth: 2")
    assert changed.source_line("main.py", 1) == "width = 4"
    assert [entry.value for entry in base.config_entries("conf.yaml")] == [4]
    assert (tmp_path / "conf.yaml").read_text("utf-8") == "width: 4\n"


def test_a_changed_tree_is_seen_by_its_file_alone(tmp_path: Path) -> None:
    for name in ("main.py", "net.py"):
        (tmp_path / name).write_text("width = 4\n", "utf-8")
    base = Workspace(tmp_path, cache=False)
    tree = ast.parse("width = 8\n")
    changed = EditedWorkspace(base, "main.py", tree=tree)
    assert changed.tree("main.py") is tree
    assert changed.tree("net.py") is base.tree("net.py")
    original = base.tree("main.py")
    assert original is not None and ast.unparse(original) == "width = 4"
