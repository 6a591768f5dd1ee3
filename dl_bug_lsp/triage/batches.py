"""What a worker does: reads a batch of sources and returns one row a log, as an Arrow table."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO, Any

import pyarrow as pa

from dl_bug_lsp.triage.reading import Analysis, Reader
from dl_bug_lsp.triage.scanning import Excerpt, excerpt_of_stream, excerpts
from dl_bug_lsp.triage.sources import (
    CHUNK,
    Source,
    damage,
    is_unchanged,
    members,
    opened,
    reason_of,
    text_problem,
    unpacked,
)

TOGETHER = 4 * 2**20
"""Bytes of small logs that are searched in one go; larger ones are read as streams."""
BATCH_BYTES = 32 * 2**20
BATCH_FILES = 400
SCHEMA = pa.schema([
    ("log", pa.string()),
    ("source", pa.string()),
    ("token", pa.string()),
    ("modified", pa.float64()),
    ("size", pa.int64()),
    ("lines", pa.int64()),
    ("unread", pa.string()),
    ("note", pa.string()),
    ("group", pa.string()),
    ("kind", pa.string()),
    ("exception", pa.string()),
    ("message", pa.string()),
    ("exact", pa.bool_()),
    ("category", pa.string()),
    ("dimension", pa.string()),
    ("origin", pa.string()),
    ("retry_may_help", pa.bool_()),
    ("framework", pa.string()),
    ("places", pa.list_(pa.string())),
    ("line", pa.int64()),
    ("read_at", pa.float64()),
])  # fmt: skip
"""One row a log. ``unread`` says why it was not read (empty where it was), ``note`` what else is
odd; ``group`` is empty where the log reports no failure. Times are POSIX seconds, UTC."""

_IN_PART = "read in part: "
_reader: list[Reader] = []
_UNPRINTABLE = re.compile("[\ud800-\udfff]")


def batches(sources: Sequence[Source]) -> Iterator[tuple[Source, ...]]:
    """Cut sources into batches of about equal work: big files first, each by itself."""
    big = [s for s in sources if s.size > BATCH_BYTES // 2 or s.is_archive]
    for source in sorted(big, key=lambda source: -source.size):
        yield (source,)
    batch: list[Source] = []
    size = 0
    for source in sources:
        if source.size > BATCH_BYTES // 2 or source.is_archive:
            continue
        batch.append(source)
        size += source.size * (10 if source.is_compressed else 1)
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def read_batch(sources: Sequence[Source], reader: Reader | None = None) -> pa.Table:
    """Read sources and return their rows (`SCHEMA`); never raises on what it reads."""
    rows = _Rows(_of_this_process() if reader is None else reader)
    for source in sources:
        _read_source(source, rows)
    rows.flush()
    return pa.Table.from_pylist(rows.done, SCHEMA)


def _of_this_process() -> Reader:
    """Return the reader that remembers what this process has read."""
    if not _reader:
        _reader.append(Reader())
    return _reader[0]


class _Rows:
    """Rows in the making: small logs wait until they can be searched together."""

    def __init__(self, reader: Reader) -> None:
        self.done: list[dict[str, Any]] = []
        self._reader = reader
        self._waiting: list[tuple[dict[str, Any], bytes]] = []
        self._size = 0

    def add(self, row: dict[str, Any], stream: IO[bytes]) -> None:
        """Read a log's text; what can be read of a damaged one is."""
        parts = _Parts(stream)
        beginning = parts.take(TOGETHER)
        why = text_problem(beginning)
        if parts.damage and not beginning:
            why = parts.damage.removeprefix(_IN_PART)
        if why is not None:
            row["unread"] = why
            self.done.append(row)
            return
        if len(beginning) < TOGETHER:
            row["note"] = parts.damage
            self._waiting.append((row, beginning))
            self._size += len(beginning)
            if self._size >= TOGETHER:
                self.flush()
            return
        excerpt = excerpt_of_stream(chain([beginning], parts))
        row["note"] = parts.damage
        self._finish(row, excerpt, None)

    def flush(self) -> None:
        """Search the logs that wait."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        searched = excerpts([data for _, data in waiting]) if waiting else []
        for (row, data), excerpt in zip(waiting, searched, strict=True):
            self._finish(row, excerpt, data)

    def _finish(self, row: dict[str, Any], excerpt: Excerpt, whole: bytes | None) -> None:
        row.update(size=excerpt.size, lines=excerpt.total_lines)
        try:
            read = self._reader.read(excerpt, whole)
        except Exception as error:  # A reader must not raise; if one does, the rest goes on.
            row["unread"] = f"reading it failed inside the tool ({type(error).__name__})"
            read = None
        if read is not None:
            row.update(_columns(read))
        self.done.append(row)


class _Parts:
    """The bytes of a stream in parts; damage ends them and is told in ``damage``."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.damage = ""

    def __iter__(self) -> Iterator[bytes]:
        while data := self._read():
            yield data

    def take(self, size: int) -> bytes:
        """Return at most ``size`` bytes; fewer only at the end."""
        parts: list[bytes] = []
        left = size
        while left > 0 and (data := self._read(left)):
            parts.append(data)
            left -= len(data)
        return b"".join(parts)

    def _read(self, size: int = CHUNK) -> bytes:
        if self.damage:
            return b""
        try:
            return self._stream.read(min(size, CHUNK))
        except damage as error:
            self.damage = f"{_IN_PART}{reason_of(error)}"
            return b""


def _read_source(source: Source, rows: _Rows) -> None:
    row = _row(source, source.url)
    before = len(rows.done)
    try:
        with opened(source) as stream:
            if source.is_archive:
                _read_archive(source, stream, rows)
            else:
                rows.add(row, unpacked(source.url, stream, source.size))
    except (*damage, ImportError) as error:
        # Members that were read before the damage stay; the archive is named beside them.
        rows.flush()
        row["unread"] = reason_of(error)
        if len(rows.done) > before and source.is_archive:
            row["unread"] = f"{_IN_PART}{row['unread']}"
        rows.done.append(row)
    if not is_unchanged(source):
        row["note"] = row.get("note") or "it changed while it was read"


def _read_archive(source: Source, stream: IO[bytes], rows: _Rows) -> None:
    for name, inner, size, why in members(source, stream):
        row = _row(source, f"{source.url}!{name}")
        if inner is None:
            row.update(unread=why, size=size)
            rows.done.append(row)
        else:
            rows.add(row, inner)


def _row(source: Source, log: str) -> dict[str, Any]:
    return {
        "log": _UNPRINTABLE.sub("\ufffd", log),
        "source": _UNPRINTABLE.sub("\ufffd", source.url),
        "token": source.token,
        "modified": source.modified,
        "size": source.size,
        "unread": "",
        "note": "",
        "group": "",
        "read_at": time.time(),
    }


def _columns(read: Analysis) -> dict[str, Any]:
    return {
        "group": read.fingerprint,
        "kind": read.kind,
        "exception": _UNPRINTABLE.sub("\ufffd", read.exception),
        "message": _UNPRINTABLE.sub("\ufffd", read.message),
        "exact": read.exact,
        "category": read.category,
        "dimension": read.dimension,
        "origin": read.origin,
        "retry_may_help": read.retry_may_help,
        "framework": read.framework,
        "places": [_UNPRINTABLE.sub("\ufffd", place) for place in read.places],
        "line": read.line,
    }
