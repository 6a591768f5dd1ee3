"""The files of a version in git: the same answers as from a checkout, and nasty repositories."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from git_repositories import DAY, START, MadeRepository

from dl_bug_lsp.workspace import GitError, History, Workspace

MODEL = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return self.head(x.flatten(1))
"""


BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def git_versions() -> Iterator[ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    yield import_module("git_versions")
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "made")


def subjects(history: History) -> list[str]:
    return [commit.subject for commit in history.commits]


def files_of(
    git_versions: ModuleType, made: MadeRepository, revision: str = "HEAD"
) -> tuple[str, ...]:
    with git_versions.Versions(made.path) as versions:
        return versions.workspace(revision).files()


def test_a_version_answers_like_its_checkout(
    git_versions: ModuleType, made: MadeRepository
) -> None:
    made.write("config/train.yaml", "model:\n  dim: 64\n")
    made.write("tests/data/rows.csv", "a,b\n1,2\n")
    made.write("weights.pt", b"\0\1\2")
    made.write("crlf.py", b"a = 1\r\nb = 2\r\n")
    made.write("latin.py", b"# -*- coding: latin-1 -*-\nname = '\xe9'\n")
    made.write("broken.py", "def f(:\n")
    made.commit("one", src__pkg__model_py=MODEL, src__pkg____init___py="")
    disk = Workspace(made.path, cache=False)
    with git_versions.Versions(made.path) as versions:
        version = versions.workspace("main")
        assert version.files() == disk.files()
        assert version.python_files() == disk.python_files()
        assert version.config_entries() == disk.config_entries()
        assert version.problems() == ()
        for file in disk.files():
            assert version.text(file) == disk.text(file)
            assert version.lines(file) == disk.lines(file)
            assert version.elements(file) == disk.elements(file)
            trees = [version.tree(file), disk.tree(file)]
            shown = [None if tree is None else ast.dump(tree) for tree in trees]
            assert shown[0] == shown[1]
        frame = ("/home/u/proj/src/pkg/model.py", 5, "forward", "return self.head(x.flatten(1))")
        place = version.locate(*frame)
        assert place is not None
        assert place == disk.locate(*frame)
        assert version.module_file("pkg.model") == "src/pkg/model.py"
        assert version.enclosing_function("src/pkg/model.py", 5) == "Net.forward"
        assert version.table("tests/data/rows.csv") == disk.table("tests/data/rows.csv")
        assert version.existing_file("config/train.yaml") == "config/train.yaml"
        assert version.existing_file("../made/config/none.yaml") is None


def test_versions_differ_and_share_what_is_the_same(
    git_versions: ModuleType, made: MadeRepository
) -> None:
    first = made.commit("one", a_py="x = 1\n", b_py="y = 1\n")
    second = made.commit("two", a_py="x = 2\n")
    made.git("rm", "-q", "b.py")
    third = made.commit("three")
    calls: list[str] = []
    with git_versions.Versions(made.path) as versions:
        workspaces = [versions.workspace(name) for name in (first, second, third)]
        for workspace in workspaces:
            for file in workspace.python_files():

                def read(workspace: Workspace = workspace, file: str = file) -> str:
                    calls.append(file)
                    return workspace.text(file) or ""

                assert workspace.derived("text", file, read) == workspace.text(file)
        assert calls == ["a.py", "b.py", "a.py"]
        assert [w.text("a.py") for w in workspaces] == ["x = 1\n", "x = 2\n", "x = 2\n"]
        assert workspaces[2].text("b.py") is None
        assert workspaces[0].tree("b.py") is workspaces[1].tree("b.py")


