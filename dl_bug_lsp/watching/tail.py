"""The end of one file, whatever happens to it: growth, truncation, rotation, holes, removal."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

CHUNK = 2**20
"""Bytes that are read at once, and held."""
FAR = 16 * 2**20
"""Bytes that are read of what was appended, at most: the newest failure matters, and soon."""
HEAD = 8
MARK = 64
"""Bytes before the offset that are remembered, to know a file that was rewritten in place."""
_BINARY = (b"\x7fELF", b"\x89PNG", b"PK\x03\x04", b"\x1f\x8b", b"\x89HDF", b"MZ")


@dataclass(frozen=True, slots=True)
class Growth:
    """What was appended at ``offset``; ``before`` are the bytes in front of it.

    ``restarted`` says that the file is a new one, or was emptied, since the last look; ``more``
    that there is more to read at once. Where very much was appended only its end is read, and
    ``offset`` is further on than the last growth's end.
    """

    offset: int
    data: bytes
    before: bytes = b""
    restarted: bool = False
    more: bool = False


class Tail:
    """Reads what is appended to a file; never raises, holds no file open."""

    __slots__ = ("_identity", "_mark", "_seen", "is_binary", "offset", "path")

    def __init__(self, path: str, *, from_end: bool) -> None:
        self.path = path
        self.offset = 0
        self.is_binary = False
        self._mark = b""
        self._identity: tuple[int, int] | None = None
        self._seen: tuple[int, int] = (-1, 0)
        if from_end:
            self._skip_to_end()

    def _skip_to_end(self) -> None:
        try:
            state = os.stat(self.path, follow_symlinks=False)
        except (OSError, ValueError):
            return
        if stat.S_ISREG(state.st_mode):
            self._identity = state.st_dev, state.st_ino
            self.offset = state.st_size
            self._seen = state.st_size, state.st_mtime_ns
            self._mark = self.read(max(0, self.offset - MARK), self.offset)

    def look(self) -> Growth | None:
        """Return what was appended since the last look, None where the file is as it was."""
        try:
            state = os.stat(self.path, follow_symlinks=False)
        except (OSError, ValueError):
            return None
        if (state.st_size, state.st_mtime_ns) == self._seen and self._identity == (
            state.st_dev,
            state.st_ino,
        ):
            return None
        if not stat.S_ISREG(state.st_mode) or self.is_binary:
            return None
        try:
            return self._grown()
        except (OSError, ValueError):
            return None

    def moved_to(self, path: str, identity: tuple[int, int] | None) -> bool:
        """Say whether the file was renamed to a path, where one of this identity lies.

        Its text tells that as well: the number of a file that was deleted is soon another one's.
        """
        if identity != self._identity or os.path.lexists(self.path):
            return False
        there = Tail(path, from_end=False)
        return there.read(self.offset - len(self._mark), self.offset) == self._mark

    def _grown(self) -> Growth | None:
        # Never wait for a writer, should a pipe have taken the file's place.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        number = os.open(self.path, flags | getattr(os, "O_BINARY", 0))
        try:
            state = os.fstat(number)
            if not stat.S_ISREG(state.st_mode):
                return None
            identity = state.st_dev, state.st_ino
            restarted = self._identity not in (None, identity) or state.st_size < self.offset
            overlap = 0 if restarted else len(self._mark)
            start = 0 if restarted else self.offset
            head = _read_at(number, 0, HEAD) if start == 0 else b""
            raw = _read_at(number, start - overlap, overlap + CHUNK)
            if raw[:overlap] != self._mark[:overlap] and self._identity is not None:
                # Another text in the same file: emptied and filled again between two looks.
                restarted, start, overlap = True, 0, 0
                raw = _read_at(number, 0, CHUNK)
                head = raw[:HEAD]
            before, data = raw[:overlap], raw[overlap:]
            if state.st_size - start > FAR:
                start, before = state.st_size - FAR, b""
                data = _read_at(number, start, CHUNK)
            if not data.strip(b"\0") and data:
                start, data = _past_hole(number, start, data)
        finally:
            os.close(number)
        if head.startswith(_BINARY):
            self.is_binary = True
            return None
        self._identity = identity
        self.offset = start + len(data)
        more = self.offset < state.st_size and bool(data)
        self._seen = (-1, 0) if more else (state.st_size, state.st_mtime_ns)
        self._mark = (before + data)[-MARK:]
        if not data and not restarted:
            return None
        return Growth(start, data, before, restarted, more)

    def read(self, start: int, end: int) -> bytes:
        """Return a part of the file, less or nothing where it is gone."""
        try:
            number = os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
            try:
                return _read_at(number, start, end - start)
            finally:
                os.close(number)
        except (OSError, ValueError):
            return b""


def identity_of(path: str) -> tuple[int, int] | None:
    """Return what tells a file from all others whatever its name; None where there is none."""
    try:
        state = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino


def _read_at(number: int, start: int, size: int) -> bytes:
    """Read ``size`` bytes from ``start``, less at the file's end."""
    os.lseek(number, start, os.SEEK_SET)
    data = os.read(number, size)
    while len(data) < size:
        part = os.read(number, size - len(data))
        if not part:
            break
        data += part
    return data


def _past_hole(number: int, start: int, zeros: bytes) -> tuple[int, bytes]:
    """Jump over a hole: a writer goes on at its old offset after a log was emptied under it."""
    if not hasattr(os, "SEEK_DATA"):
        return start, zeros
    try:
        at = os.lseek(number, start, os.SEEK_DATA)
    except OSError:
        return start, zeros
    return (at, _read_at(number, at, CHUNK)) if at > start else (start, zeros)
