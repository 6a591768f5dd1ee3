"""The reader of logs: text in any state to clean, numbered lines of known processes.

Of a large log the parts that are worth reading are found by plain byte searching in bounded memory.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dl_bug_lsp.cancellation import checkpoint, stepwise
from dl_bug_lsp.logs.containers import lines_of_document, unwrap_json_lines
from dl_bug_lsp.logs.decoding import (
    decode,
    detect_encoding,
    strip_controls,
    strip_escapes,
    visible_segments,
)
from dl_bug_lsp.logs.log import Log, LogLine
from dl_bug_lsp.logs.pasted import repaired_lines, unescaped, without_screen_edge
from dl_bug_lsp.logs.prefixes import attribute

# Words of failures. Each is found with one pass of `bytes.find`; after a hit the search goes on
# behind its window, so that a word that stands in every line costs no more than a rare one.
_STRONG = (
    b"most recent call", b'File "', b'File \\"', b"\xe2\x9d\xb1", b"CANCELLED", b"Killed", b"OOM",
    b"oom-kill", b"fault", b"core dumped", b": error: ", b"not found", b"No such file", b"denied",
    b"terminate called", b"HYDRA_FULL_ERROR", b"Cell In", b"can't open", b"FAIL", b"Fatal",
)  # fmt: skip
_WEAK = (b"Error", b"ERROR", b"FATAL", b"CRITICAL", b"xception", b"ailed", b" nan", b" NaN")
# What ended a run stands near the end of its log: in the middle of a big one only these count.
_MIDDLE = (b"most recent call", b"\xe2\x9d\xb1", b"CANCELLED", b"FAILURES")
_NEAR_END = 2
"""Chunks at the end that are searched for everything (the first one is, too)."""
_METRICS = (b"loss", b"acc")
_BEFORE, _AFTER = 4096, 12288
_HEAD, _TAIL = 65_536, 524_288
_STRONG_BUDGET, _WEAK_BUDGET = 3_000_000, 1_000_000
_STEP = 16_384
_METRIC_LINES = 4000
CHUNK = 8_388_608


@dataclass(slots=True)
class Region:
    """A part of the text: its offset in bytes, the number of its first line, and its bytes."""

    offset: int
    line: int
    data: bytes


@dataclass(slots=True)
class _Budget:
    """The first regions and the last ones, each up to half of a number of bytes."""

    limit: int
    head: list[Region] = field(default_factory=list)
    tail: deque[Region] = field(default_factory=deque)
    used: int = 0
    tail_used: int = 0

    def add(self, region: Region) -> None:
        if self.used < self.limit // 2:
            self.head.append(region)
            self.used += len(region.data)
            return
        self.tail.append(region)
        self.tail_used += len(region.data)
        while self.tail_used > self.limit // 2 and len(self.tail) > 1:
            self.tail_used -= len(self.tail.popleft().data)

    def regions(self) -> Iterator[Region]:
        yield from self.head
        yield from self.tail


class Scanner:
    """Keeps the head and the tail of a text, and what may tell of failures or metrics."""

    def __init__(self) -> None:
        self._strong, self._weak = _Budget(_STRONG_BUDGET), _Budget(_WEAK_BUDGET)
        self._metrics: list[Region] = []
        self._stride = 4096
        self._head = Region(0, 1, b"")
        self._tail = Region(0, 1, b"")
        self._waiting: deque[bytes] = deque()
        self.size = 0
        self.lines = 1

    def feed(self, chunk: bytes) -> None:
        """Take one chunk; it should end at a line's end wherever lines are not absurdly long."""
        if not self.size:
            self._scan(chunk, _STRONG, _WEAK)
            return
        self._waiting.append(chunk)
        if len(self._waiting) > _NEAR_END:
            self._scan(self._waiting.popleft(), _MIDDLE, ())

    def finish(self) -> None:
        """Scan what is near the end, now that the end is known."""
        while self._waiting:
            self._scan(self._waiting.popleft(), _STRONG, _WEAK)

    def _scan(self, chunk: bytes, strong: tuple[bytes, ...], weak: tuple[bytes, ...]) -> None:
        if len(self._head.data) < _HEAD:
            self._head.data += chunk[: _HEAD - len(self._head.data)]
        counter = _Lines(chunk, self.lines)
        for budget, markers in ((self._strong, strong), (self._weak, weak)):
            for start, end in _windows(chunk, markers):
                line = counter.at(start)
                budget.add(Region(self.size + start, line, chunk[start:end]))
            counter.reset()
        self._sample(chunk, counter)
        self._keep_tail(chunk, counter)
        self.lines += counter.total()
        self.size += len(chunk)

    def _sample(self, chunk: bytes, counter: _Lines) -> None:
        """Keep metric lines at even distances; the distance doubles when there are too many."""
        counter.reset()
        at = 0
        while at < len(chunk):
            hits = [
                hit for word in _METRICS if (hit := chunk.find(word, at, at + self._stride)) >= 0
            ]
            if not hits:
                at += self._stride
                continue
            start = max(chunk.rfind(b"\n", max(0, hits[0] - 2048), hits[0]) + 1, hits[0] - 2048, 0)
            stop = chunk.find(b"\n", hits[0], hits[0] + 2048)
            end = stop if stop >= 0 else min(hits[0] + 2048, len(chunk))
            if start >= at - self._stride:
                self._metrics.append(Region(self.size + start, counter.at(start), chunk[start:end]))
            at = max(end, at + self._stride)
            if len(self._metrics) > _METRIC_LINES:
                self._metrics = self._metrics[::2]
                self._stride *= 2

    def _keep_tail(self, chunk: bytes, counter: _Lines) -> None:
        counter.reset()
        if len(chunk) >= _TAIL:
            start = chunk.find(b"\n", len(chunk) - _TAIL, len(chunk) - _TAIL + 65_536) + 1
            start = start or len(chunk) - _TAIL
            self._tail = Region(self.size + start, counter.at(start), chunk[start:])
            return
        data = self._tail.data + chunk
        cut = 0
        if len(data) > 2 * _TAIL:
            cut = data.find(b"\n", len(data) - _TAIL) + 1
        line = self._tail.line + data.count(b"\n", 0, cut)
        self._tail = Region(self._tail.offset + cut, line, data[cut:])

    def regions(self) -> list[Region]:
        """Return what was kept, in order and without overlaps."""
        self.finish()
        head = self._head
        everything = [
            head,
            *self._strong.regions(),
            *self._weak.regions(),
            *self._metrics,
            self._tail,
        ]
        everything.sort(key=lambda region: (region.offset, -len(region.data)))
        return _merged(everything)