def test_nothing_is_written_and_no_work_tree_is_read(
    git_versions: ModuleType, made: MadeRepository
) -> None:
    made.commit("one", a_py="x = 1\n")
    made.write("a.py", "x = 'changed since'\n")
    made.write("new.py", "")
    before = sorted(p.relative_to(made.path) for p in made.path.rglob("*"))
    with git_versions.Versions(made.path) as versions:
        workspace = versions.workspace("HEAD")
        assert workspace.index()
        assert workspace.text("a.py") == "x = 1\n"
        assert workspace.files() == ("a.py",)
        assert len(workspace.history().commits) == 1
    assert sorted(p.relative_to(made.path) for p in made.path.rglob("*")) == before


def test_a_bare_clone_reads_the_same(
    git_versions: ModuleType, made: MadeRepository, tmp_path: Path
) -> None:
    made.commit("one", src__a_py="x = 1\n")
    made.git("tag", "v1")
    made.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    with git_versions.Versions(tmp_path / "bare.git") as versions:
        workspace = versions.workspace("v1")
        assert workspace.text("src/a.py") == "x = 1\n"
        assert workspace.history().commits[0].subject == "one"


def test_links_submodules_and_foreign_names_are_left_out(
    git_versions: ModuleType, made: MadeRepository, tmp_path: Path
) -> None:
    inner = MadeRepository(tmp_path / "inner")
    inner.commit("inner", deep_py="z = 1\n")
    (made.path / "link.py").symlink_to("/etc/passwd")
    (made.path / "loop").symlink_to(".")
    made.write("ok.py", "x = 1\n")
    Path(os.fsdecode(os.fsencode(made.path) + b"/caf\xe9.py")).write_text("y = 1\n")
    made.write("café.py", "y = 2\n")
    made.write("a b\tc.py", "y = 3\n")
    made.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub"
    )
    made.commit("all")
    with git_versions.Versions(made.path) as versions:
        workspace = versions.workspace("HEAD")
        assert workspace.python_files() == ("a b\tc.py", "café.py", "ok.py")
        assert [workspace.text(f) for f in workspace.python_files()] == [
            "y = 3\n",
            "y = 2\n",
            "x = 1\n",
        ]
        assert workspace.text("link.py") is None
        assert workspace.text("../inner/deep.py") is None
        assert len(workspace.problems()) == 2
        assert "submodule" in workspace.problems()[0]
        assert "not valid text" in workspace.problems()[1]


def test_tracked_files_are_the_users_whatever_the_ignore_file_says(
    git_versions: ModuleType, made: MadeRepository
) -> None:
    made.write(".gitignore", "*.py\n")
    made.write("a.py", "x = 1\n")
    made.git("add", "-f", "a.py")
    made.write("node_modules/tool/b.py", "")
    made.git("add", "-f", "node_modules/tool/b.py")
    made.commit("one")
    assert files_of(git_versions, made) == (".gitignore", "a.py")


@pytest.mark.parametrize("revision", ["v9", "0" * 40, "", "--all", "HEAD:a.py", "a\0b", "main~7"])
def test_a_missing_commit_is_one_sentence(
    git_versions: ModuleType, made: MadeRepository, revision: str
) -> None:
    made.commit("one", a_py="")
    with git_versions.Versions(made.path) as versions, pytest.raises(GitError) as caught:
        versions.workspace(revision)
    assert str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_repository_an_empty_one_and_no_folder(git_versions: ModuleType, tmp_path: Path) -> None:
    MadeRepository(tmp_path / "empty")
    (tmp_path / "none").mkdir()
    for name in ("empty", "none", "absent"):
        with pytest.raises(GitError), git_versions.Versions(tmp_path / name) as versions:
            versions.workspace("HEAD")


def test_an_object_that_the_clone_lacks_is_a_file_that_cannot_be_read(
    git_versions: ModuleType,
    made: MadeRepository,
) -> None:
    made.commit("one", a_py="x = 1\n", b_py="y = 1\n")
    name = made.git("rev-parse", "HEAD:a.py")
    (made.path / ".git" / "objects" / name[:2] / name[2:]).unlink()
    with git_versions.Versions(made.path) as versions:
        workspace = versions.workspace("HEAD")
        assert workspace.python_files() == ("a.py", "b.py")
        assert workspace.text("a.py") is None
        assert "cannot be read" in (workspace.elements("a.py").problem or "")
        assert workspace.text("b.py") == "y = 1\n"


