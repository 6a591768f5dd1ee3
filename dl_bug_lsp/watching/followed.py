"""One followed log: when it is checked, when it is parsed, and the failures in it.

The more recently a log grew, the more often it is checked, within a budget for all logs. The end of
its file is read whatever happens to it: growth, truncation, rotation, holes, removal.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from dl_bug_lsp.logs.decoding import decode, detect_encoding
from dl_bug_lsp.runs.records import METRIC
from dl_bug_lsp.watching.failure_detection import (
    Identity,
    document_failure,
    failure_in,
    first_marker,
    is_longer,
    offset_of_older,
)
from dl_bug_lsp.watching.folders import is_document

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


# ---------------------------------------------------------------------- the log
@dataclass(frozen=True, slots=True)
class RunPlace:
    """The folder a recorded run ran in, the one whose ``.dlbug/`` holds its record, its command.

    Both folders are absolute, with links followed; so is ``frames``, the file with what local
    variables held, which most runs do not have.
    """

    folder: str
    recorder: str
    command: tuple[str, ...]
    frames: str


@dataclass(frozen=True, slots=True)
class LogFailure:
    """A failure that was seen in a followed log.

    ``source`` names where it is from (``log:train.log``, ``run:python train.py``), ``file`` is the
    log, relative to the watched folder with ``/`` (absolute where a run was recorded above it).
    ``text`` is the part of it that tells of the failure, and ``lines_before`` lines of the log
    stand before that part. ``run`` is None where the log is not one of a recorded run.
    ``ended_well`` says that the run ended without an error: only its metrics can tell of a failure.
    """

    source: str
    file: str
    text: str
    lines_before: int = 0
    run: RunPlace | None = None
    ended_well: bool = False


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """Files that came, changed or went, relative to the watched folder with ``/``, sorted."""

    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchStatus:
    """How a folder is watched: ``means`` in words, ``reason`` where it is not the best means."""

    means: str
    reason: str = ""
    logs: int = 0
    folders: int = 0
    problems: tuple[str, ...] = ()


class Sink(Protocol):
    """Who is told; called on the watcher's thread."""

    def failed(self, failure: LogFailure) -> None:
        """Take in a failure, in the place of an older one of its source."""

    def recovered(self, source: str) -> None:
        """Take back what was told of a source."""

    def sources_changed(self, changes: SourceChanges) -> None:
        """Take in that sources or configs changed."""

    def watching(self, status: WatchStatus) -> None:
        """Take in how the folder is watched, at the start and when that changes."""


