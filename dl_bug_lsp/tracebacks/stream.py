"""One process's lines as the dialects see them, what a dialect is, and the blocks that it returns.

Stacks that several processes without prefixes printed at once, each line once per process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from dl_bug_lsp.cancellation import stepwise
from dl_bug_lsp.logs.log import LogLine, Process, Span
from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Frame, Relation
from dl_bug_lsp.tracebacks.traceback_lines import parse_exception


class Stream:
    """The lines of one process; an index outside reads as an empty line."""

    def __init__(self, lines: Sequence[LogLine], process: Process | None = None) -> None:
        self.lines = lines
        self.process = process

    def __len__(self) -> int:
        return len(self.lines)

    def text(self, index: int) -> str:
        """Return the text of a line, empty beyond the ends."""
        return self.lines[index].text if 0 <= index < len(self.lines) else ""

    def span(self, first: int, end: int) -> Span:
        """Return the original line numbers of ``first`` up to, not including, ``end``."""
        last = max(first, min(end, len(self.lines)) - 1)
        return Span(self.lines[first].number, self.lines[last].number)

    def without_margin(self, first: int, end: int, margin: int) -> Stream:
        """Return a part of the stream with ``margin`` characters cut off each line."""
        part = [replace(line, text=line.text[margin:]) for line in self.lines[first:end]]
        return Stream(part, self.process)


class Heading(Enum):
    """How the lines around a block introduce it."""

    IGNORED = "ignored"
    """The interpreter could not raise it: a finalizer, a callback at exit."""
    HOOK = "hook"
    """An exception hook or the logging module failed itself."""
    THREAD = "thread"
    """It ended a thread."""
    PROCESS = "process"
    """It ended a process of multiprocessing."""
    TASK = "task"
    """It ended a task of an event loop."""
    WARNED = "warned"
    """The line above warns, skips, ignores or retries."""
    LOGGED = "logged"
    """A record of the log holds it."""
    HANDLED = "handled"
    """The run went on after it."""
    FIRST_OBSERVED = "first observed"
    """A launcher says that this rank failed first."""


WHOLE, HEADLESS = 100, 20
"""The weight of an exception with its stack; of frames without a header, which much may print."""


@dataclass(slots=True)
class Block:
    """What one dialect read at one place: causes oldest first, and where it ends (exclusive).

    ``kind`` and ``weight`` say how surely the text ended the job (see `primary`); ``rank`` is a
    rank that the text itself names; ``heading`` is how the text introduces it, if it does.
    ``others`` are further failures that were read in one go; reading goes on at ``resume`` (else at
    ``end``).
    """

    causes: list[Cause]
    first: int
    end: int
    dialect: str
    kind: FailureKind = FailureKind.EXCEPTION
    evidence: str = ""
    weight: int = WHOLE
    rank: int | None = None
    host: str | None = None
    root: int | None = None
    heading: Heading | None = None
    others: list[Block] = field(default_factory=list)
    resume: int | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def open_end(self) -> int:
        """Return the index of the first cause at the end of the chain that is a wrapper."""
        index = len(self.causes)
        while index > 1 and self.causes[index - 1].relation is Relation.WRAPPED:
            index -= 1
        return index


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way in which failures are printed: how it is found and read, and what it is like.

    ``trigger`` finds its first lines, and ``read`` returns the block that begins there, or None.
    The remaining fields say what distinguishes its blocks from CPython's tracebacks.
    """

    name: str
    trigger: re.Pattern[str]
    read: Callable[[Stream, int], Block | None]
    begins_at_entry: bool = True
    """A whole stack begins at the entry point of the program or thread."""
    names_class_first: bool = False
    """The class is printed above the stack, and may be known where the message is cut off."""
    is_traceback: bool = True
    """Prints exceptions; the evidence of others is the line that their reader has chosen."""
    is_dump: bool = False
    """Prints the stacks of a process at one moment, which need not have failed."""
    is_warning: bool = False
    """Belongs to the failure that follows, and is none itself."""
    is_of_test: bool = False
    """Reports failures of tests."""
    is_introduced: bool = True
    """The lines above a block may say how the failure was met."""
    lists_failures: bool = False
    """One report lists several failures, of which the first counts."""
    runners: frozenset[str] = frozenset()
    """Classes of the exceptions that a runner of such programs raises above their tracebacks."""
    summarised: frozenset[str] = frozenset()
    """Classes of the exceptions that such a block is the summary of."""


def cut_off(
    stream: Stream, span: tuple[int, int], dialect: str, frames: Sequence[Frame], *, headed: bool
) -> Block:
    """Return the block of a stack that ends, at ``span``'s end, before its exception is named.

    Without a header either, the frames may be anything that prints a stack: they weigh little.
    """
    first, end = span
    cause = Cause("", "", tuple(frames), Relation.ROOT, stream.span(first, end))
    number = stream.lines[min(end, len(stream) - 1)].number
    problem = f"Line {number}: a traceback is cut off before its exception."
    frame = frames[-1]
    evidence = frame.source or f'File "{frame.file}", line {frame.line}'
    weight = WHOLE if headed else HEADLESS
    return Block([cause], first, end, dialect, evidence=evidence, weight=weight, problems=[problem])


_HEADER = "Traceback (most recent call last):"
_MAX_LINES = 2000


def without_doubles(lines: Sequence[LogLine]) -> Sequence[LogLine]:
    """Return ``lines`` with each repeated line once where a header directly repeats itself."""
    starts = [
        index
        for index in stepwise(range(1, len(lines)))
        if lines[index].text == lines[index - 1].text and lines[index].text.endswith(_HEADER)
    ]
    if not starts:
        return lines
    out: list[LogLine] = []
    at = 0
    for start in starts:
        if start < at:
            continue
        out.extend(lines[at:start])
        at = _collapse(lines, start, out)
    out.extend(lines[at:])
    return out


def _collapse(lines: Sequence[LogLine], start: int, out: list[LogLine]) -> int:
    """Append the lines that differ from the one before, up to the exception's last copy."""
    at = start
    while at < len(lines) and at - start < _MAX_LINES:
        same = lines[at].text == lines[at - 1].text
        ended = not lines[at - 1].text.startswith(" ") and parse_exception(lines[at - 1].text)
        if ended and not same:
            break
        if not same:
            out.append(lines[at])
        at += 1
    return at
