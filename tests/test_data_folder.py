"""The hidden folder in workspaces that somebody else filled: links, pipes, foreign databases."""

from __future__ import annotations

import os
import sqlite3
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from dl_bug_lsp import data_folder, databases
from dl_bug_lsp.recording import session_folder
from dl_bug_lsp.recording.importing import JUnitError, read_junit
from dl_bug_lsp.recording.session import CoverageDataError, Session, read_coverage
from dl_bug_lsp.recording.store import StoreError, read_recording, write_session
from dl_bug_lsp.runs import records
from dl_bug_lsp.server.failures_file import change_state, read_state
from dl_bug_lsp.watching.folders import LogRules
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs.yaml_files import read_yaml_config
from dl_bug_lsp.workspace.git import unreadable

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
    change_state(workspace, "failures.json", 100, lambda old: b"{}")
    with pytest.raises(StoreError, match="link"):
        write_session(workspace / ".dlbug" / "spectrum.db", SESSION)
    assert not outside.exists()


def test_a_folder_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    workspace, foreign = tmp_path / "workspace", tmp_path / "foreign"
    workspace.mkdir()
    foreign.mkdir()
    (foreign / "failures.json").write_bytes(b"{}")
    (workspace / ".dlbug").symlink_to(foreign)
    assert read_state(workspace, "failures.json", 100) is None
    assert not change_state(workspace, "failures.json", 100, lambda old: b"[]")
    assert change_state(workspace, "failures.json", 100, lambda old: None)
    with pytest.raises(StoreError):
        write_session(workspace / ".dlbug" / "spectrum.db", SESSION)
    assert (foreign / "failures.json").read_bytes() == b"{}"
    assert names(foreign) == ["failures.json"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    folder = data_folder.prepare(tmp_path)
    for name in ("failures.json", "spectrum.db", "index.sqlite"):
        os.mkfifo(folder / name)
    assert read_state(tmp_path, "failures.json", 100) is None
    with pytest.raises(StoreError):
        read_recording(folder / "spectrum.db")
    assert Workspace(tmp_path).python_files() == ()
    os.mkfifo(data_folder.prepare(tmp_path, "runs") / "20260101T000001Z-8.json")
    assert list(records.recorded(tmp_path)) == []


@pytest.mark.parametrize(
    "planted",
    [
        "create table about (key, value generated always as (hex(zeroblob(50000000))))",
        "create table about (key, value check (length(randomblob(50000000)) > 1))",
        "create table t (x)",
        "create table about (key, value); create index i on about (hex(zeroblob(50000000)))",
        "create virtual table about using fts5(key, value)",
        "create view about as with recursive n(x) as (select 1 union all select x + 1 from n) "
        "select x as key, x as value from n",
        "create table t (x); create trigger t_in after insert on t begin select 1; end",
    ],
)
def test_a_database_with_more_than_our_tables_is_refused(tmp_path: Path, planted: str) -> None:
    file = tmp_path / "spectrum.db"
    connection = sqlite3.connect(file)
    connection.executescript(planted)
    connection.close()
    with pytest.raises(StoreError, match="unexpected"):
        read_recording(file)


def test_a_query_that_never_ends_is_stopped() -> None:
    endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select max(x) from n"
    with databases.of_bytes(b"", {}) as connection:
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            connection.execute(endless).fetchone()
        many = endless.replace("max(x)", "'a text' || x")
        with pytest.raises(sqlite3.DatabaseError, match="more rows"):
            connection.execute(many).fetchall()


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


def test_what_a_folder_leads_to_is_no_matter_once_it_is_open(tmp_path: Path) -> None:
    folder = data_folder.prepare(tmp_path, "runs")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    with data_folder._place(folder / "a.json") as (name, within):
        folder.rename(tmp_path / ".dlbug" / "moved")
        folder.symlink_to(foreign)
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=within))
    assert names(foreign) == []
    assert names(tmp_path / ".dlbug" / "moved") == ["a.json"]


def test_nothing_is_written_into_a_file_that_is_there(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"theirs")
    folder = data_folder.prepare(tmp_path)
    for name in ("failures.json", "failures.json.tmp", "spectrum.db", "index.sqlite"):
        os.link(foreign, folder / name)
    assert change_state(tmp_path, "failures.json", 100, lambda _: b"{}")
    write_session(folder / "spectrum.db", SESSION)
    opened = Workspace(tmp_path)
    opened.python_files()
    opened.keep_index()
    assert foreign.read_bytes() == b"theirs"