class _Lines:
    """Line numbers of rising offsets in a chunk, counted once."""

    def __init__(self, chunk: bytes, first: int) -> None:
        self.chunk, self.first = chunk, first
        self.reset()
        self._total: int | None = None

    def reset(self) -> None:
        self._at, self._line = 0, self.first

    def at(self, offset: int) -> int:
        if offset >= self._at:
            self._line += self.chunk.count(b"\n", self._at, offset)
        else:
            self._line -= self.chunk.count(b"\n", offset, self._at)
        self._at = offset
        return self._line

    def total(self) -> int:
        if self._total is None:
            self._total = self.chunk.count(b"\n")
        return self._total


def _windows(chunk: bytes, markers: tuple[bytes, ...]) -> list[tuple[int, int]]:
    """Return windows around the markers' places, snapped to lines where these are near."""
    hits: list[int] = []
    for marker in markers:
        at = chunk.find(marker)
        while at >= 0:
            hits.append(at)
            at = chunk.find(marker, at + _STEP // 2)
    hits.sort()
    out: list[tuple[int, int]] = []
    for hit in hits:
        start, end = _snapped(chunk, max(0, hit - _BEFORE), min(len(chunk), hit + _AFTER))
        start = max(start, out[-1][1]) if out else start
        if start < end:
            out.append((start, end))
    return out


def _snapped(chunk: bytes, start: int, end: int) -> tuple[int, int]:
    if start > 0:
        at = chunk.rfind(b"\n", max(0, start - 4096), start)
        start = at + 1 if at >= 0 else start
    if end < len(chunk):
        at = chunk.find(b"\n", end, end + 4096)
        end = at if at >= 0 else end
    return start, end


def _merged(regions: list[Region]) -> list[Region]:
    out: list[Region] = []
    for region in regions:
        if not region.data:
            continue
        if out:
            end = out[-1].offset + len(out[-1].data)
            if region.offset <= end:
                out[-1].data += region.data[max(0, end - region.offset) :]
                continue
        out.append(Region(region.offset, region.line, region.data))
    return out


def chunks_of(data: bytes) -> Iterator[bytes]:
    """Cut ``data`` at line ends into chunks of about `CHUNK` bytes."""
    at = 0
    while at < len(data):
        end = min(at + CHUNK, len(data))
        if end < len(data):
            newline = data.rfind(b"\n", max(at, end - 1_048_576), end)
            end = newline + 1 if newline > at else end
        yield data[at:end]
        at = end


def at_line_ends(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Join and cut the parts of a stream into chunks that end at line ends, in bounded memory."""
    waiting: list[bytes] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size < CHUNK:
            continue
        joined = b"".join(waiting)
        newline = joined.rfind(b"\n", max(0, len(joined) - 1_048_576))
        end = newline + 1 if newline >= 0 else len(joined)
        yield from chunks_of(joined[:end])
        waiting, size = [joined[end:]], len(joined) - end
    if size:
        yield from chunks_of(b"".join(waiting))


# ---------------------------------------------------------------------- all lines
_TELLING = re.compile(r'Traceback \(most recent|File "|Error\b|error:|Killed|❱')
_MAX_LINE = 65_536
LARGE = 4_000_000
"""Texts of more bytes are searched for the parts that matter; smaller ones are kept whole."""


def read_log(data: bytes | str) -> Log:
    """Read a text into clean lines; never raises.

    Line numbers are 1-based and count line feeds of the text as it was given. Of texts beyond
    `LARGE` bytes only the parts that may tell of failures and samples of metrics are kept.
    """
    if isinstance(data, str):
        if len(data) > LARGE:
            return read_log_chunks(chunks_of(data.encode("utf-8", "surrogatepass")))
        return _whole(data.removeprefix("\ufeff"), ())
    if len(data) > LARGE:
        return read_log_chunks(chunks_of(data))
    text, problems = decode(data)
    return _whole(text, problems)


def read_log_chunks(chunks: Iterable[bytes]) -> Log:
    """Read a text that comes in pieces (a file, a stream), in bounded memory; never raises."""
    parts = iter(chunks)
    first: list[bytes] = []
    size = 0
    for part in parts:
        first.append(part)
        size += len(part)
        if size > LARGE:
            return _large(b"".join(first), parts)
    text, problems = decode(b"".join(first))
    return _whole(text, problems)


def _whole(text: str, problems: tuple[str, ...]) -> Log:
    document = lines_of_document(text)
    if document is not None:
        lines = [
            line for raw in document for line in clean_lines(raw.text, raw.number, is_one_line=True)
        ]
        return Log(tuple(attribute(lines)), problems, text.count("\n") + 1)
    lines = clean_lines(text)
    total = len(lines)
    if lines and not lines[-1].text:
        lines.pop()
    return Log(tuple(finish(lines)), problems, total)


def _large(beginning: bytes, rest: Iterator[bytes]) -> Log:
    encoding, mark = detect_encoding(beginning[: 1 << 20])
    scanner = Scanner()
    parts = _joined(beginning[mark:], rest)
    if encoding.startswith(("utf-16", "utf-32")):
        parts = _transcoded(parts, encoding)
        encoding = "utf-8"
    for chunk in at_line_ends(parts):
        checkpoint()
        scanner.feed(chunk)
    regions = scanner.regions()
    lines = finish(_lines_of_regions(regions, encoding))
    read_closely = sum(len(region.data) for region in regions)
    problems: tuple[str, ...] = ()
    if read_closely < scanner.size:
        problems = (
            f"The text is large: {read_closely:,} of {scanner.size:,} bytes that may report a"
            " failure or a metric were read closely.",
        )
    return Log(tuple(lines), problems, scanner.lines)


def _joined(beginning: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield beginning
    yield from rest


def _transcoded(parts: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for part in parts:
        for at in range(0, len(part), 1 << 22):
            yield decoder.decode(part[at : at + (1 << 22)]).encode("utf-8", "surrogatepass")
    yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")


def _lines_of_regions(regions: list[Region], encoding: str) -> list[LogLine]:
    """Return the regions' lines, with a blank line where something was left out."""
    lines: list[LogLine] = []
    for region in regions:
        if lines:
            lines.append(LogLine(max(lines[-1].number, region.line - 1), ""))
        lines.extend(clean_lines(region.data.decode(encoding, "replace"), region.line))
    return lines


def clean_lines(text: str, first_number: int = 1, *, is_one_line: bool = False) -> list[LogLine]:
    """Return the lines of ``text`` without terminal codes and overprints; no prefix is taken off.

    With ``is_one_line`` all of them stand on the line ``first_number`` of the original.
    """
    text = strip_escapes(text)
    out: list[LogLine] = []
    for index, raw in enumerate(stepwise(text.split("\n"))):
        number = first_number if is_one_line else first_number + index
        line = raw.removesuffix("\r")
        if not line.isprintable():
            if "\r" in line:
                parts = visible_segments(line, _TELLING)
                out.extend(LogLine(number, _tidy(part)) for part in parts)
                continue
            line = strip_controls(line)
        out.append(LogLine(number, _tidy(line)))
    return out


def _tidy(line: str) -> str:
    if len(line) > _MAX_LINE and not line.lstrip().startswith("{"):
        half = _MAX_LINE // 2
        line = line[:half] + " … " + line[-half:]
    return line if line.isprintable() else strip_controls(line)


def finish(lines: list[LogLine]) -> list[LogLine]:
    """Unwrap containers, take prefixes off: what needs a view of all the lines together."""
    return repaired_lines(unescaped(_unwrapped(without_screen_edge(lines))))


def _unwrapped(lines: list[LogLine]) -> list[LogLine]:
    if any(line.text.startswith("{") for line in lines):
        mostly = sum(1 for line in lines if line.text.startswith("{")) * 2 > len(lines)
        if not mostly:
            lines = attribute(lines)
        unwrapped = unwrap_json_lines(lines)
        cleaned = [
            LogLine(line.number, part.text, line.process)
            for line in unwrapped
            for part in clean_lines(line.text, line.number, is_one_line=True)
        ]
        return attribute(cleaned)
    lines = attribute(lines)
    if any(line.text.startswith("{") for line in lines[:50]):
        return attribute(unwrap_json_lines(lines))
    return lines
