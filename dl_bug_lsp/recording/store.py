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

import os
import sqlite3
import zlib
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp import data_folder, databases
from dl_bug_lsp.recording.store_reading import sessions
from dl_bug_lsp.recording.store_tables import OLDER, SCHEMA, TABLES, make_tables
from dl_bug_lsp.recording.store_writing import drop_replaced, drop_unused, insert
from dl_bug_lsp.recording.values import RecordedTest, Session

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
        found = data_folder.read(path, databases.LARGEST)
        if found is None:
            raise StoreError(
                f"the spectrum is not written to {path}: it is a link, no file or too large"
            )
        old = found
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
        found = row[0] if row else "none"
        raise StoreError(
            f"{path} has the schema {found}, this version reads {OLDER} and {SCHEMA}; "
            "use the dl-bug-lsp that wrote it, or delete it"
        )
