"""The journal of one process: rows are appended, and handed to the system every second.

A journal that a kill tears is readable up to its last whole line.
"""

from __future__ import annotations

import json
import os
import time

from dl_bug_lsp.monitoring.tables import JOURNAL, columns

LARGEST = 64 * 2**20
"""Bytes of a journal; beyond them nothing is recorded but the process' end."""
PAUSE = 1.0
"""Seconds for which rows may wait in memory."""
MOST_WAITING = 4_000
"""Rows that may wait in memory."""
_ENCODE = json.JSONEncoder(separators=(",", ":"), default=str).encode
_COLUMNS: dict[str, list[str]] = {}


class Journal:
    """Appends rows to ``folder/<process>.jsonl``, made when the first rows are written.

    Raises OSError from `flush` where they cannot be written; the rows are lost then.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._number: int | None = None
        self._written = 0
        self._flushed = time.perf_counter()
        self.waiting: list[list[object]] = []
        """Rows that are not written yet: a table's name, then the values of its columns."""

    def row(self, table: str, values: dict[str, object]) -> None:
        """Append a row by the names of its columns; those that are missing are not known."""
        names = _COLUMNS.get(table)
        if names is None:
            names = _COLUMNS[table] = [name for name, _ in columns(table)]
        self.waiting.append([table, *map(values.get, names)])

    @property
    def is_due(self) -> bool:
        """Whether it is time to write."""
        return time.perf_counter() - self._flushed > PAUSE or len(self.waiting) > MOST_WAITING

    @property
    def is_full(self) -> bool:
        """Whether nothing more should be recorded."""
        return self._written > LARGEST

    def flush(self) -> None:
        """Hand all rows to the system; raises OSError."""
        rows, self.waiting = self.waiting, []
        self._flushed = time.perf_counter()
        if not rows:
            return
        data = ("\n".join(map(_ENCODE, rows)) + "\n").encode("utf-8", "replace")
        if self._number is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
            path = os.path.join(self._folder, "%d%s" % (os.getpid(), JOURNAL))
            self._number = os.open(path, flags, 0o666)
        view = memoryview(data)
        while view:
            view = view[os.write(self._number, view) :]
        self._written += len(data)

    def close(self) -> None:
        """Write what waits and close the file; raises OSError."""
        self.flush()
        if self._number is not None:
            os.close(self._number)
            self._number = None

    def forked(self) -> None:
        """Let go of the parent's file and rows; the child's own are made when it has some."""
        if self._number is not None:
            os.close(self._number)
        self._number, self._written, self.waiting = None, 0, []
