"""Git history as the ranking asks for it: order, merges, renames."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from git_repositories import DAY, START, MadeRepository

from dl_bug_lsp.workspace import Change, Commit, History, Workspace
from dl_bug_lsp.workspace.git import LOG_FORMAT, Repository


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "made")


def subjects(history: History) -> list[str]:
    return [commit.subject for commit in history.commits]


def test_commits_newest_first_with_their_changes(made: MadeRepository) -> None:
    made.commit("Add\n\nthe body\n\nof two parts", a_py="x = 1\n", b_py="y = 1\n")
    made.git("rm", "-q", "b.py")
    last = made.commit("Change", a_py="x = 2\n")
    history = Workspace(made.path, cache=False).history()
    newest, oldest = history.commits
    assert newest == Commit(
        last,
        (oldest.sha,),
        START + DAY,
        "Change",
        "",
        (Change("M", "a.py"), Change("D", "b.py")),
    )
    assert oldest.message == "Add\n\nthe body\n\nof two parts"
    assert oldest.changes == (Change("A", "a.py"), Change("A", "b.py"))
    assert history.time == START + DAY


def test_a_merge_has_no_changes(made: MadeRepository) -> None:
    made.commit("base", a_py="x = 1\n")
    made.git("checkout", "-q", "-b", "side")
    made.commit("on the side", side_py="y = 1\n")
    made.git("checkout", "-q", "main")
    made.commit("on main", a_py="x = 2\n")
    made.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    history = Workspace(made.path, cache=False).history()
    assert subjects(history) == ["merge", "on main", "on the side", "base"]
    assert history.commits[0].changes == ()


def test_renamed_files_keep_their_past(made: MadeRepository) -> None:
    made.commit("add", old__a_py="x = 1\n", b_py="y = 1\n")
    made.commit("fix a", old__a_py="x = 2\n", b_py="y = 2\n")
    (made.path / "new").mkdir()
    made.git("mv", "old/a.py", "new/a.py")
    made.commit("move")
    made.commit("more", new__a_py="x = 3\n")
    history = Workspace(made.path, cache=False).history()
    assert history.commits[1].changes == (Change("R", "new/a.py", "old/a.py"),)


def test_a_folder_of_a_repository_sees_its_own_names(made: MadeRepository) -> None:
    made.commit("both", sub__a_py="x = 1\n", other_py="y = 1\n")
    made.commit("other alone", other_py="y = 2\n")
    made.git("mv", "sub/a.py", "moved.py")
    made.git("mv", "other.py", "sub/other.py")
    made.commit("swap")
    history = Workspace(made.path / "sub", cache=False).history()
    assert [commit.changes for commit in history.commits] == [
        (Change("D", "a.py"), Change("A", "other.py")),
        (),
        (Change("A", "a.py"),),
    ]


@pytest.mark.parametrize(
    ("subject", "is_fix"),
    [
        ("Fix wrong device", True),
        ("bugfix: loader", True),
        ("[BUG] crash with ddp", True),
        ("hot-fix the release", True),
        ("Fixes #12", True),
        ("add prefix to names", False),
        ("debug output", False),
        ("suffixes and affixed", False),
        ("Release 1.2", False),
    ],
)
def test_which_commits_fix_bugs(subject: str, is_fix: bool) -> None:
    assert Commit("", (), 0, subject, "", ()).is_fix is is_fix


def test_where_no_history_can_be_had_it_is_empty(
    made: MadeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit("one", a_py="x = 1\n")
    made.commit("two", a_py="x = 2\n")
    shallow = tmp_path / "shallow"
    made.git("clone", "-q", "--depth", "1", made.path.as_uri(), str(shallow))
    broken = tmp_path / "broken"
    shutil.copytree(made.path, broken)
    shutil.rmtree(broken / ".git" / "objects")
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / ".git").write_text("gitdir: /nowhere\n")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for name in ("shallow", "broken", "plain", "file", "absent"):
        assert Workspace(tmp_path / name, cache=False).history().commits == ()
    monkeypatch.setenv("PATH", str(tmp_path / "plain"))
    assert Workspace(made.path, cache=False).history().commits == ()


def test_another_repository_in_the_environment_is_not_meant(
    made: MadeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit("mine", a_py="")
    other = MadeRepository(tmp_path / "other")
    other.commit("theirs", b_py="")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    assert subjects(Workspace(made.path, cache=False).history()) == ["mine"]


def test_a_log_that_is_too_long_loses_its_oldest_commits_whole(made: MadeRepository) -> None:
    for n in range(6):
        made.commit(f"commit {n}", a_py=f"x = {n}\n")
    repository = Repository(made.path)
    whole = repository.log(("HEAD",))
    for size in range(0, len(whole) + 1, 7):
        found = History.of_log(repository.log(("HEAD",), size=size)).commits
        assert found == History.of_log(whole).commits[: len(found)]
    assert len(History.of_log(whole).commits) == 6
    assert len(History.of_log(whole[:0]).commits) == 0


def test_a_log_of_nonsense_is_read_without_an_error() -> None:
    assert LOG_FORMAT.count("%x00") == 5
    for log in (b"", b"\0", b"\x01", b"M\0a.py\0" * 3, b"\x01a\0b\0c\0", b"\x01a\0b\0c\0d\0e\0R\0"):
        assert all(commit.changes == () for commit in History.of_log(log).commits)
