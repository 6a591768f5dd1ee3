"""The hidden folder ``.dlbug`` of a workspace, which anybody may have filled before us.

A workspace is often someone else's: a clone, an archive, a shared file system. So nothing here is
reached through a link, only regular files are opened, and opening never waits for a writer.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

FOLDER = ".dlbug"
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_CLOSED_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_BYTES = getattr(os, "O_BINARY", 0)
_IGNORED = b"*\n"


def prepare(root: Path, *below: str) -> Path:
    """Make ``root/.dlbug``, hidden from git, and a folder below it; return the innermost one.

    Raises OSError where one of them is a link or no folder, or belongs to another user.
    """
    folder = root / FOLDER
    _make(folder)
    create(folder / ".gitignore", _IGNORED)
    for name in below:
        folder = folder / name
        _make(folder)
    return folder


def is_plain(folder: Path) -> bool:
    """Say whether a folder is one of its own right: no link, and the user's where that is known."""
    with suppress(OSError, ValueError):
        found = folder.lstat()
        owner = os.getuid() if hasattr(os, "getuid") else found.st_uid
        return stat.S_ISDIR(found.st_mode) and found.st_uid == owner
    return False


def _make(folder: Path) -> None:
    with suppress(FileExistsError):
        folder.mkdir(parents=True)
    if not is_plain(folder):
        raise OSError(errno.ENOTDIR, "it is a link, no folder, or another user's", str(folder))


def create(file: Path, data: bytes) -> bool:
    """Write a file that is not there yet; False where anything, a link too, has its name."""
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _CLOSED_ON_EXEC | _BYTES
        number = os.open(file, flags, 0o666)
    except OSError:
        return False
    with os.fdopen(number, "wb") as stream:
        stream.write(data)
    return True


def read(file: Path, limit: int) -> bytes | None:
    """Return the bytes of a regular file; None where it is none, or holds more than ``limit``.

    A link is not followed, and a pipe or a device is neither read nor waited for.
    """
    try:
        flags = os.O_RDONLY | _NO_LINK | _NO_WAIT | _CLOSED_ON_EXEC | _BYTES
        number = os.open(file, flags)
    except (OSError, ValueError):
        return None
    try:
        with os.fdopen(number, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return None
            data = stream.read(limit + 1)
    except OSError:
        return None
    return data if len(data) <= limit else None


def is_regular(file: Path) -> bool:
    """Say whether a name is a regular file's, and no link's."""
    with suppress(OSError, ValueError):
        return stat.S_ISREG(file.lstat().st_mode)
    return False


MOST_STEPS = 2_000
"""Millions of instructions that all queries of a foreign database may take together."""


def connect(file: Path, tables: frozenset[str], *, immutable: bool = False) -> sqlite3.Connection:
    """Open a database that anybody may have written, to read it.

    It must be a regular file whose schema holds plain ``tables`` alone: a view or a trigger could
    make a query never end (https://www.sqlite.org/security.html). Raises `sqlite3.Error`.
    """
    if not is_regular(file):
        raise sqlite3.OperationalError("it is no regular file")
    how = "mode=ro&immutable=1" if immutable else "mode=ro"
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?{how}", uri=True, timeout=5)
    try:
        guard(connection, tables)
    except BaseException:
        connection.close()
        raise
    return connection


def guard(connection: sqlite3.Connection, tables: frozenset[str]) -> None:
    """Refuse a schema of other things than ``tables`` and bound the queries; `sqlite3.Error`."""
    steps = iter(range(MOST_STEPS))
    connection.set_progress_handler(lambda: next(steps, None) is None, 1_000_000)
    connection.execute("pragma trusted_schema = off")
    for kind, name, of in connection.execute("select type, name, tbl_name from sqlite_master"):
        if not (
            (kind == "table" and (name in tables or str(name).startswith("sqlite_")))
            or (kind == "index" and of in tables)
        ):
            raise sqlite3.DatabaseError(f"it holds an unexpected {kind}, {str(name)[:60]!r}")
