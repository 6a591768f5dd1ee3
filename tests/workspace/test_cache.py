"""The index on disk: used when valid, rebuilt when not, never in the way."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from dl_bug_lsp.workspace import Workspace, index
from dl_bug_lsp.workspace.index import SMALLEST_CACHED, Source

SETTLED_NS = 1_600_000_000_000_000_000


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "ws"
    folder.mkdir()
    for number in range(SMALLEST_CACHED):
        write(folder / f"m{number:03}.py", f"def function_{number}(x):\n    return x + {number}\n")
    (folder / "conf.yaml").write_text("lr: 0.1\nnested: {a: [1, .nan, null, true, text]}\n")
    (folder / "broken.py").write_text("def f(:\n")
    return folder


def write(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, ns=(SETTLED_NS, SETTLED_NS))


def snapshot(workspace: Workspace) -> list[str]:
    return [repr(workspace.elements(file)) for file in workspace.files()]


def reads(root: Path) -> list[str]:
    """Return the files that a new workspace reads again to index everything."""
    workspace = Workspace(root)
    seen: list[str] = []
    read: Callable[[str], Source] = workspace._read

    def counting(file: str) -> Source:
        seen.append(file)
        return read(file)

    workspace._read = counting  # type: ignore[method-assign]
    workspace.index()
    return seen


def test_a_warm_index_equals_a_cold_one_and_reads_nothing_settled(root: Path) -> None:
    cold = Workspace(root)
    assert cold.index()
    assert (root / ".dlbug" / ".gitignore").read_text() == "*\n"
    assert snapshot(Workspace(root)) == snapshot(cold) == snapshot(Workspace(root, cache=False))
    assert set(reads(root)) <= {"conf.yaml", "broken.py"}


def test_what_doctor_shows(root: Path) -> None:
    assert Workspace(root).cache_info() == index.CacheInfo(None)
    workspace = Workspace(root)
    workspace.index()
    info = workspace.cache_info()
    assert info.path == root / ".dlbug" / "index.sqlite"
    assert info.files == SMALLEST_CACHED + 2
    assert info.size == info.path.stat().st_size
    assert info.modified == info.path.stat().st_mtime


def test_a_change_of_content_is_seen_even_with_the_same_size_and_time(root: Path) -> None:
    Workspace(root).index()
    replacement = root / "new"
    write(replacement, "def function_9(x):\n    return x + 0\n")
    replacement.replace(root / "m000.py")
    names = [f.name for f in Workspace(root).elements("m000.py").functions]
    assert names == ["function_9"]


def test_a_touched_file_is_compared_by_content(root: Path) -> None:
    Workspace(root).index()
    before = snapshot(Workspace(root))
    os.utime(root / "m001.py", ns=(SETTLED_NS + 1, SETTLED_NS + 1))
    assert "m001.py" in reads(root)
    assert snapshot(Workspace(root)) == before


def test_a_file_that_came_and_one_that_went(root: Path) -> None:
    Workspace(root).index()
    write(root / "extra.py", "def extra(): pass\n")
    (root / "m000.py").unlink()
    workspace = Workspace(root)
    workspace.index()
    assert workspace.cache_info().files == SMALLEST_CACHED + 2
    assert [f.name for f in Workspace(root).elements("extra.py").functions] == ["extra"]


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _sql(statement: str) -> Callable[[Path], None]:
    def run(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()

    return run


DAMAGES = [
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(b"not a database at all" * 100),
    _truncate,
    _sql("update about set value = '0 python2.7'"),
    _sql("delete from about"),
    _sql("drop table file"),
    _sql("update file set record = '{}'"),
    _sql("update file set record = 'x'"),
    _sql("update file set record = x'00'"),
    _sql("update file set record = null"),
    _sql("update file set record = replace(record, '[', '[[')"),
    _sql("update file set digest = null, size = 'large'"),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_foreign_cache_is_rebuilt_silently(
    root: Path, damage: Callable[[Path], None]
) -> None:
    Workspace(root).index()
    expected = snapshot(Workspace(root, cache=False))
    damage(root / ".dlbug" / "index.sqlite")
    assert snapshot(Workspace(root)) == expected
    assert Workspace(root).index()
    assert snapshot(Workspace(root)) == expected


def test_a_cache_folder_that_cannot_be_made_moves_to_the_users(root: Path, tmp_path: Path) -> None:
    (root / ".dlbug").write_text("a file in the way")
    workspace = Workspace(root)
    workspace.index()
    path = workspace.cache_info().path
    assert path is not None
    assert tmp_path / "home" in path.parents
    assert set(reads(root)) <= {"conf.yaml", "broken.py"}


def test_a_link_in_place_of_the_cache_folder_is_not_written_through(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / ".dlbug").symlink_to(tmp_path / "elsewhere")
    Workspace(root).index()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_where_nothing_can_be_written_the_index_still_works(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".dlbug").write_text("")
    (tmp_path / "blocked").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "blocked"))
    workspace = Workspace(root)
    assert workspace.index()
    assert workspace.cache_info().path is None
    assert workspace.elements("m000.py").functions


def test_switched_off_nothing_is_written(root: Path) -> None:
    Workspace(root, cache=False).index()
    assert not (root / ".dlbug").exists()


def test_a_small_workspace_needs_no_cache(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    assert Workspace(tmp_path).index()
    assert not (tmp_path / ".dlbug").exists()


def test_indexing_reports_progress_and_stops_when_cancelled(root: Path) -> None:
    told: list[tuple[int, int]] = []
    workspace = Workspace(root)
    assert not workspace.index(lambda done, of: told.append((done, of)), lambda: len(told) >= 5)
    assert told == [(n, SMALLEST_CACHED + 2) for n in range(1, 6)]
    assert not (root / ".dlbug").exists()
