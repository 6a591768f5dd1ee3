"""What the walk lists, hides and survives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.walk import walk


def make(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


IGNORES = [
    # .gitignore files, present files, listed files (without the ignore files themselves)
    ({".gitignore": "*.log\n!keep.log\n"}, ["a.log", "keep.log", "x/b.log"], ["keep.log"]),
    ({".gitignore": "data/\n"}, ["data/a.csv", "sub/data/b.csv", "data.py"], ["data.py"]),
    ({".gitignore": "/data/\n"}, ["data/a.csv", "sub/data/b.csv"], ["sub/data/b.csv"]),
    (
        {".gitignore": "*.txt\n", "sub/.gitignore": "!a.txt\n"},
        ["a.txt", "sub/a.txt"],
        ["sub/a.txt"],
    ),
    ({".gitignore": "out/*\n!out/keep.py\n"}, ["out/keep.py", "out/x.py"], ["out/keep.py"]),
    ({".gitignore": "out/\n!out/keep.py\n"}, ["out/keep.py"], []),
    ({"sub/.gitignore": "a.py\n"}, ["a.py", "sub/a.py"], ["a.py"]),
    ({".gitignore": "\\#x\n# c\n\n**/gen/\n[\n"}, ["#x", "p/gen/q.py", "p/a.py"], ["p/a.py"]),
    ({".git/info/exclude": "local.py\n"}, ["local.py", "b.py"], ["b.py"]),
]


@pytest.mark.parametrize(("rules", "present", "listed"), IGNORES)
def test_gitignore_rules(
    tmp_path: Path, rules: dict[str, str], present: list[str], listed: list[str]
) -> None:
    make(tmp_path, *present)
    for name, text in rules.items():
        make(tmp_path, name, text=text)
    found = [file for file in walk(tmp_path).files if not file.endswith(".gitignore")]
    assert found == listed


HIDDEN = [
    ".git/config",
    "node_modules/x/y.js",
    "__pycache__/a.py",
    "lib/python3.11/site-packages/torch/nn.py",
    ".tox/a.py",
    "my.egg-info/top_level.txt",
    ".dlbug/index.sqlite",
    "build/lib/a.py",
    "weights/model.pt",
    "a.ckpt",
    "img/1.PNG",
    "data.npz",
    "model.safetensors",
    ".ipynb_checkpoints/nb.ipynb",
    "wandb/run-1/config.yaml",
]


@pytest.mark.parametrize("name", HIDDEN)
def test_tools_libraries_and_blobs_are_hidden(tmp_path: Path, name: str) -> None:
    make(tmp_path, name, "src/a.py")
    assert walk(tmp_path).files == ("src/a.py",)


def test_a_virtual_environment_of_any_name_is_hidden(tmp_path: Path) -> None:
    make(tmp_path, "my env/pyvenv.cfg", "my env/bin/a.py", "conda/conda-meta/history", "conda/b.py")
    make(tmp_path, "envs/real.py")
    assert walk(tmp_path).files == ("envs/real.py",)


def test_a_package_named_as_a_build_folder_is_source(tmp_path: Path) -> None:
    make(tmp_path, "build/__init__.py", "build/a.py")
    assert walk(tmp_path).files == ("build/__init__.py", "build/a.py")


def test_links_are_followed_once_and_never_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "ws", tmp_path / "outside"
    make(root, "pkg/a.py", "real/b.py")
    make(outside, "secret.py")
    (root / "pkg" / "loop").symlink_to(root)
    (root / "self").symlink_to("self")
    (root / "out").symlink_to(outside)
    (root / "out.py").symlink_to(outside / "secret.py")
    (root / "alias").symlink_to(root / "real")
    (root / "alias.py").symlink_to(root / "pkg" / "a.py")
    (root / "dangling.py").symlink_to(root / "nothing.py")
    listing = walk(root)
    assert listing.files == ("pkg/a.py", "real/b.py")
    assert listing.problems == (
        "out: a link that leads outside the workspace",
        "out.py: a link that leads outside the workspace",
    )


def test_the_root_may_itself_be_a_link(tmp_path: Path) -> None:
    make(tmp_path / "real", "a.py", text="x = 1\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    workspace = Workspace(tmp_path / "link", cache=False)
    assert workspace.files() == ("a.py",)
    assert workspace.lines("a.py") == ("x = 1",)
    place = workspace.locate("/x/a.py", 1)
    assert place is not None
    assert place.file == "a.py"


def test_special_files_and_odd_names_are_survived(tmp_path: Path) -> None:
    make(tmp_path, "a b/ü.py", "ok.py")
    os.mkfifo(tmp_path / "pipe.py")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.py")).touch()
    listing = walk(tmp_path)
    assert listing.files == ("a b/ü.py", "ok.py")
    assert listing.problems == (".: a file name that is not valid text",)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_becomes_a_problem(tmp_path: Path) -> None:
    make(tmp_path, "closed/a.py", "b.py")
    (tmp_path / "closed").chmod(0)
    try:
        listing = walk(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert listing.files == ("b.py",)
    assert listing.problems == ("closed: Permission denied",)


def test_a_missing_root_is_an_empty_workspace_with_a_problem(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "nothing")
    assert workspace.files() == ()
    assert workspace.problems() == (".: No such file or directory",)
    assert workspace.config_entries() == ()


def test_files_outside_and_missing_files_are_none(tmp_path: Path) -> None:
    make(tmp_path / "ws", "a.py")
    make(tmp_path, "b.py", text="secret\n")
    workspace = Workspace(tmp_path / "ws", cache=False)
    for name in ("../b.py", str(tmp_path / "b.py"), "none.py", "", ".", "\0", "a.py/b"):
        assert workspace.text(name) is None
        assert workspace.lines(name) == ()
        assert workspace.tree(name) is None
        assert workspace.elements(name).problem is not None


def test_refresh_sees_what_changed(tmp_path: Path) -> None:
    make(tmp_path, "a.py", text="def one(): pass\n")
    workspace = Workspace(tmp_path, cache=False)
    assert [f.name for f in workspace.elements("a.py").functions] == ["one"]
    make(tmp_path, "a.py", text="def two(): pass\n")
    make(tmp_path, "b.py")
    assert workspace.files() == ("a.py",)
    workspace.refresh("a.py")
    assert [f.name for f in workspace.elements("a.py").functions] == ["two"]
    workspace.refresh()
    assert workspace.files() == ("a.py", "b.py")