def test_the_repositorys_configuration_runs_nothing(
    git_versions: ModuleType, made: MadeRepository, tmp_path: Path
) -> None:
    proof = tmp_path / "ran"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch '{proof}'\ncat\n")
    script.chmod(0o755)
    made.write(".gitattributes", "*.py diff=evil filter=evil\n")
    made.commit("one", a_py="x = 1\n")
    made.commit("two", a_py="x = 2\n")
    for key in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.smudge",
        "filter.evil.clean",
        "gpg.program",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "credential.helper",
    ):
        made.git("config", key, str(script))
    made.git("config", "log.showSignature", "true")
    workspace = Workspace(made.path, cache=False)
    assert [c.subject for c in workspace.history().commits] == ["two", "one"]
    with git_versions.Versions(made.path) as versions:
        version = versions.workspace("HEAD")
        assert version.text("a.py") == "x = 2\n"
        assert len(version.history().commits) == 2
    assert not proof.exists()


def test_each_version_has_its_own_past(git_versions: ModuleType, made: MadeRepository) -> None:
    names = [made.commit(f"commit {n}", a_py=f"x = {n}\n") for n in range(4)]
    with git_versions.Versions(made.path) as versions:
        for at in (2, 0, 3, 1):
            workspace = versions.workspace(names[at])
            assert subjects(workspace.history()) == [f"commit {n}" for n in range(at, -1, -1)]


def test_many_logs_are_read_at_once_and_shared(
    git_versions: ModuleType, made: MadeRepository
) -> None:
    names = [made.commit(f"commit {n}", a_py=f"x = {n}\n") for n in range(3)]
    made.git("tag", "v1.0", names[1])
    with (
        git_versions.Versions(made.path) as versions,
        git_versions.Versions(made.path, log_of=versions) as other,
    ):
        versions.prefetch_history(["v1.0", "v9", "0" * 40, "--all", "a b", "^main", "main..v1.0"])
        made.git("checkout", "-q", "--detach", names[0])
        made.git("branch", "-q", "-D", "main")
        assert subjects(other.history(names[1])) == ["commit 1", "commit 0"]
        assert subjects(other.history(names[0])) == ["commit 0"]
        assert other.commit("v1.0").sha == names[1]


def test_a_branch_is_unknown_before_its_merge(
    git_versions: ModuleType, made: MadeRepository
) -> None:
    made.commit("base", a_py="x = 1\n")
    made.git("checkout", "-q", "-b", "side")
    made.commit("on the side", side_py="y = 1\n")
    made.git("checkout", "-q", "main")
    made.commit("on main", a_py="x = 2\n")
    made.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    history = Workspace(made.path, cache=False).history()
    before_merge = git_versions.until(history, START + 2 * DAY + 1)
    assert subjects(before_merge) == ["on main", "base"]
    assert git_versions.until(history, START - 1).commits == ()
    assert subjects(git_versions.until(history, START + 3 * DAY)) == subjects(history)
    with git_versions.Versions(made.path) as versions:
        known = versions.workspace("main", known_until=START + DAY / 2).history()
        assert subjects(known) == ["base"]


def test_a_shallow_clone_has_files_and_no_history(
    git_versions: ModuleType, made: MadeRepository, tmp_path: Path
) -> None:
    made.commit("one", a_py="x = 1\n")
    made.commit("two", a_py="x = 2\n")
    shallow = tmp_path / "shallow"
    made.git("clone", "-q", "--depth", "1", made.path.as_uri(), str(shallow))
    with git_versions.Versions(shallow) as versions:
        version = versions.workspace("HEAD")
        assert version.text("a.py") == "x = 2\n"
        assert version.history().commits == ()
