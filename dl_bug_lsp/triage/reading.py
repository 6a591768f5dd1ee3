"""Logs by the thousand: the lines that may report a failure, and what kind of failure it is.

A reader that looks at every line takes about a second for a megabyte. Most of a job's log is
progress; so one pass of RE2 over many logs at once finds the lines that any reader of failures may
begin at, and only these, with their neighbours, are read (`Excerpt`). Memory is bounded whatever
the length of a log: of more lines than the budgets the first and the last ones are kept.
"""

from __future__ import annotations

import codecs
import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dl_bug_lsp.logs.decoding import detect_encoding
from dl_bug_lsp.logs.log import Log, LogLine
from dl_bug_lsp.logs.reader import at_line_ends, clean_lines, finish, read_log
from dl_bug_lsp.messages import extract_facts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.signals import classify_silent, silent_failure
from dl_bug_lsp.taxonomy.bug_type_and_origin import origin
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.retries import retry_may_help
from dl_bug_lsp.tracebacks import Failure, FailureKind, is_library_path, read_failures
from dl_bug_lsp.triage.fingerprints import fingerprint

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
_GOES_ON = "\u2502|\u2503|\u256d|\u2570|\u2771|^-+> |^> \\d{5}|^E   |^>   "
_PATTERN = f"{_BEGINS}|{_GOES_ON}"
_STACK = re.compile(
    rb'raceback|most recent call|File \\?"|\xe2\x9d\xb1|\xe2\x94[\x82\x83]|^-+> |^> \d{5}'
    rb"|(?P<test>^E   )"
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


# ---------------------------------------------------------------------- one log
LONGEST_MESSAGE = 2_000
"""Characters of a message that are kept."""
REMEMBERED = 20_000
"""Different excerpts whose reading a worker remembers."""
_DOCUMENT = 4_000_000
"""Bytes of a text that may be one JSON document (a notebook) and then is read whole."""
_FRAMEWORKS = (
    ("lightning", re.compile(r"\b(?:pytorch_lightning|lightning)\b")),
    ("transformers", re.compile(r"\btransformers\b")),
    ("keras", re.compile(r"\bkeras\b")),
    ("tensorflow", re.compile(r"\btensorflow\b")),
    ("flax", re.compile(r"\bflax\b")),
    ("jax", re.compile(r"\bjax(?:lib)?\b")),
    ("torch", re.compile(r"\btorch(?:vision|audio|text)?\b|\bCUDA error\b|\bNCCL\b")),
    ("scikit-learn", re.compile(r"\bsklearn\b")),
    ("xgboost", re.compile(r"\bxgboost\b|\blightgbm\b")),
    ("pandas", re.compile(r"\bpandas\b")),
    ("numpy", re.compile(r"\bnumpy\b")),
)
_HAS_NAN = re.compile(r"\bnan\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of the failure that ended a job; ``line`` is its first one, 1-based.

    ``exact`` is False where the log differs from one that was read only in accidents: then
    ``message`` is the other log's. ``places`` are the user's frames, innermost first, as
    ``file:line in function``.
    """

    fingerprint: str
    kind: str
    exception: str
    message: str
    category: str
    dimension: str
    origin: str
    retry_may_help: bool | None
    framework: str
    places: tuple[str, ...]
    line: int
    exact: bool = True


class Reader:
    """Reads excerpts, and remembers those that differ from an earlier one in accidents alone.

    What fails on a cluster fails again: retries, sweeps and ranks print the same stack with other
    numbers. What is remembered is found by the excerpt without its accidents, which the
    fingerprint does not depend on.
    """

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._known: OrderedDict[bytes, tuple[Analysis, int] | None] = OrderedDict()
        self._classes: dict[str, _Classes] = {}
        self._remembered = remembered

    def read(self, excerpt: Excerpt, whole: bytes | None = None) -> Analysis | None:
        """Return what ended the job, None where the log reports no failure; never raises.

        ``whole`` is the log's text where it is at hand: a text that is one JSON document has to be
        read in one piece.
        """
        if whole is not None and _may_be_document(whole):
            log = read_log(whole)
            failure = primary(log)
            return None if failure is None else analysis(failure, log)
        excerpt = one_of_each_rank(excerpt)
        if not self._remembered:
            return self._read(excerpt)
        key = _key(excerpt.encoding, excerpt.lines)
        if key in self._known:
            self._known.move_to_end(key)
            known = self._known[key]
            if known is None:
                return None
            before, index = known
            number = excerpt.lines[min(index, len(excerpt.lines) - 1)][0]
            return replace(before, line=number, exact=False)
        read = self._read(excerpt)
        at = None
        if read is not None:
            numbers = [number for number, _ in excerpt.lines]
            at = read, numbers.index(read.line) if read.line in numbers else 0
        self._known[key] = at
        if len(self._known) > self._remembered:
            self._known.popitem(last=False)
        return read

    def _read(self, excerpt: Excerpt) -> Analysis | None:
        log = log_of(excerpt)
        failure = primary(log)
        if failure is None:
            return None
        if len(self._classes) > self._remembered:
            self._classes.clear()
        return analysis(failure, log, self._classes if self._remembered else None)


def _may_be_document(data: bytes) -> bool:
    if data[:1] not in (b"{", b"[") or len(data) > _DOCUMENT:
        return False
    return data.rstrip()[-1:] in (b"}", b"]") and b"raceback" in data


def log_of(excerpt: Excerpt) -> Log:
    """Return an excerpt as a log, with a blank line where something was left out."""
    lines: list[LogLine] = []
    run: list[bytes] = []
    first = previous = 0
    for number, text in (*excerpt.lines, (0, b"")):
        if run and number != previous + 1:
            if lines:
                lines.append(LogLine(max(lines[-1].number, first - 1), ""))
            decoded = b"\n".join(run).decode(excerpt.encoding, "replace")
            lines.extend(clean_lines(decoded, first))
            run = []
        if not run:
            first = number
        run.append(text)
        previous = number
    while lines and not lines[-1].text:
        lines.pop()
    return Log(tuple(finish(lines)), (), excerpt.total_lines)


def primary(log: Log) -> Failure | None:
    """Return the failure that ended the job; metrics are looked at only where one is no number."""
    failures = read_failures(log).failures
    chosen = next((failure for failure in failures if failure.primary), None)
    if chosen is None and any(_HAS_NAN.search(line.text) for line in log.lines):
        chosen = silent_failure(log, None)
    return chosen


@dataclass(frozen=True, slots=True)
class _Classes:
    """What is the same for all failures of one fingerprint."""

    verdict: CategoryVerdict
    origin: str
    retry_may_help: bool | None
    framework: str


def analysis(failure: Failure, log: Log, known: dict[str, _Classes] | None = None) -> Analysis:
    """Classify a failure and return what triage keeps of it.

    ``known`` remembers the classes by the fingerprint: one bug is of one category.
    """
    cause = failure.cause
    mark = fingerprint(failure)
    classes = known.get(mark) if known is not None else None
    if classes is None:
        verdict = classified(failure, log)
        classes = _Classes(
            verdict,
            origin(failure, verdict).id,
            retry_may_help(failure, verdict),
            _framework(failure),
        )
        if known is not None:
            known[mark] = classes
    own = [frame for frame in failure.frames if not is_library_path(frame.file)]
    places = tuple(
        f"{f.file}:{f.line}" + (f" in {f.function}" if f.function else "")
        for f in reversed(own[-3:])
    )
    message = cause.message if cause is not None else failure.evidence
    return Analysis(
        fingerprint=mark,
        kind=failure.kind.value,
        exception=cause.class_name if cause is not None else "",
        message=message[:LONGEST_MESSAGE],
        category=classes.verdict.id,
        dimension=classes.verdict.dimension,
        origin=classes.origin,
        retry_may_help=classes.retry_may_help,
        framework=classes.framework,
        places=places,
        line=failure.span.first_line,
    )


def one_of_each_rank(excerpt: Excerpt) -> Excerpt:
    """Return an excerpt without the lines of ranks that print what a lower rank prints.

    The readers of failures take copies out as well, but only after they have read them all.
    """
    ranks: dict[int, list[tuple[int, bytes]]] = {}
    for line in excerpt.lines:
        if line[1][:1] == b"[" and (match := _RANK.match(line[1])):
            ranks.setdefault(int(match[1]), []).append(line)
    if len(ranks) < 2:
        return excerpt
    first_ranks: dict[bytes, int] = {}
    for rank in sorted(ranks):
        own = [(at, line) for at, (_, line) in enumerate(ranks[rank])]
        first_ranks.setdefault(_key(excerpt.encoding, own), rank)
    dropped = {
        number for rank in ranks.keys() - set(first_ranks.values()) for number, _ in ranks[rank]
    }
    return replace(
        excerpt, lines=tuple(numbered for numbered in excerpt.lines if numbered[0] not in dropped)
    )


_RANK = re.compile(rb"\[(?:rank|default|rank: ?)(\d{1,5})\]:?")


def classified(failure: Failure, log: Log) -> CategoryVerdict:
    """Return the category of a failure of any kind."""
    if failure.kind is FailureKind.SILENT:
        return classify_silent(failure, log, None)
    cause = failure.cause
    return classify(failure, extract_facts(cause) if cause is not None else None)


def _framework(failure: Failure) -> str:
    """Return the library that the failing stack or message names, the most specific first."""
    cause = failure.cause
    files = " ".join(f.file for f in failure.frames if is_library_path(f.file))
    sources = " ".join(f.source or "" for f in failure.frames)
    message = cause.message[:2000] if cause is not None else failure.evidence
    for text in (files, f"{cause.type if cause is not None else ''} {message} {sources}"):
        for name, pattern in _FRAMEWORKS:
            if pattern.search(text):
                return name
    return ""


def _key(encoding: str, lines: Sequence[tuple[int, bytes]]) -> bytes:
    """Return what two excerpts share that differ only in accidents.

    No more is taken away than for a fingerprint, so that equal keys have equal fingerprints:
    digits, but none of a line that may tell a code and none of source lines; of a frame its folder
    and line; of a progress bar its length.
    """
    parts: list[bytes] = [encoding.encode()]
    below = False
    previous = 0
    for number, line in lines:
        if previous and number != previous + 1:
            parts.append(b"\0")
        previous = number
        frame = _FRAME.search(line) if b'File "' in line else None
        if frame is not None:
            library = b"-packages" in line or b"/lib" in line
            parts.append(line[: frame.start()].translate(None, _DIGITS))
            parts.append(frame[0].rpartition(b"-packages")[2] if library else frame["name"])
            parts.append(frame["function"])
        elif (below and line.startswith(b"    ")) or _CODED.search(line):
            parts.append(line)
        else:
            bar = line.find(b"%|") if len(line) < 400 else -1
            if bar >= 0:
                line = line[:bar] + line[max(bar, line.find(b"|", bar + 2)) :]
            parts.append(line.translate(None, _DIGITS))
        below = frame is not None
    return blake2b(b"\n".join(parts), digest_size=16).digest()


_DIGITS = b"0123456789"
_FRAME = re.compile(rb'File "[^"]*?(?P<name>[^"/\\]*)", line \d+(?P<function>.*)')
_CODED = re.compile(rb"[Cc]ode|[Ss]tatus|[Ss]ignal|SIG|rrno|HTTP|eturned|rror \d")
