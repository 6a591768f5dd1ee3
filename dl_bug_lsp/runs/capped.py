"""A log file of bounded size: the beginning of an output and its end, with a line in between."""

from __future__ import annotations

import os
import re
import threading
from collections import deque
from pathlib import Path

from dl_bug_lsp import data_folder

HEAD = 2**20
"""Bytes that are kept from the beginning: how the run was set up."""
TAIL = 8 * 2**20
"""Bytes that are kept from the end, at least: what ended it."""

METRIC = re.compile(rb"(?i)\bnan\b|loss|acc|perplexity|reward")
"""What the output of a training names; a run that ended well is looked at only where it does."""


class CappedLog:
    """Takes in output; a full disk or a removed folder never ends the run.

    The file grows to `HEAD` + 2 * `TAIL`, then what is older than its last `TAIL` bytes is left out
    and a line says so. It is a plain file at any time, and no larger than 17 MiB. What the disk
    does not take is kept in memory, up to ``tail`` bytes, for the report at the end.
    """

    def __init__(self, path: Path | None, head: int = HEAD, tail: int = TAIL) -> None:
        self._head, self._tail = head, tail
        self._size = 0
        self._note = 0
        """Bytes of the line that stands for what was left out."""
        self.left_out = 0
        self.taken = 0
        """Bytes that were ever written."""
        self._guard = threading.Lock()
        self.problem: OSError | None = None
        self._number = -1
        self._path = path
        self._memory: deque[bytes] = deque()
        self._held = 0
        if path is None:
            return
        try:
            self._number = data_folder.open_new(path)
        except OSError as error:
            self.problem = error

    def write(self, data: bytes) -> None:
        """Append output; raises nothing. May be called from several threads."""
        with self._guard:
            self.taken += len(data)
            self._write(data)

    def _write(self, data: bytes) -> None:
        if self._number < 0:
            self._remember(data)
            return
        try:
            # A cap that is kept by bytes, however large one piece is.
            for at in range(0, len(data), self._tail):
                self._append(data[at : at + self._tail])
        except OSError as error:
            self.problem = error
            self.close()
            self._remember(data)

    def _remember(self, data: bytes) -> None:
        self._memory.append(data)
        self._held += len(data)
        while self._held - len(self._memory[0]) >= self._tail:
            gone = len(self._memory.popleft())
            self._held -= gone
            self.left_out += gone

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.write(self._number, view)
            view = view[written:]
        self._size += len(data)
        if self._size > self._head + 2 * self._tail:
            self._cut()

    def _cut(self) -> None:
        """Leave out what stands between the head and the tail, at a line's beginning."""
        start = self._size - self._tail
        os.lseek(self._number, start, os.SEEK_SET)
        kept = b""
        while part := os.read(self._number, self._tail - len(kept)):
            kept += part
        line = kept.find(b"\n", 0, 65_536) + 1
        kept = kept[line:]
        self.left_out += start + line - self._head - self._note
        note = b"\n[dl-bug-lsp left out %d bytes of output here]\n" % self.left_out
        os.lseek(self._number, self._head, os.SEEK_SET)
        for piece in (note, kept):
            view = memoryview(piece)
            while view:
                view = view[os.write(self._number, view) :]
        self._note = len(note)
        self._size = self._head + len(note) + len(kept)
        os.ftruncate(self._number, self._size)

    def close(self) -> None:
        """End the recording."""
        if self._number >= 0:
            number, self._number = self._number, -1
            try:
                os.close(number)
            except OSError as error:
                self.problem = error

    def content(self) -> bytes:
        """Return what was kept, on disk and in memory."""
        data = b""
        if self._path is not None and self._size:
            data = data_folder.read(self._path, self._head + 4 * self._tail) or b""
        return data + b"".join(self._memory)
