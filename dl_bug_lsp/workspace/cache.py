"""The index on disk: one SQLite file, written whole and swapped in, never trusted.

Tables: ``about(key, value)`` with the format's version and the vocabulary's size;
``term(number, term)``, the vocabulary;
``file(path, size, mtime_ns, inode, digest, meta, terms)``, one row a file: its stamp, the BLAKE2b
digest of its bytes, and its record (see `records`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dl_bug_lsp import data_folder, databases
from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.workspace.records import Record
from dl_bug_lsp.workspace.stores import Stamp
from dl_bug_lsp.workspace.terms import Vocabulary

# The reader of Python is the running interpreter's: another one may see other problems.
VERSION = f"2 python{sys.version_info[0]}.{sys.version_info[1]}"
_NAME = "index.sqlite"
_SCHEMA = """
create table about (key text primary key, value text);
create table term (number integer primary key, term text);
create table file (path text primary key, size integer, mtime_ns integer, inode integer,
                   digest text, meta text, terms blob);
"""
_TABLES = {
    "about": "key value",
    "term": "number term",
    "file": "path size mtime_ns inode digest meta terms",
}
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What ``doctor`` shows: where the cache lies, its bytes, and when it was written (epoch s)."""

    path: Path | None
    size: int = 0
    modified: float | None = None
    files: int = 0


@dataclass(slots=True)
class Row:
    """A file's record with what ties it to a content."""

    stamp: Stamp
    digest: str
    record: Record


@dataclass(slots=True)
class Loaded:
    """A cache as read; rows younger than ``settled_ns`` may hide a change within one clock tick."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    rows: dict[str, Row] = field(default_factory=dict)
    settled_ns: int = 0


def candidate_paths(root: Path) -> tuple[Path, ...]:
    """Return where the cache may lie: in the workspace, else in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    key = hashlib.blake2b(os.fsencode(root.resolve()), digest_size=8).hexdigest()
    return root / FOLDER / _NAME, Path(home) / "dl-bug-lsp" / f"{key}.sqlite"


def load(root: Path) -> Loaded:
    """Read the first usable cache; a missing, damaged or foreign one is an empty one."""
    for path in candidate_paths(root):
        with contextlib.suppress(
            OSError, sqlite3.Error, ValueError, TypeError, LookupError, MemoryError
        ):
            if data_folder.is_regular(path):
                return _read(path)
    return Loaded()


def save(root: Path, vocabulary: Vocabulary, rows: Mapping[str, Row]) -> Path | None:
    """Write the cache where that is possible; None where it is not (read-only, full disk)."""
    for path in candidate_paths(root):
        with contextlib.suppress(OSError, sqlite3.Error):
            if path.parent.name == FOLDER:
                data_folder.prepare(root)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
            with data_folder.locked(path.parent):
                data_folder.write(path, _database(vocabulary, rows))
            return path
    return None


def info(root: Path) -> CacheInfo:
    """Say where the cache of a workspace lies and what it holds."""
    for path in candidate_paths(root):
        with contextlib.suppress(OSError, sqlite3.Error):
            if not data_folder.is_regular(path):
                continue
            found = path.stat()
            with databases.opened(path, _TABLES) as connection:
                files = connection.execute("select count(*) from file").fetchone()[0]
            return CacheInfo(path, found.st_size, found.st_mtime, files)
    return CacheInfo(None)


def _read(path: Path) -> Loaded:
    settled = path.stat().st_mtime_ns - _SETTLED_NS
    with databases.opened(path, _TABLES) as connection:
        about = dict(connection.execute("select key, value from about"))
        if about.get("version") != VERSION:
            return Loaded()
        terms = [str(t) for (t,) in connection.execute("select term from term order by number")]
        if about.get("terms") != str(len(terms)):
            return Loaded()
        rows = {
            path: Row(Stamp(size, mtime, inode), digest, Record(meta, terms))
            for path, size, mtime, inode, digest, meta, terms in connection.execute(
                "select path, size, mtime_ns, inode, digest, meta, terms from file"
            )
        }
    return Loaded(Vocabulary(terms), rows, settled)


def _database(vocabulary: Vocabulary, rows: Mapping[str, Row]) -> bytes:
    with databases.of_bytes(b"", _TABLES) as connection:
        databases.allow_writing(connection)
        connection.execute("begin")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            connection.execute(statement)
        about = (("version", VERSION), ("terms", str(len(vocabulary.terms))))
        connection.executemany("insert into about values (?, ?)", about)
        connection.executemany("insert into term values (?, ?)", enumerate(vocabulary.terms))
        connection.executemany(
            "insert into file values (?, ?, ?, ?, ?, ?, ?)",
            (
                (name, r.stamp.size, r.stamp.mtime_ns, r.stamp.inode, r.digest, *_columns(r.record))
                for name, r in sorted(rows.items())
            ),
        )
        connection.execute("commit")
        return databases.contents(connection)


def _columns(record: Record) -> tuple[str, bytes]:
    return record.meta, record.terms


DAMAGED = (ValueError, TypeError, LookupError, zlib.error)
