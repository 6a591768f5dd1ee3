"""The spectrum on disk: one SQLite file with the newest record of every test.

Schema 2 (docs/spectrum.md): ``about(key, value)``; ``session(id, started, command, branch)``;
``body(digest, text)``, source texts, deflated; ``source(id, session, file, digest, imported)``,
the files of a session and what ran in them outside of tests; ``test(id, session, name, outcome,
failed_in, seconds, text, weight, part_of)``; ``hit(test, phase, source, lines)``; ``arc(test,
phase, source, first, last)``; ``signature(test, file, line, function, argument, text, call_file,
call_line, passing, failing)``. Lines are numbits (see `session`), files relative to the
workspace with ``/``. Schema 1 had no ``weight``, ``part_of`` and ``signature``; it is read, and
extended by the next writer.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from dl_bug_lsp import data_folder, databases
from dl_bug_lsp.databases import LARGEST_VALUE, checked_line, checked_numbits
from dl_bug_lsp.recording.session import Arc, Hits, Phase, RecordedTest, Session
from dl_bug_lsp.spectrum.spectrum import Outcome, Signature

NAME = "spectrum.db"
_DAMAGED = (sqlite3.Error, OSError, ValueError, TypeError, LookupError, MemoryError, zlib.error)


class StoreError(Exception):
    """A spectrum file that cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Recording:
    """All that a spectrum file holds: its sessions, oldest first, each with its tests."""

    sessions: tuple[Session, ...]

    @property
    def tests(self) -> tuple[RecordedTest, ...]:
        """Return the tests of all sessions."""
        return tuple(test for session in self.sessions for test in session.tests)


