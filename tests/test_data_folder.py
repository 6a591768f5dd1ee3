"""The hidden folder in workspaces that somebody else filled: links, pipes, foreign databases."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.store import StoreError, read_recording, write_session
from dl_bug_lsp.recording.values import Session
from dl_bug_lsp.runs import records
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs.yaml_files import read_yaml_config
from dl_bug_lsp.workspace.kept import read_kept, write_kept

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
SESSION = Session("2026-01-01T00:00:00Z", "pytest", (), {}, {}, {}, False, ())


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_runs_are_neither_written_nor_removed_through_a_link(tmp_path: Path) -> None:
    foreign, workspace = tmp_path / "foreign", tmp_path / "workspace"
    foreign.mkdir()
    for number in range(records.KEPT + 5):
        record = records.new_record(workspace, ("python", "a.py"), workspace, number)
        records.write(foreign / f"20260101T0000{number % 60:02}Z-{number}", record)
    before = names(foreign)
    (workspace / ".dlbug").mkdir(parents=True)
    (workspace / ".dlbug" / "runs").symlink_to(foreign)
    with pytest.raises(OSError, match="link"):
        records.begin(workspace, records.new_record(workspace, ("true",), workspace, 1))
    records.prune(workspace / ".dlbug" / "runs", 0)
    assert list(records.recorded(workspace)) == []
    assert names(foreign) == before


def test_only_records_of_ours_are_removed(tmp_path: Path) -> None:
    runs = data_folder.prepare(tmp_path, "runs")
    (runs / "notes.json").write_text("{}")
    (runs / "20260101T000000Z-7.json").write_text("[]")
    ours = runs / "20260101T000001Z-8"
    records.write(ours, records.new_record(tmp_path, ("true",), tmp_path, 8).ended_with(0, 0))
    records.prune(runs, 0)
    assert names(runs) == ["20260101T000000Z-7.json", "notes.json"]


def test_nothing_is_written_through_a_dangling_link(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    (workspace / ".dlbug").mkdir(parents=True)
    for name in (".gitignore", "failures.json", "spectrum.db", "index.sqlite"):
        (workspace / ".dlbug" / name).symlink_to(outside)
    (workspace / "train.py").write_text("x = 1\n")
    opened = Workspace(workspace)
    opened.python_files()
    opened.keep_index()
    write_kept(workspace, "failures.json", b"{}")
    with pytest.raises(StoreError, match="link"):
        write_session(workspace / ".dlbug" / "spectrum.db", SESSION)
    assert not outside.exists()


def test_a_folder_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    workspace, foreign = tmp_path / "workspace", tmp_path / "foreign"
    workspace.mkdir()
    foreign.mkdir()
    (foreign / "failures.json").write_bytes(b"{}")
    (workspace / ".dlbug").symlink_to(foreign)
    assert read_kept(workspace, "failures.json", 100) is None
    assert not write_kept(workspace, "failures.json", b"[]")
    assert write_kept(workspace, "failures.json", None)
    with pytest.raises(StoreError):
        write_session(workspace / ".dlbug" / "spectrum.db", SESSION)
    assert (foreign / "failures.json").read_bytes() == b"{}"
    assert names(foreign) == ["failures.json"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    folder = data_folder.prepare(tmp_path)
    for name in ("failures.json", "spectrum.db", "index.sqlite"):
        os.mkfifo(folder / name)
    assert read_kept(tmp_path, "failures.json", 100) is None
    with pytest.raises(StoreError):
        read_recording(folder / "spectrum.db")
    assert Workspace(tmp_path).python_files() == ()
    os.mkfifo(data_folder.prepare(tmp_path, "runs") / "20260101T000001Z-8.json")
    assert list(records.recorded(tmp_path)) == []


@pytest.mark.parametrize(
    "planted",
    [
        "create view about as with recursive n(x) as (select 1 union all select x + 1 from n) "
        "select x as key, x as value from n",
        "create table t (x); create trigger t_in after insert on t begin select 1; end",
    ],
)
def test_a_database_with_more_than_our_tables_is_refused(tmp_path: Path, planted: str) -> None:
    file = tmp_path / "spectrum.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(planted)
    with pytest.raises(StoreError, match="unexpected"):
        read_recording(file)
    with pytest.raises(sqlite3.DatabaseError, match="unexpected"):
        data_folder.connect(file, frozenset({"about"}))


def test_a_query_that_never_ends_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_folder, "MOST_STEPS", 2)
    file = tmp_path / "a.db"
    sqlite3.connect(file).close()
    endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select max(x) from n"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        data_folder.guard(connection, frozenset())
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            connection.execute(endless).fetchone()


@pytest.mark.parametrize(
    "text",
    ["[" * 24_000 + "]" * 24_000, "- " * 24_000 + "x", "{a: " * 30_000],
)
def test_yaml_of_very_many_levels_ends_no_process(text: str) -> None:
    reading = read_yaml_config("a.yaml", text)
    assert reading.problem == "more than 200 levels are nested"
    assert reading.problem_line == 1


def test_yaml_that_is_merely_long_is_read_whole() -> None:
    text = "".join(f"k{n}: [{n}, {{a: {n}}}]\n" for n in range(300))
    reading = read_yaml_config("a.yaml", text)
    assert reading.problem is None
    assert len(reading.entries) == 300 * 4
