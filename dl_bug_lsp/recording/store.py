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
import sqlite3
import zlib
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.store_reading import sessions
from dl_bug_lsp.recording.store_tables import OLDER, SCHEMA, TABLES, make_tables
from dl_bug_lsp.recording.store_writing import drop_replaced, drop_unused, insert
from dl_bug_lsp.recording.values import RecordedTest, Session

NAME = "spectrum.db"
_WAIT = 30.0
"""Seconds that a writer waits for another one."""


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
    _check_place(path)
    moved = _move_aside_damaged(path)
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_WAIT, isolation_level=None)) as db:
            data_folder.guard(db, TABLES)
            db.execute("begin immediate")
            make_tables(db)
            drop_replaced(db, session)
            insert(db, session)
            drop_unused(db)
            db.execute("commit")
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"the spectrum could not be written to {path} ({error})") from error
    return moved


def _check_place(path: Path) -> None:
    """Refuse a place that leads elsewhere; what has the file's name must be a file."""
    there = path.is_symlink() or path.exists()
    hidden = path.parent.name == data_folder.FOLDER
    if (there and not data_folder.is_regular(path)) or (
        hidden and not data_folder.is_plain(path.parent)
    ):
        raise StoreError(f"the spectrum is not written to {path}: it is a link or no file")


def read_recording(path: Path) -> Recording:
    """Read a spectrum file; raises `StoreError` with one sentence when that cannot be."""
    if not path.is_file():
        raise StoreError(f"{path} is no file; `pytest --dl-bug` writes one")
    try:
        with contextlib.closing(data_folder.connect(path, TABLES)) as db:
            db.execute("begin")
            _check(db, path)
            return Recording(tuple(sessions(db)))
    except (sqlite3.Error, OSError, ValueError, TypeError, LookupError, zlib.error) as error:
        why = f"{path} is no readable spectrum ({error}); delete it and run the tests again"
        raise StoreError(why) from error


def _check(db: sqlite3.Connection, path: Path) -> None:
    row = db.execute("select value from about where key = 'schema'").fetchone()
    if row is None or row[0] not in (SCHEMA, OLDER):
        found = row[0] if row else "none"
        raise StoreError(
            f"{path} has the schema {found}, this version reads {OLDER} and {SCHEMA}; "
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
