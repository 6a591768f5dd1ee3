"""Logs by the thousand: which lines may report a failure, found at the speed of a search.

A reader that looks at every line takes about a second for a megabyte. Most of a job's log is
progress; so one pass of RE2 over many logs at once finds the lines that any reader of failures may
begin at, and only these, with their neighbours, are read (`Excerpt`). Memory is bounded whatever
the length of a log: of more lines than the budgets the first and the last ones are kept.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dl_bug_lsp.logs.decoding import detect_encoding
from dl_bug_lsp.logs.reader import at_line_ends

# The union of what the readers of failures begin at (`tracebacks/reader.py`), spelled for bytes
# of any superset of ASCII; a test holds the two together. Expressions for RE2.
_BEGINS = (
    r"rror|ailed|illed|Kill|atal|FATAL|not found|ERROR|[Uu]sage|No such|[Pp]ermission|denied|annot"
    r"|can't|ault\b|ault[ :(]|bort|Could not|CANCELLED|TERM|OOM|oom|[Ee]xit|unbound|xception"
    r"|[Tt]erminat|No module|Xid|[Pp]reempt|[Ee]vict|Multiple values|You must specify"
    r"|Missing mandatory|In '|Interpolation|Primary config|Assertion|corruption|free\(|malloc"
    r"|atchdog|ran out of|Hangup|NCCL|nccl|gloo|OMP:|libgomp|BLAS|[Ss]yntax|No solution|Signal|SIG"
    r"|smashing|limit|No space|quota|Read-only|DeadlineExceeded|PullBackOff|lost communication"
    r"|\*\*\*|Illegal|Floating|raceback|most recent call|File \\?\"|Cell In|Input In|FAIL"
    r"|Call stack:|Stack|Object allocated|Root Cause|: nan\b|=nan\b| nan\b|\bNaN\b"
)
# What such a block goes on with: boxes of rich, arrows of IPython, marks of pytest.
_GOES_ON = "\u2502|\u2503|\u256d|\u2570|\u2771|^-+> |^E   |^>   "
_PATTERN = f"{_BEGINS}|{_GOES_ON}"
_STACK = re.compile(
    rb'raceback|most recent call|File \\?"|\xe2\x9d\xb1|\xe2\x94[\x82\x83]|^-+> |(?P<test>^E   )'
    rb"|^[\w.]{1,200}(?:Error|Exception|Interrupt|Exit)\b|FAIL|Fatal|Root Cause"
)
_BEFORE, _AFTER, _AFTER_STACK, _BEFORE_TEST = 3, 3, 40, 60
"""Lines around one that tells; a failed test shows its whole function above its error."""
_LAST_LINES = 6
_MOST_LINES = 3000
"""Lines of one excerpt: half from the first ones, half from the last."""
_WEAK_HEAD, _WEAK_TAIL = 60, 240
"""Lines that only hold a suspicious word, at the beginning and at the end of a log."""
_MOST_WEAK = 20
"""Lines of one such place."""
_LONGEST_LINE = 16_384
_KEPT_HEAD, _KEPT_TAIL = 2_048, 8_192
_TELLING = re.compile(rb'Traceback \(most recent|File "|Error\b|error:|Killed|\xe2\x9d\xb1')
_MOST_STATES = 100
"""States of a bar, ended by carriage returns, that tell of a failure."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of a log that may report a failure: (1-based number, bytes), and its size.

    ``begins`` says that some line of it is one that a failure may begin at. ``cut`` says that more
    such lines were met than are kept. ``encoding`` is the text's own.
    """

    lines: tuple[tuple[int, bytes], ...]
    total_lines: int
    size: int
    encoding: str
    begins: bool
    cut: bool = False


def excerpts(logs: Sequence[bytes]) -> list[Excerpt]:
    """Return the excerpt of each log; one search for all of them, which must fit into memory."""
    plain: list[bytes] = []
    encodings: list[str] = []
    for data in logs:
        encoding, mark = detect_encoding(data[: 1 << 16])
        body = data[mark:] if mark else data
        if encoding.startswith(("utf-16", "utf-32")):
            body, encoding = body.decode(encoding, "replace").encode("utf-8", "replace"), "utf-8"
        plain.append(body)
        encodings.append(encoding)
    # A line feed between two logs: no line belongs to both.
    joined = b"\n".join(plain)
    starts = _line_starts(joined)
    hits = _matching(joined, starts)
    first = 0
    out: list[Excerpt] = []
    for data, body, encoding in zip(logs, plain, encodings, strict=True):
        begin = int(np.searchsorted(starts, first))
        end = int(np.searchsorted(starts, first + len(body) + 1))
        low, high = np.searchsorted(hits, (begin, end))
        collected = _Collected()
        part = starts[begin : end + 1] if end < len(starts) else starts[begin:]
        collected.add(joined, part, (hits[low:high] - begin).tolist(), 1, first + len(body))
        out.append(collected.excerpt(len(data), encoding))
        first += len(body) + 1
    return out


def excerpt_of_stream(parts: Iterable[bytes]) -> Excerpt:
    """Return the excerpt of a text of any length, which comes in parts; in bounded memory."""
    stream = iter(parts)
    beginning = next(stream, b"")
    encoding, mark = detect_encoding(beginning[: 1 << 16])
    counted = _Counted()
    wide = encoding.startswith(("utf-16", "utf-32"))
    whole = counted.through(_from(beginning, stream), mark)
    collected = _Collected()
    for chunk in at_line_ends(_transcoded(whole, encoding) if wide else whole):
        starts = _line_starts(chunk)
        hits = _matching(chunk, starts)
        if chunk.endswith(b"\n"):
            starts = starts[:-1]
        collected.add(
            chunk,
            starts,
            hits[hits < len(starts)].tolist(),
            collected.total + 1,
            len(chunk) - chunk.endswith(b"\n"),
        )
    return collected.excerpt(counted.size, "utf-8" if wide else encoding)


class _Counted:
    """Counts the bytes that pass."""

    size = 0

    def through(self, parts: Iterable[bytes], mark: int) -> Iterator[bytes]:
        for part in parts:
            self.size += len(part)
            yield part[mark:]
            mark = 0


def _from(beginning: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield beginning
    yield from rest


def _transcoded(parts: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for part in parts:
        yield decoder.decode(part).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _line_starts(data: bytes) -> npt.NDArray[np.int64]:
    """Return the offset of each line's first byte; what follows a last line feed is a line."""
    feeds = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
    starts = np.empty(len(feeds) + 1, np.int64)
    starts[0] = 0
    np.add(feeds, 1, out=starts[1:])
    return starts


