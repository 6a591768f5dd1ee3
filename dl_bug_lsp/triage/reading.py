"""One log read: its excerpt, the failure that ended the job, and what kind of failure it is."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from dl_bug_lsp.logs.log import Log, LogLine
from dl_bug_lsp.logs.reader import clean_lines, finish, read_log
from dl_bug_lsp.messages import extract_facts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.signals import classify_silent, silent_failure
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.origins import origin, retry_may_help
from dl_bug_lsp.tracebacks import Failure, FailureKind, is_library_path, read_failures
from dl_bug_lsp.triage.fingerprints import fingerprint
from dl_bug_lsp.triage.scanning import Excerpt

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
    retry_may_help: bool
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
    retry_may_help: bool
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
