"""The spectrum on disk: one SQLite file with the newest record of every test.

Schema 2 (docs/spectrum.md): ``about(key, value)``; ``session(id, started, command, branch)``;
``body(digest, text)``, source texts, deflated; ``source(id, session, file, digest, imported)``, the
files of a session and what ran in them outside of tests; ``test(id, session, name, outcome,
failed_in, seconds, text, weight, part_of)``; ``hit(test, phase, source, lines)``; ``arc(test,
phase, source, first, last)``; ``signature(test, file, line, function, argument, text, call_file,
call_line, passing, failing)``. Lines are numbits (see `numbits`), files relative to the workspace
with ``/``. Schema 1 had no ``weight``, ``part_of`` and ``signature``; it is read, and extended by
the next writer.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from dl_bug_lsp.recording.values import Arc, Hits, Phase, RecordedTest, Session
from dl_bug_lsp.spectrum.values import Outcome, Signature

SCHEMA = "2"
_OLDER = "1"
NAME = "spectrum.db"
_WAIT = 30.0
"""Seconds that a writer waits for another one."""
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
    moved = _move_aside_damaged(path)
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_WAIT, isolation_level=None)) as db:
            db.execute("begin immediate")
            _make_tables(db)
            _drop_replaced(db, session)
            _insert(db, session)
            _drop_unused(db)
            db.execute("commit")
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"the spectrum could not be written to {path} ({error})") from error
    return moved


def read_recording(path: Path) -> Recording:
    """Read a spectrum file; raises `StoreError` with one sentence when that cannot be."""
    if not path.is_file():
        raise StoreError(f"{path} is no file; `pytest --dl-bug` writes one")
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_WAIT)
        ) as db:
            db.execute("begin")
            _check(db, path)
            return Recording(tuple(_sessions(db)))
    except (sqlite3.Error, OSError, ValueError, TypeError, LookupError, zlib.error) as error:
        why = f"{path} is no readable spectrum ({error}); delete it and run the tests again"
        raise StoreError(why) from error


def _check(db: sqlite3.Connection, path: Path) -> None:
    row = db.execute("select value from about where key = 'schema'").fetchone()
    if row is None or row[0] not in (SCHEMA, _OLDER):
        found = row[0] if row else "none"
        raise StoreError(
            f"{path} has the schema {found}, this version reads {_OLDER} and {SCHEMA}; "
            "use the dl-bug-lsp that wrote it, or delete it"
        )


def _move_aside_damaged(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_WAIT)) as db:
            made = db.execute("select name from sqlite_master").fetchone()
            if made is None:
                return None
            _check(db, path)
            return None
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise StoreError(f"{path} could not be opened ({error})") from error
    except sqlite3.DatabaseError:
        pass
    aside = path.with_name(f"{path.name}.broken")
    try:
        path.replace(aside)
    except OSError as error:
        raise StoreError(f"{path} is damaged and could not be moved aside ({error})") from error
    return f"{path.name} was damaged; it is now {aside.name}, and a new one was begun"


def _make_tables(db: sqlite3.Connection) -> None:
    """Make what is missing: all tables, or what a file of the older schema lacks."""
    missing = "" if _has(db, "about") else _TABLES
    missing += "" if _has(db, "signature") else _SINCE_2
    for statement in filter(str.strip, missing.split(";")):
        db.execute(statement)
    db.execute("insert or replace into about values ('schema', ?)", (SCHEMA,))


def _has(db: sqlite3.Connection, table: str) -> bool:
    named = db.execute("select 1 from sqlite_master where name = ?", (table,))
    return named.fetchone() is not None


def _drop_replaced(db: sqlite3.Connection, session: Session) -> None:
    gone = {test.name for test in session.tests}
    gone |= {
        name
        for name, whole in db.execute("select name, part_of from test")
        if name.partition("::")[0] in session.whole_files
        or name in session.replaces
        or whole in session.replaces
    }
    for name in sorted(gone):
        row = db.execute("select id from test where name = ?", (name,)).fetchone()
        if row is not None:
            db.execute("delete from hit where test = ?", row)
            db.execute("delete from arc where test = ?", row)
            db.execute("delete from signature where test = ?", row)
            db.execute("delete from test where id = ?", row)


def _insert(db: sqlite3.Connection, session: Session) -> None:
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
    found: dict[str, int] = {}
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
        found[file] = row
    return found


def _drop_unused(db: sqlite3.Connection) -> None:
    db.execute("delete from session where id not in (select session from test)")
    db.execute("delete from source where session not in (select id from session)")
    db.execute("delete from body where digest not in (select digest from source)")


def _sessions(db: sqlite3.Connection) -> Iterator[Session]:
    bodies = {d: zlib.decompress(b).decode() for d, b in db.execute("select * from body")}
    hits, signatures = _hits(db), _signatures(db)
    since = "weight, part_of" if _has(db, "signature") else "1, ''"
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
            {file: Hits(imported) for file, _, imported in sources if imported},
            {file: bodies[digest] for file, digest, _ in sources if digest in bodies},
            branch=bool(branch),
        )


def _hits(db: sqlite3.Connection) -> dict[int, dict[tuple[Phase, str], Hits]]:
    files = dict(db.execute("select id, file from source"))
    arcs: dict[tuple[int, str, int], list[Arc]] = {}
    for test, phase, source, first, last in db.execute("select * from arc order by first, last"):
        arcs.setdefault((test, phase, source), []).append((first, last))
    found: dict[int, dict[tuple[Phase, str], Hits]] = {}
    for test, phase, source, lines in db.execute("select test, phase, source, lines from hit"):
        jumps = tuple(arcs.get((test, phase, source), ()))
        found.setdefault(test, {})[Phase(phase), files[source]] = Hits(lines, jumps)
    return found


def _signatures(db: sqlite3.Connection) -> dict[int, tuple[Signature, ...]]:
    found: dict[int, tuple[Signature, ...]] = {}
    if _has(db, "signature"):
        for test, *row in db.execute("select * from signature order by rowid"):
            found[test] = (*found.get(test, ()), Signature(*row))
    return found
