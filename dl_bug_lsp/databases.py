"""SQLite databases that anybody may have written: read into memory, checked, and bounded.

No file is ever opened by SQLite itself: beside a planted one may lie a journal that tells it to
change pages and to delete other files (https://www.sqlite.org/security.html).
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from dl_bug_lsp import data_folder

LARGEST = 512 * 2**20
"""Bytes of a database."""
LARGEST_VALUE = 64 * 2**20
MOST_ROWS = 20_000_000
"""Rows that all queries of a database may return together."""
LARGEST_TEXTS = 2**30
"""Bytes of all texts that a database holds in deflated form."""
LONGEST_NUMBITS = 2**20
"""Bytes of a set of line numbers: files of up to 8 million lines."""
_STEPS = 1_000_000
# Numbers of the C interface, whose names `sqlite3` has since Python 3.11 and 3.12.
_LIMIT_LENGTH, _LIMIT_ATTACHED, _CONFIG_DEFENSIVE = 0, 7, 1010
_LEAST_STEPS = 20
_HAS_BYTES = hasattr(sqlite3.Connection, "deserialize")

_PLAIN_INDEX = re.compile(r"create (?:unique )?index [\w\"]+ on [\w\"]+ ?\([\w\", ]+\)")
_COMPUTED = re.compile(r"\b(?:check|generated|collate)\b|\bdefault *\(")

Tables = Mapping[str, str]
"""The columns of each table that a database may hold, separated by blanks."""


@contextmanager
def opened(file: Path, tables: Tables) -> Iterator[sqlite3.Connection]:
    """Read a database file, checked and bounded (`of_bytes`).

    A file that is written while it is read is read again. Raises `sqlite3.OperationalError` for
    what is no regular file or too large, and other `sqlite3.Error` for damaged files.
    """
    data = data_folder.read(file, LARGEST)
    for _ in range(3):
        if data is None or data == (again := data_folder.read(file, LARGEST)):
            break
        data = again
    if data is None:
        raise sqlite3.OperationalError(
            f"it is no regular file, or one of more than {LARGEST >> 20} MB"
        )
    with of_bytes(data, tables) as connection:
        yield connection


@contextmanager
def of_bytes(data: bytes, tables: Tables) -> Iterator[sqlite3.Connection]:
    """Open a database that lies in memory; empty bytes begin a new one.

    Its schema holds plain ``tables`` with these columns alone: a view, a trigger or a generated
    column could make a query never end. What all queries take together, their rows and their
    bytes, are bounded by its size, as pages may be shared by rows without end.
    """
    # The version of the file format says whether there is a log beside it, which is not read.
    plain = data[:18] + b"\1\1" + data[20:] if data[18:20] == b"\2\2" else data
    if _HAS_BYTES:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            if plain:
                connection.deserialize(plain)  # type: ignore[attr-defined, unused-ignore]
            _guard(connection, tables, len(data))
            yield connection
        return
    with tempfile.TemporaryDirectory(prefix="dl-bug-lsp-") as folder:
        file = Path(folder) / "database"
        file.write_bytes(plain)
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("pragma journal_mode = off")
            _guard(connection, tables, len(data))
            yield connection


def allow_writing(connection: sqlite3.Connection) -> None:
    """Remove the limit on the steps of an undamaged database, so that it can grow.

    Raises `sqlite3.DatabaseError` for a damaged one.
    """
    ((result,),) = connection.execute("pragma quick_check(1)").fetchall()
    if result != "ok":
        raise sqlite3.DatabaseError(str(result)[:100])
    connection.set_progress_handler(None, 0)


def contents(connection: sqlite3.Connection) -> bytes:
    """Return a database of `of_bytes` as the bytes of a file."""
    if _HAS_BYTES:
        data: bytes = connection.serialize()  # type: ignore[attr-defined, unused-ignore]
        return data
    (_, _, file), *_ = connection.execute("pragma database_list")
    return Path(os.fsdecode(file)).read_bytes()


def _guard(connection: sqlite3.Connection, tables: Tables, size: int) -> None:
    _configure(connection)
    bound(connection, size)
    schema = "select type, name, tbl_name, rootpage, sql from sqlite_master"
    for kind, name, of, page, sql in connection.execute(schema).fetchall():
        text = " ".join(str(sql or "").lower().split())
        if kind == "table" and str(name).startswith("sqlite_"):
            continue
        if kind == "index":
            is_plain = of in tables and (not text or _PLAIN_INDEX.fullmatch(text) is not None)
        else:
            is_plain = kind == "table" and name in tables and _is_plain_table(text) and page > 0
        if not is_plain:
            raise sqlite3.DatabaseError(f"it holds an unexpected {kind}, {str(name)[:60]!r}")
        if kind == "table":
            _check_columns(connection, name, tables[name])


def _is_plain_table(text: str) -> bool:
    return text.startswith("create table ") and _COMPUTED.search(text) is None


def _check_columns(connection: sqlite3.Connection, table: str, columns: str) -> None:
    known = columns.split()
    for _, column, _, _, _, _, hidden in connection.execute(f"pragma table_xinfo({table})"):
        if hidden or column not in known:
            raise sqlite3.DatabaseError(
                f"its table {table} has an unexpected column, {str(column)[:60]!r}"
            )


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma cell_size_check = on")
    if hasattr(connection, "setlimit"):
        connection.setlimit(_LIMIT_LENGTH, LARGEST_VALUE)
        connection.setlimit(_LIMIT_ATTACHED, 0)
    if hasattr(connection, "setconfig"):
        connection.setconfig(_CONFIG_DEFENSIVE, True)


def bound(connection: sqlite3.Connection, size: int) -> None:
    """Stop queries that take, or return, more than a database of ``size`` bytes can ask for."""
    steps = iter(range(_LEAST_STEPS + size // 10_000))
    connection.set_progress_handler(lambda: next(steps, None) is None, _STEPS)
    rows, held = min(MOST_ROWS, 1_000 + 4 * size), 2**20 + 8 * size

    def counted(_: sqlite3.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
        nonlocal rows, held
        rows -= 1
        held -= sum(len(value) for value in row if isinstance(value, (str, bytes)))
        if rows < 0 or held < 0:
            raise sqlite3.DatabaseError("it holds more rows than its size allows")
        return row

    connection.row_factory = counted


class Inflater:
    """Inflates the texts of a database, as many bytes as `LARGEST_TEXTS` together."""

    def __init__(self) -> None:
        self._left = LARGEST_TEXTS

    def text(self, data: bytes, longest: int) -> str:
        """Return a text of at most ``longest`` bytes; raises ValueError, `zlib.error`."""
        body = zlib.decompressobj()
        text = body.decompress(data, min(longest, self._left) + 1)
        self._left -= len(text)
        if len(text) > longest or self._left < 0:
            raise ValueError("its texts are too large")
        return text.decode()


def checked_numbits(data: bytes) -> bytes:
    """Return a set of line numbers that a database holds; raises ValueError, TypeError."""
    numbits = bytes(data) if isinstance(data, bytes) else b""
    if not isinstance(data, bytes) or len(numbits) > LONGEST_NUMBITS:
        raise ValueError("a set of line numbers is too large")
    return numbits


def checked_line(line: int) -> int:
    """Return a line number that a database holds; raises ValueError, TypeError."""
    if abs(line) > 8 * LONGEST_NUMBITS:
        raise ValueError("a line number is too large")
    return line