def _matching(data: bytes, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the indices of the lines that a failure may begin at or go on with."""
    offsets = np.append(starts, len(data))
    lines = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )
    matches = pc.match_substring_regex(lines, _PATTERN)
    return np.flatnonzero(matches.to_numpy(zero_copy_only=False))


class _Collected:
    """The lines of one log that are kept, as its chunks go by."""

    def __init__(self) -> None:
        self.total = 0
        self._head: list[tuple[int, bytes]] = []
        self._tail: deque[tuple[int, bytes]] = deque(maxlen=_MOST_LINES // 2)
        self._last: deque[tuple[int, bytes]] = deque(maxlen=_LAST_LINES)
        self._weak_head = 0
        self._weak_tail: deque[list[tuple[int, bytes]]] = deque(maxlen=_WEAK_TAIL)
        self._begins = False
        self._cut = False
        self._until = 0

    def add(
        self, data: bytes, starts: npt.NDArray[np.int64], hits: list[int], number: int, end: int
    ) -> None:
        """Take the lines of one chunk; ``number`` is the first one's, ``end`` the last one's."""
        count = len(starts) - 1 if len(starts) and starts[-1] > end else len(starts)
        self.total = number + count - 1

        def lines(first: int, last: int) -> list[tuple[int, bytes]]:
            bounds = starts[first : last + 2].tolist()
            if len(bounds) == last - first + 1:
                bounds.append(end + 1)
            out = []
            for index in range(last - first + 1):
                line = data[bounds[index] : min(bounds[index + 1] - 1, end)]
                out.append((number + first + index, line if len(line) < 1000 else _bounded(line)))
            return out

        # What a stack of the chunk before reaches into.
        last_kept = min(self._until - number, count - 1)
        if last_kept >= 0:
            self._keep(lines(0, last_kept))
        last_kept = max(last_kept, -1)
        window = (0, -1, False)
        for hit in hits:
            if hit >= count:
                break
            self._begins = True
            begin = int(starts[hit])
            stop = int(starts[hit + 1]) if hit + 1 < len(starts) else end
            stack = _STACK.search(data[begin : min(stop, begin + 1000)])
            before = _BEFORE_TEST if stack and stack.lastgroup else _BEFORE
            first, last = hit - before, hit + (_AFTER_STACK if stack else _AFTER)
            if stack:
                self._until = number + last
            if first <= window[1] + 1 and (stack is not None or not window[2]) and window[1] >= 0:
                window = (min(window[0], first), max(window[1], last), window[2] or bool(stack))
                continue
            last_kept = self._take(lines, window, last_kept, count)
            window = (first, last, bool(stack))
        self._take(lines, window, last_kept, count)
        if count:
            self._last.extend(lines(max(0, count - _LAST_LINES), count - 1))

    def _take(
        self,
        lines: Callable[[int, int], list[tuple[int, bytes]]],
        window: tuple[int, int, bool],
        last_kept: int,
        count: int,
    ) -> int:
        """Keep a window's lines behind ``last_kept``, the last index kept; return the new one."""
        first, last = max(last_kept + 1, window[0]), min(window[1], count - 1)
        if first > last:
            return last_kept
        if window[2] or self._weak_head < _WEAK_HEAD:
            self._weak_head += not window[2]
            self._keep(lines(first, min(last, first + _MOST_LINES // 2)))
            if last > first + _MOST_LINES // 2:
                self._cut = True
                self._keep(lines(max(first, last - _MOST_LINES // 2), last))
        else:
            self._cut = self._cut or len(self._weak_tail) == _WEAK_TAIL
            self._weak_tail.append(lines(max(first, last - _MOST_WEAK), last))
        return last

    def _keep(self, lines: list[tuple[int, bytes]]) -> None:
        for line in lines:
            if len(self._head) < _MOST_LINES // 2:
                self._head.append(line)
            else:
                self._cut = self._cut or len(self._tail) == self._tail.maxlen
                self._tail.append(line)

    def excerpt(self, size: int, encoding: str) -> Excerpt:
        """Return what was kept, in order."""
        lines = dict((*self._head, *self._tail, *self._last))
        for window in self._weak_tail:
            lines.update(window)
        return Excerpt(
            tuple(sorted(lines.items())), self.total, size, encoding, self._begins, self._cut
        )


def _bounded(line: bytes) -> bytes:
    """Return a line, of a long one what is looked at: a bar's last state, or beginning and end."""
    if b"\r" in line:
        states = [state for state in line.split(b"\r") if state.strip()]
        telling = [state for state in states[:-1] if _TELLING.search(state)][-_MOST_STATES:]
        line = b"\r".join((*telling, *states[-1:]))
    if len(line) <= _LONGEST_LINE or line.lstrip()[:1] == b"{":
        return line[: 4 * 1_048_576]
    return line[:_KEPT_HEAD] + b" ... " + line[-_KEPT_TAIL:]
