"""Looking through a repository for what git would wait at: pipes, devices, sockets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repositories import MadeRepository

from dl_bug_lsp.workspace import git
from dl_bug_lsp.workspace.git import is_in_repository, unreadable


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    made = MadeRepository(tmp_path / "made")
    made.commit("first", a_py="x = 1\n", sub__b_py="y = 1\n")
    return made


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "elsewhere" / "pipe"
    path.parent.mkdir()
    os.mkfifo(path)
    return path


def test_a_sound_repository_has_none(made: MadeRepository) -> None:
    made.git("gc", "-q")
    made.commit("second", a_py="x = 2\n")
    assert unreadable(made.path) is None
    assert unreadable(made.path / "sub") is None
    assert is_in_repository(made.path / "sub")


def test_without_a_repository_nothing_is_looked_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert unreadable(tmp_path) is None
    assert not is_in_repository(tmp_path)


@pytest.mark.parametrize("place", ["packed-refs", "refs/heads/other", "objects/ab/cdef", "hooks/x"])
def test_a_pipe_among_gits_own_files(made: MadeRepository, place: str) -> None:
    target = made.path / ".git" / place
    target.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(target)
    assert unreadable(made.path) == str(target.resolve())


@pytest.mark.parametrize("place", ["index", "objects/pack/x.idx", "refs/tags/v1"])
def test_a_link_to_a_pipe(made: MadeRepository, pipe: Path, place: str) -> None:
    target = made.path / ".git" / place
    target.unlink(missing_ok=True)
    target.symlink_to(pipe)
    assert unreadable(made.path) is not None


def test_links_in_a_circle_end(made: MadeRepository) -> None:
    (made.path / ".git" / "refs" / "again").symlink_to(made.path / ".git")
    (made.path / ".git" / "refs" / "nowhere").symlink_to(made.path / "missing")
    (made.path / ".git" / "refs" / "self").symlink_to("self")
    assert unreadable(made.path) is None


@pytest.mark.parametrize(
    "text",
    [
        "[include]\n\tpath = {relative}\n",
        '[include] path = "{pipe}" ; a remark\n',
        "[INCLUDE]\n\tPath = {pipe} # a remark\n",
        '[includeIf "onbranch:main"]\n\tpath = {pipe}\n',
        "[include]\n\tpath = missing\n\tpath = {pipe}\n",
        "[include]\n\tpath = {between}\n",
    ],
)
def test_a_configuration_that_includes_a_pipe(made: MadeRepository, pipe: Path, text: str) -> None:
    between = pipe.with_name("between")
    between.write_text(f"[include]\n\tpath = {pipe.name}\n", "utf-8")
    config = made.path / ".git" / "config"
    relative = os.path.relpath(pipe, config.parent)
    with config.open("a", encoding="utf-8") as stream:
        stream.write(text.format(pipe=pipe, relative=relative, between=between))
    assert Path(unreadable(made.path) or "").samefile(pipe)


def test_a_path_of_another_section_is_not_followed(made: MadeRepository, pipe: Path) -> None:
    with (made.path / ".git" / "config").open("a", encoding="utf-8") as stream:
        stream.write(f"[include]\n[other]\n\tpath = {pipe}\n")
    assert unreadable(made.path) is None


def test_configurations_that_include_each_other_end(made: MadeRepository) -> None:
    git_folder = made.path / ".git"
    (git_folder / "one").write_text("[include]\n\tpath = two\n", "utf-8")
    (git_folder / "two").write_text("[include]\n\tpath = one\n", "utf-8")
    with (git_folder / "config").open("a", encoding="utf-8") as stream:
        stream.write("[include]\n\tpath = one\n")
    assert unreadable(made.path) is None


def test_borrowed_objects_are_looked_at(made: MadeRepository, tmp_path: Path) -> None:
    other = MadeRepository(tmp_path / "other")
    other.commit("first", a_py="x = 1\n")
    borrowed = other.path / ".git" / "objects"
    alternates = made.path / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"# borrowed\n{os.path.relpath(borrowed, alternates.parents[1])}\n")
    assert unreadable(made.path) is None
    os.mkfifo(borrowed / "pipe")
    assert Path(unreadable(made.path) or "").samefile(borrowed / "pipe")


def test_a_work_tree_leads_to_its_repository(made: MadeRepository, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    made.git("worktree", "add", "-q", "-b", "other", str(beside))
    assert is_in_repository(beside)
    assert unreadable(beside) is None
    os.mkfifo(made.path / ".git" / "refs" / "heads" / "pipe")
    assert unreadable(beside) is not None


def test_a_bare_repository(tmp_path: Path) -> None:
    bare = MadeRepository(tmp_path / "made")
    bare.git("init", "-q", "--bare", str(tmp_path / "bare"))
    assert is_in_repository(tmp_path / "bare")
    assert unreadable(tmp_path / "bare") is None
    os.mkfifo(tmp_path / "bare" / "packed-refs")
    assert unreadable(tmp_path / "bare") is not None


def test_a_mark_that_is_a_pipe_itself(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert unreadable(tmp_path) == str(tmp_path.resolve() / ".git")


def test_of_plain_objects_only_the_number_counts(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects are not resolved one by one, and beyond the limit nothing is looked at."""
    folder = made.path / ".git" / "objects" / "zz"
    folder.mkdir()
    for number in range(300):
        (folder / f"{number:038}").write_bytes(b"x")
    search = git._Search()
    assert list(search.odd([made.path / ".git"])) == []
    assert not [name for name in search._seen if "/zz/" in name]
    os.mkfifo(folder / "pipe")
    assert unreadable(made.path) is not None
    monkeypatch.setattr(git, "MOST_ENTRIES", 1)
    assert unreadable(made.path) is None