def write_session(path: Path, session: Session) -> str | None:
    """Add a session; its tests replace older ones of the same names.

    Returns a sentence where a damaged file was moved aside first. Raises `StoreError`.
    """
    try:
        with data_folder.locked(path.parent):
            return _write_session(path, session)
    except (sqlite3.Error, OSError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise StoreError(f"the spectrum could not be written to {path} ({why})") from error


def _write_session(path: Path, session: Session) -> str | None:
    old = b""
    if os.path.lexists(path):
        content = data_folder.read(path, databases.LARGEST)
        if content is None:
            raise StoreError(
                f"the spectrum is not written to {path}: it is a link, no file or too large"
            )
        old = content
    moved = None
    if old and not _is_sound(old, path):
        aside = f"{path.name}.broken"
        data_folder.rename(path, aside)
        moved = f"{path.name} was damaged; it is now {aside}, and a new one was begun"
        old = b""
    with databases.of_bytes(old, TABLES) as db:
        databases.allow_writing(db)
        db.execute("begin immediate")
        make_tables(db)
        drop_replaced(db, session)
        insert(db, session)
        drop_unused(db)
        db.execute("commit")
        data_folder.write(path, databases.contents(db))
    return moved


def _is_sound(data: bytes, path: Path) -> bool:
    """Say whether a file can be written on: one of another schema raises `StoreError`."""
    try:
        with databases.of_bytes(data, TABLES) as db:
            if db.execute("select name from sqlite_master").fetchone() is not None:
                _check(db, path)
            databases.allow_writing(db)
    except sqlite3.Error:
        return False
    return True


def read_recording(path: Path) -> Recording:
    """Read a spectrum file; raises `StoreError` with one sentence when that cannot be."""
    if not os.path.lexists(path):
        raise StoreError(f"{path} is no file; `pytest --dl-bug` writes one")
    try:
        with databases.opened(path, TABLES) as db:
            _check(db, path)
            return Recording(tuple(sessions(db)))
    except _DAMAGED as error:
        why = f"{path} is no readable spectrum ({error}); delete it and run the tests again"
        raise StoreError(why) from error


def _check(db: sqlite3.Connection, path: Path) -> None:
    row = db.execute("select value from about where key = 'schema'").fetchone()
    if row is None or row[0] not in (SCHEMA, OLDER):
        schema = row[0] if row else "none"
        raise StoreError(
            f"{path} has the schema {schema}, this version reads {OLDER} and {SCHEMA}; "
            "use the dl-bug-lsp that wrote it, or delete it"
        )


def sessions(db: sqlite3.Connection) -> Iterator[Session]:
    """Yield the sessions, oldest first, each with its tests by name."""
    inflater = databases.Inflater()
    bodies = {
        digest: inflater.text(body, LARGEST_VALUE)
        for digest, body in db.execute("select digest, text from body")
    }
    hits, signatures = _hits(db), _signatures(db)
    since = "weight, part_of" if has(db, "signature") else "1, ''"
    for number, started, command, branch in db.execute(
        "select id, started, command, branch from session order by id"
    ).fetchall():
        sources = db.execute(
            "select file, digest, imported from source where session = ? order by file", (number,)
        ).fetchall()
        tests = tuple(
            RecordedTest(
                name,
                Outcome(outcome),
                Phase(failed_in) if failed_in else None,
                text,
                seconds,
                hits.get(row, {}),
                weight,
                whole,
                signatures.get(row, ()),
            )
            for row, name, outcome, failed_in, text, seconds, weight, whole in db.execute(
                f"select id, name, outcome, failed_in, text, seconds, {since} from test"
                " where session = ? order by name",
                (number,),
            )
        )
        yield Session(
            started,
            command,
            tests,
            {file: Hits(checked_numbits(imported)) for file, _, imported in sources if imported},
            {file: bodies[digest] for file, digest, _ in sources if digest in bodies},
            branch=bool(branch),
        )


def _hits(db: sqlite3.Connection) -> dict[int, dict[tuple[Phase, str], Hits]]:
    files = dict(db.execute("select id, file from source"))
    arcs: dict[tuple[int, str, int], list[Arc]] = {}
    for test, phase, source, first, last in db.execute("select * from arc order by first, last"):
        arc = checked_line(first), checked_line(last)
        arcs.setdefault((test, phase, source), []).append(arc)
    by_test: dict[int, dict[tuple[Phase, str], Hits]] = {}
    for test, phase, source, lines in db.execute("select test, phase, source, lines from hit"):
        jumps = tuple(arcs.get((test, phase, source), ()))
        by_test.setdefault(test, {})[Phase(phase), files[source]] = Hits(
            checked_numbits(lines), jumps
        )
    return by_test


def _signatures(db: sqlite3.Connection) -> dict[int, tuple[Signature, ...]]:
    by_test: dict[int, list[Signature]] = {}
    if has(db, "signature"):
        for test, *row in db.execute("select * from signature order by rowid"):
            by_test.setdefault(test, []).append(Signature(*row))
    return {test: tuple(met) for test, met in by_test.items()}


def drop_replaced(db: sqlite3.Connection, session: Session) -> None:
    """Delete the tests that the session ran again, with their subtests, and those that are gone."""
    again = {test.name for test in session.tests}
    for number, name, whole in db.execute("select id, name, part_of from test").fetchall():
        file = name.partition("::")[0]
        known = session.collected.get(file)
        names = set(_test_and_subtest(name))
        if (
            names & again
            or (known is not None and not names & known)
            or {name, whole} & session.replaces
        ):
            for table in ("hit", "arc", "signature"):
                db.execute(f"delete from {table} where test = ?", (number,))
            db.execute("delete from test where id = ?", (number,))


def _test_and_subtest(name: str) -> Iterator[str]:
    """Yield a name and what stands before its spaces: a subtest is named ``test (i=1)``.

    Parameters may hold spaces, too; only a test's whole name is ever compared with these.
    """
    at = len(name)
    while at > 0:
        yield name[:at]
        at = name.rfind(" ", 0, at)


def insert(db: sqlite3.Connection, session: Session) -> None:
    """Add a session with all that it holds."""
    about = (session.started, session.command, session.branch)
    number = db.execute(
        "insert into session (started, command, branch) values (?, ?, ?)", about
    ).lastrowid
    sources = _insert_sources(db, session, number)
    for test in session.tests:
        row = db.execute(
            "insert into test (session, name, outcome, failed_in, seconds, text, weight, part_of)"
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                test.name,
                test.outcome.value,
                test.failed_in.value if test.failed_in else None,
                test.seconds,
                test.text.encode("utf-8", "replace").decode(),
                test.weight,
                test.part_of,
            ),
        ).lastrowid
        db.executemany(
            "insert into signature values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(row, *astuple(signature)) for signature in test.signatures],
        )
        db.executemany(
            "insert into hit values (?, ?, ?, ?)",
            [(row, phase.value, sources[file], h.lines) for (phase, file), h in test.hits.items()],
        )
        db.executemany(
            "insert into arc values (?, ?, ?, ?, ?)",
            [
                (row, phase.value, sources[file], first, last)
                for (phase, file), h in test.hits.items()
                for first, last in h.arcs
            ],
        )


