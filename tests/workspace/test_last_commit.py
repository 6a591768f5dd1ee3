"""Files and lines that differ from the newest commit, read without running the repository's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repositories import MadeRepository

from dl_bug_lsp.workspace import Workspace


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "made")


def test_changed_new_and_gone_lines(made: MadeRepository) -> None:
    made.commit("first", a_py="x = 1\ny = 2\nz = 3\nw = 4\n", b_py="k = 1\n")
    made.write("a.py", "x = 1\ny = 5\nz = 3\nadded = 6\nw = 4\n")
    made.write("new.py", "n = 1\n")
    workspace = Workspace(made.path, cache=False)
    assert workspace.is_changed("a.py") is True
    assert workspace.is_changed("b.py") is False
    assert workspace.is_changed("new.py") is True
    assert workspace.changed_lines("a.py") == (2, 4)
    assert workspace.changed_lines("new.py") == ()
    made.write("a.py", "x = 1\nz = 3\nw = 4\n")
    assert Workspace(made.path, cache=False).changed_lines("a.py") == (2,)


def test_line_ends_alone_are_no_change(made: MadeRepository) -> None:
    made.commit("first", a_py="x = 1\ny = 2\n")
    made.write("a.py", "x = 1\r\ny = 2\r\n")
    assert Workspace(made.path, cache=False).is_changed("a.py") is False


def test_age_of_what_an_ignore_rule_hides_is_not_known(made: MadeRepository) -> None:
    made.write(".gitignore", "data/\nkept.csv\n")
    made.write("data/rows.csv", "a\n1\n")
    made.write("kept.csv", "a\n1\n")
    made.commit("first", a_py="x = 1\n")
    made.git("add", "--force", "kept.csv")
    made.commit("second")
    made.write("kept.csv", "a\n2\n")
    workspace = Workspace(made.path, cache=False)
    assert workspace.is_changed("data/rows.csv") is None
    assert workspace.is_changed("kept.csv") is True
    assert workspace.is_changed("a.py") is False


def test_folder_of_a_repository_has_its_own_names(made: MadeRepository) -> None:
    made.commit("first", sub__a_py="x = 1\n", other_py="y = 1\n")
    workspace = Workspace(made.path / "sub", cache=False)
    assert workspace.is_changed("a.py") is False


def test_catching_up_sees_a_new_commit(made: MadeRepository) -> None:
    made.commit("first", a_py="x = 1\n")
    made.write("a.py", "x = 2\n")
    workspace = Workspace(made.path, cache=False)
    assert workspace.is_changed("a.py") is True
    made.commit("second")
    workspace.catch_up()
    assert workspace.is_changed("a.py") is False


def test_filters_of_the_repository_are_not_run(made: MadeRepository, tmp_path: Path) -> None:
    made.commit("first", a_py="x = 1\n")
    made.write(".gitattributes", "*.py filter=mark\n")
    mark = tmp_path / "mark"
    made.git("config", "filter.mark.clean", f"touch {mark}; cat")
    made.git("config", "filter.mark.smudge", f"touch {mark}; cat")
    made.write("a.py", "x = 2\n")
    workspace = Workspace(made.path, cache=False)
    assert workspace.is_changed("a.py") is True
    assert workspace.changed_lines("a.py") == (1,)
    assert not mark.exists()
    # The same repository does run them where git itself compares.
    made.git("diff", "HEAD")
    assert mark.exists()


def test_nothing_is_known_without_a_repository_or_a_commit(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("x = 1\n", "utf-8")
    assert Workspace(tmp_path / "plain", cache=False).is_changed("a.py") is None
    empty = MadeRepository(tmp_path / "empty")
    empty.write("a.py", "x = 1\n")
    assert Workspace(empty.path, cache=False).is_changed("a.py") is None
    assert Workspace(empty.path, cache=False).changed_lines("a.py") == ()