# ---------------------------------------------------------------------- a followed log
SETTLE = 0.08
"""Seconds without a byte after which a traceback counts as written to its end."""
LONGEST_SETTLE = 0.4
"""Seconds after which it is read anyway: other processes may go on writing to the same log."""
BEFORE_SIGN = 2**16
"""Bytes in front of a sign that are read with it: prefixes, the first of a chain of errors."""
STILL_OPEN = 4096
"""Bytes after a failure that may belong to it, though they hold no sign of one."""
LARGEST = 2**20
"""Bytes of a log that are read closely, at most."""
MOST_COUNTED = 2**30
"""Bytes whose line feeds are counted, at most: half a second's work; lines count from there."""
LARGEST_DOCUMENT = 32 * 2**20
MESSAGE_ENDS = 2.0
"""Seconds after which lines below a failure's message are no part of it: a next run's."""
GOES_ON_LINES, GOES_ON_SECONDS = 50, 60.0
"""A job that prints so much, so long after its failure, survived it (or was started again)."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """A log whose failure is one no more: it was emptied, replaced, or its job goes on."""

    source: str


Outcome = LogFailure | Recovered


class FollowedLog:
    """A log's state between looks. Times are seconds of a monotonic clock."""

    __slots__ = (
        "_asked_at", "_asked_from", "_counted_from", "_failed_at", "_grew_at", "_known",
        "_lines_since", "_newlines", "_open_until", "_run_start", "file", "hot_at", "run", "source",
        "tail",
    )  # fmt: skip

    def __init__(
        self,
        path: str,
        file: str,
        *,
        from_end: bool,
        source: str = "",
        run: RunPlace | None = None,
    ) -> None:
        self.file = file
        self.source = source or f"log:{file}"
        self.run = run
        self.tail = Tail(path, from_end=from_end)
        self._known: Identity | None = None
        """The failure that was told last."""
        self._failed_at = 0.0
        self._lines_since = 0
        self._run_start = 0
        """Where the run began that is being written: what stands before is not looked at again."""
        self._asked_from: int | None = None
        """Where the first sign of the failure stands that is in the making, or was told."""
        self._asked_at: float | None = None
        """Since when something waits to be read closely."""
        self._open_until = 0
        self._grew_at = 0.0
        self._counted_from = -1
        """The offset from which on lines have numbers; -1 where none was counted yet."""
        self._newlines = (0, 0)
        """An offset, and the line feeds before it."""
        self.hot_at = 0.0
        """When the file last changed."""

    @property
    def is_waiting(self) -> bool:
        """Say whether something is to be read closely as soon as it has settled."""
        return self._asked_at is not None

    def grow(self, now: float) -> tuple[Recovered | None, bool]:
        """Take in what was appended; return what that ends, and whether there is more."""
        growth = self.tail.look()
        if growth is None:
            return self._went_on(now), False
        self.hot_at = self._grew_at = now
        ended = self._restart() if growth.restarted and not is_document(self.file) else None
        if is_document(self.file):
            self._asked_at = now if self._asked_at is None else self._asked_at
            return ended, False
        self._take(growth, now)
        return ended or self._went_on(now), growth.more

    def recall(self, now: float, size: int = BEFORE_SIGN) -> None:
        """Look at the end of what the file holds already, as if it had just been written."""
        end = self.tail.offset
        self._grew_at = now
        if is_document(self.file):
            self._asked_at = now
        elif end:
            start = max(0, end - size)
            data = self.tail.read(start, end)
            self._take(Growth(start, data), now)

    def _take(self, growth: Growth, now: float) -> None:
        if self._known is not None:
            self._lines_since += growth.data.count(b"\n")
        at = first_marker(growth.data, growth.before)
        if at is None and growth.offset < self._open_until and self._asked_from is not None:
            # The rest of a traceback whose writer paused, or more lines of its message.
            at = self._asked_from - growth.offset
        if at is None:
            return
        sign = max(0, growth.offset + at)
        far = self._asked_from is not None and sign - self._asked_from > LARGEST // 4
        if self._asked_from is None or (far and self._known is None):
            self._asked_from = sign
        if self._asked_at is None:
            self._asked_at = now

    def _restart(self) -> Recovered:
        """Forget the former text; its failure may have been told before this server began."""
        self._known, self._asked_from, self._asked_at = None, None, None
        self._run_start, self._open_until = 0, 0
        self._counted_from, self._newlines = -1, (0, 0)
        return Recovered(self.source)

    def _went_on(self, now: float) -> Recovered | None:
        """Take a failure back whose job prints on and on."""
        if self._known is None or self._lines_since < GOES_ON_LINES:
            return None
        if now - self._failed_at < GOES_ON_SECONDS or is_document(self.file):
            return None
        self._known, self._asked_from = None, None
        self._run_start = self.tail.offset
        return Recovered(self.source)

    def is_settled(self, now: float) -> bool:
        """Say whether what waits may be read now."""
        if self._asked_at is None:
            return False
        return now - self._grew_at >= SETTLE or now - self._asked_at >= LONGEST_SETTLE

    def judge(
        self, now: float, judge: Callable[[bytes, int], Identity | None] = failure_in
    ) -> Outcome | None:
        """Read what waits closely; return a failure that was not told yet, or what ended one."""
        self._asked_at = None
        if is_document(self.file):
            return self._judge_document()
        start, data = self._region()
        lines = self._lines_before(start)
        self._open_until = self.tail.offset + STILL_OPEN
        judged = judge(data, lines)
        again = offset_of_older(data) if judged is not None and judged == self._known else 0
        if again:
            self._run_start = start + again
            data, lines = data[again:], lines + data.count(b"\n", 0, again)
            judged = judge(data, lines)
        if judged is None or judged == self._known:
            return None
        if self._known and now - self._failed_at > MESSAGE_ENDS and is_longer(judged, self._known):
            return None
        self._known, self._failed_at, self._lines_since = judged, now, 0
        return self._failure(data, lines)

    def at_end(self) -> LogFailure | None:
        """Return what the log of a run that failed holds, unless that was told already."""
        start, data = self._region()
        if self._asked_from is None:
            start, data = self._last(LARGEST // 4)
        lines = self._lines_before(start)
        if not data.strip() or (self._known and failure_in(data, lines) == self._known):
            return None
        return self._failure(data, lines)

    def metrics(self) -> Iterator[LogFailure]:
        """Yield what the log of a run holds that ended without an error, where it names metrics."""
        start, data = self._last(LARGEST)
        if METRIC.search(data):
            lines = self._lines_before(start)
            yield LogFailure(self.source, self.file, decode(data)[0], lines, self.run, True)

    def _failure(self, data: bytes, lines_before: int = 0) -> LogFailure:
        return LogFailure(self.source, self.file, decode(data)[0], lines_before, self.run)

    def _last(self, size: int) -> tuple[int, bytes]:
        start = max(self._run_start, self.tail.offset - size)
        data = self.tail.read(start, self.tail.offset)
        return _from_line_start(start, data) if start else (start, data)

    def _region(self) -> tuple[int, bytes]:
        """Return the part of the file around the signs: its offset and its bytes, whole lines."""
        end = self.tail.offset
        sign = self._asked_from if self._asked_from is not None else end
        start = max(self._run_start, sign - BEFORE_SIGN, end - LARGEST, 0)
        data = self.tail.read(start, end)
        if start > self._run_start:
            start, data = _from_line_start(start, data)
        return start, data

    def _judge_document(self) -> Outcome | None:
        data = self.tail.read(0, LARGEST_DOCUMENT)
        if len(data) >= LARGEST_DOCUMENT:
            return None
        failure = document_failure(data)
        if failure == self._known:
            return None
        self._known = failure
        if failure is None:
            return Recovered(self.source)
        return self._failure(data)

    def _lines_before(self, offset: int) -> int:
        """Return how many line feeds stand before an offset; remembers how far it has counted."""
        if self._counted_from < 0:
            self._counted_from = max(0, offset - MOST_COUNTED)
            self._newlines = self._counted_from, 0
        at, lines = self._newlines
        if at > offset:
            at, lines = self._counted_from, 0
        while at < offset:
            data = self.tail.read(at, min(offset, at + CHUNK))
            if not data:
                break
            lines += data.count(b"\n")
            at += len(data)
        self._newlines = at, lines
        return lines


def _from_line_start(start: int, data: bytes) -> tuple[int, bytes]:
    """Leave out the line that was cut by the region's beginning, if it ends anywhere near."""
    at = data.find(b"\n", 0, BEFORE_SIGN // 2) + 1
    encoding, _ = detect_encoding(data[:4096])
    width = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}.get(encoding, 1)
    if width > 1:
        # The region begins at any byte; in the file characters begin at multiples of the width.
        at += -(start + at) % width
    return start + at, data[at:]


AGES = (60.0, 3600.0, 86_400.0, float("inf"))
"""Seconds since a log last grew, by tier."""
PERIODS = (0.04, 0.1, 1.0, 5.0)
"""Seconds between two looks at the logs of a tier, at least."""
SHARES = (0.1, 0.02, 0.005, 0.005)
"""The share of a processor's time that looking at a tier may take; many logs wait longer."""


@dataclass(slots=True)
class PollingInterval:
    """Logs in tiers by the age of their last growth. Times are seconds of a monotonic clock."""

    tiers: tuple[dict[str, FollowedLog], ...] = field(
        default_factory=lambda: tuple({} for _ in AGES)
    )
    due: list[float] = field(default_factory=lambda: [0.0] * len(AGES))

    def put(self, log: FollowedLog, now: float) -> None:
        """Put a log into the tier of its age."""
        self.drop(log.file)
        age = now - log.hot_at
        tier = next(number for number, most in enumerate(AGES) if age <= most)
        if not self.tiers[tier]:
            self.due[tier] = min(self.due[tier], now + PERIODS[tier])
        self.tiers[tier][log.file] = log

    def drop(self, file: str) -> None:
        """Take a log out."""
        for tier in self.tiers:
            tier.pop(file, None)

    def ready(self, now: float) -> list[int]:
        """Return the tiers whose logs are to be looked at."""
        return [n for n, tier in enumerate(self.tiers) if tier and self.due[n] <= now]

    def looked(self, tier: int, now: float, cost: float) -> None:
        """Set when a tier is due again, after a look at it that took ``cost`` seconds."""
        self.due[tier] = now + max(PERIODS[tier], cost / SHARES[tier])

    def cool(self, tier: int, now: float) -> None:
        """Move the logs of a tier that are too old for it into the next ones."""
        cold = [log for log in self.tiers[tier].values() if now - log.hot_at > AGES[tier]]
        for log in cold:
            self.put(log, now)

    def next_due(self) -> float | None:
        """Return when the next tier is due, None where nothing is watched."""
        dues = [due for due, tier in zip(self.due, self.tiers, strict=True) if tier]
        return min(dues, default=None)