def _insert_sources(
    db: sqlite3.Connection, session: Session, number: int | None
) -> Mapping[str, int]:
    files = {file for test in session.tests for _, file in test.hits} | set(session.imported)
    numbers: dict[str, int] = {}
    for file in sorted(files):
        text = session.sources.get(file)
        digest = None
        if text is not None:
            body = text.encode("utf-8", "replace")
            digest = hashlib.blake2b(body, digest_size=16).hexdigest()
            db.execute("insert or ignore into body values (?, ?)", (digest, zlib.compress(body)))
        imported = session.imported.get(file)
        row = db.execute(
            "insert into source (session, file, digest, imported) values (?, ?, ?, ?)",
            (number, file, digest, imported.lines if imported else b""),
        ).lastrowid
        assert row is not None
        numbers[file] = row
    return numbers


def drop_unused(db: sqlite3.Connection) -> None:
    """Delete sessions without tests, and sources of no session."""
    db.execute("delete from session where id not in (select session from test)")
    db.execute("delete from source where session not in (select id from session)")
    db.execute("delete from body where digest not in (select digest from source)")


SCHEMA = "2"
OLDER = "1"
"""The schema that is still read, and extended by the next writer."""
TABLES = {
    "about": "key value",
    "session": "id started command branch",
    "body": "digest text",
    "source": "id session file digest imported",
    "test": "id session name outcome failed_in seconds text weight part_of",
    "hit": "test phase source lines",
    "arc": "test phase source first last",
    "signature": "test file line function argument text call_file call_line passing failing",
}
_TABLES = """
create table about (key text primary key, value text);
create table session (id integer primary key, started text, command text, branch integer);
create table body (digest text primary key, text blob);
create table source (id integer primary key, session integer, file text, digest text,
                     imported blob, unique (session, file));
create table test (id integer primary key, session integer, name text unique, outcome text,
                   failed_in text, seconds real, text text);
create table hit (test integer, phase text, source integer, lines blob);
create index hit_test on hit (test);
create table arc (test integer, phase text, source integer, first integer, last integer);
create index arc_test on arc (test);
"""
_SINCE_2 = """
alter table test add column weight integer default 1;
alter table test add column part_of text default '';
create table signature (test integer, file text, line integer, function text, argument text,
                        text text, call_file text, call_line integer, passing integer,
                        failing integer);
create index signature_test on signature (test);
"""


def make_tables(db: sqlite3.Connection) -> None:
    """Make what is missing: all tables, or what a file of the older schema lacks."""
    missing = "" if has(db, "about") else _TABLES
    missing += "" if has(db, "signature") else _SINCE_2
    for statement in filter(str.strip, missing.split(";")):
        db.execute(statement)
    db.execute("insert or replace into about values ('schema', ?)", (SCHEMA,))


def has(db: sqlite3.Connection, table: str) -> bool:
    """Say whether a file has a table."""
    named = db.execute("select 1 from sqlite_master where name = ?", (table,))
    return named.fetchone() is not None
