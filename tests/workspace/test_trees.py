"""A tree that is still in use is not parsed a second time."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.workspace import Workspace


def test_a_tree_in_use_is_handed_out_again_until_its_file_changes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8")
    for number in range(4):
        # A tree is weighed by the line that it ends in.
        (tmp_path / f"long{number}.py").write_text("\n" * 15_000 + "y = 2\n", "utf-8")
    workspace = Workspace(tmp_path, cache=False)
    held = workspace.tree("a.py")
    for number in range(4):
        workspace.tree(f"long{number}.py")
    assert workspace.tree("a.py") is held
    (tmp_path / "a.py").write_text("x = 3\n", "utf-8")
    workspace.refresh("a.py")
    assert workspace.tree("a.py") is not held


def test_what_was_indexed_so_far_is_kept(tmp_path: Path) -> None:
    for number in range(80):
        (tmp_path / f"m{number}.py").write_text("def f(): ...\n", "utf-8")
    workspace = Workspace(tmp_path)
    elements = workspace.elements("m3.py")
    assert workspace.keep_index()
    assert not workspace.keep_index()
    assert workspace.cache_info().files == 1
    again = Workspace(tmp_path)
    assert again.elements("m3.py") == elements
    again.elements("m4.py")
    assert again.keep_index()
    assert again.cache_info().files == 2