def test_a_planted_journal_changes_and_deletes_nothing(tmp_path: Path) -> None:
    file = data_folder.prepare(tmp_path) / "spectrum.db"
    write_session(file, SESSION)
    held, victim = file.read_bytes(), tmp_path / "victim"
    victim.write_bytes(b"theirs")
    # Opening the database by its name, SQLite 3.40 rolls this back and then deletes the file that
    # the journal names as its superior. Magic, records, nonce, pages, bytes of a sector and a page;
    # then the number of the page that is never written, the name, its length and sum, magic.
    magic, name = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", os.fsencode(victim)
    numbers = struct.pack(">5I", 0, 0, len(held) // 4096, 512, 4096)
    tail = struct.pack(">II", len(name), sum(name))
    journal = (magic + numbers).ljust(512, b"\0") + struct.pack(">I", 2**30 // 4096 + 1) + name
    file.with_name("spectrum.db-journal").write_bytes(journal + tail + magic)
    assert read_recording(file).sessions == ()
    write_session(file, SESSION)
    assert victim.read_bytes() == b"theirs"


def test_sessions_with_foreign_files_are_left_alone(tmp_path: Path) -> None:
    base = data_folder.prepare(tmp_path, "recording")
    ours, foreign = base / "2026-01-01T000000Z-999999999", base / "2026-01-02T000000Z-999999999"
    for folder in (ours, foreign):
        folder.mkdir()
        (folder / "session.json").write_text("{}")
    (foreign / "thesis.tex").write_text("theirs")
    assert list(session_folder.abandoned_sessions(tmp_path)) == [ours]
    session_folder.remove(ours)
    session_folder.remove(foreign)
    assert names(base) == [foreign.name]
    assert (foreign / "thesis.tex").exists()


def test_no_text_from_outside_the_workspace_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("a secret")
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "link.py").symlink_to(tmp_path / "secret.txt")
    assert data_folder.read_below(root, "../secret.txt", 100) is None
    assert data_folder.read_below(root, "link.py", 100) is None


def test_texts_that_inflate_without_end_are_refused() -> None:
    inflater = databases.Inflater()
    assert inflater.text(zlib.compress(b"a" * 1000), 1000) == "a" * 1000
    with pytest.raises(ValueError, match="too large"):
        inflater.text(zlib.compress(b"a" * 1001), 1000)


@pytest.mark.parametrize("folder", [True, False])
def test_one_sentence_says_why_the_folder_is_not_used(tmp_path: Path, folder: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "train.py").write_text("raise ValueError('no')\n")
    if folder:
        (tmp_path / ".dlbug").symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(tmp_path / ".dlbug")
    done = subprocess.run(
        [sys.executable, "-m", "dl_bug_lsp", "run", "--", sys.executable, "train.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.count("it is a link, no folder, or another user's") == 1
    assert "train.py:1" in done.stderr
    assert any(".dlbug is not used" in said for said in Workspace(tmp_path).problems())
    assert names(tmp_path / "elsewhere") == []


def test_pipes_anywhere_are_not_waited_for(tmp_path: Path) -> None:
    """Of git, the walk, configuration, sources, coverage data, reports and logs."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    inside = ("train.py", "conf.yaml", "data.csv", "x.ipynb", ".gitignore", "pyproject.toml")
    for name in (*inside, ".coverage", "junit.xml", "train.log"):
        os.mkfifo(tmp_path / name)
    git = tmp_path / ".git"
    (git / "config").unlink()
    os.mkfifo(git / "config")
    workspace = Workspace(tmp_path)
    assert workspace.index()
    assert workspace.history().commits == ()
    assert all(workspace.text(name) is None for name in inside)
    with pytest.raises(CoverageDataError):
        read_coverage(tmp_path / ".coverage")
    with pytest.raises(JUnitError):
        read_junit(tmp_path / "junit.xml")


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("HEAD", None),
        ("objects/info/alternates", "{pipe}\n"),
        ("config", "[core]\n[include]\n\tpath = {pipe}\n"),
        ("config", '[includeIf "gitdir:/"] path = "{pipe}"\n'),
        ("commondir", "{around}"),
    ],
)
def test_git_is_not_asked_where_it_would_wait(tmp_path: Path, place: str, text: str | None) -> None:
    pipe = tmp_path / "around" / "pipe"
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    root = tmp_path / "workspace"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    assert unreadable(root) is None
    target = root / ".git" / place
    if text is None:
        target.unlink()
        target.symlink_to("/dev/zero")
    else:
        target.write_text(text.format(pipe=pipe, around=pipe.parent))
    (root / "inner").mkdir()
    assert unreadable(root / "inner") is not None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<!DOCTYPE a [<!ENTITY b "cc">]><a>&b;</a>', "document type"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "document type"),
        ("<a>" * 200_000, "levels"),
        ("<a", "unclosed"),
    ],
)
def test_reports_that_grow_as_they_are_read_are_refused(
    tmp_path: Path, text: str, why: str
) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(text)
    with pytest.raises(JUnitError, match=why):
        read_junit(file)


@pytest.mark.parametrize("unit", ["*a", "*?", "*[!b]", "**/"])
def test_a_pattern_costs_what_it_is_long(tmp_path: Path, unit: str) -> None:
    """Sharing a name out among many stars is a computation that never ends."""
    (tmp_path / ".gitignore").write_text(f"{unit * 40}b\nkept*.log\n")
    (tmp_path / ("a" * 250)).touch()
    (tmp_path / "kept1.log").touch()
    assert Workspace(tmp_path).files() == (".gitignore", "a" * 250)
    assert not LogRules((f"{unit * 40}b",)).is_log("a" * 250)
