"""The reader of failures: asks every dialect in turn, joins chains, chooses the primary failure.

A stream is cut into blocks: dialects are asked line by line, and blocks that belong together are
joined. The lines around a block say whether it was handled. Where nothing certain was read, the
message that the text most likely names is the failure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat

from dl_bug_lsp.cancellation import checkpoint, stepwise
from dl_bug_lsp.logs.log import Log, Process, Span
from dl_bug_lsp.tracebacks.block_context import weigh_by_heading, weigh_down_handled
from dl_bug_lsp.tracebacks.dialects import DIALECTS, dialect_named
from dl_bug_lsp.tracebacks.error_line_tables import Weight
from dl_bug_lsp.tracebacks.exception_chains import Link, add_forward_stack, is_record_of, join
from dl_bug_lsp.tracebacks.failures import Cause, Failure, FailureKind, Reading, Relation
from dl_bug_lsp.tracebacks.library_notes import with_library_notes
from dl_bug_lsp.tracebacks.mentions import read_mention
from dl_bug_lsp.tracebacks.primary import MEDIUM, choose_root, mark, weigh, without_copies
from dl_bug_lsp.tracebacks.stream import Block, Heading, Stream, without_doubles
from dl_bug_lsp.tracebacks.traceback_lines import CHAINED, parse_exception


# ---------------------------------------------------------------------- blocks
def read_blocks(stream: Stream) -> list[Block]:
    """Return the blocks of a stream in order; a chain of exceptions is one block."""
    blocks: list[Block] = []
    warning: Block | None = None
    link: Link | None = None
    index = 0
    for _ in stepwise(repeat(None)):
        if index >= len(stream):
            break
        text = stream.text(index)
        relation = _chaining(text)
        if relation is not None:
            link = Link(relation, index)
            index += 1
            continue
        block = _read_at(stream, index, text)
        if block is None:
            index += 1
            continue
        index = max(block.end if block.resume is None else block.resume, index + 1)
        if dialect_named(block.dialect).is_warning:
            warning = block
            continue
        if warning is not None and block.kind is FailureKind.EXCEPTION:
            add_forward_stack(warning, block)
            warning = None
        _add(blocks, block, link, stream)
        link = None
    weigh_down_handled(blocks, stream)
    return blocks


def _chaining(text: str) -> Relation | None:
    """Return how a line chains the traceback above it to the one below it, if it does."""
    match = CHAINED.match(text) if "above exception" in text else None
    if match is None:
        return None
    return Relation.DURING_HANDLING if match["during"] else Relation.DIRECT_CAUSE


def _read_at(stream: Stream, index: int, text: str) -> Block | None:
    """Return the block of the first dialect that reads one at an index."""
    for dialect in DIALECTS:
        if dialect.trigger.search(text):
            block = dialect.read(stream, index)
            if block is not None:
                return block
    return None


def _add(blocks: list[Block], block: Block, link: Link | None, stream: Stream) -> None:
    """Join a block to the last one where it belongs to it, else append it."""
    former = blocks[-1] if blocks else None
    if (former is not None and join(former, block, link, stream)) or not block.causes:
        return
    weigh_by_heading(block, stream)
    if former is not None and is_record_of(former, block):
        blocks.pop()
    blocks.append(block)


# ---------------------------------------------------------------------- failures
_MAX_FAILURES = 500
_HEADING = re.compile(r"^(?:\S{1,40} ){0,4}\S{1,40}$")
"""A record of a few words, as over the message that a dialog shows."""


@dataclass
class _StreamReading:
    """The failures of all streams with their weights, and the rank that failed first."""

    failures: list[tuple[Failure, int]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    first_rank: int | None = None


def read_failures(log: Log) -> Reading:
    """Read every failure that ``log`` tells of, in order of appearance; never raises.

    At most one failure is primary: the one that ended the job.
    """
    read = _read_streams(log)
    mentioned = _read_mention(log, read.failures)
    found = [*read.failures, *([] if mentioned is None else [mentioned])]
    found.sort(key=lambda item: (item[0].span.first_line, item[0].span.last_line))
    found = without_copies(found, read.first_rank)
    problems = read.problems
    if len(found) > _MAX_FAILURES:
        problems.append(f"{len(found) - _MAX_FAILURES} failures in the middle were left out.")
        found = [*found[: _MAX_FAILURES // 2], *found[-_MAX_FAILURES // 2 :]]
    failures = with_library_notes(mark(found, read.first_rank), log)
    return Reading(tuple(failures), tuple(problems))


def _read_streams(log: Log) -> _StreamReading:
    """Read the failures of each process."""
    reading = _StreamReading()
    for process, lines in log.streams().items():
        stream = Stream(without_doubles(lines), process)
        for block in read_blocks(stream):
            checkpoint()
            if block.heading is Heading.FIRST_OBSERVED:
                reading.first_rank = block.rank
            reading.problems.extend(block.problems)
            for part in (block, *block.others):
                if part.causes:
                    failure = _failure(part, stream)
                    reading.failures.append((failure, weigh(part, failure)))
    return reading


def _read_mention(log: Log, found: Sequence[tuple[Failure, int]]) -> tuple[Failure, int] | None:
    """Read the failure that a text only names, unless more than an error in words was found."""
    strongest = max((weight for _, weight in found), default=0)
    if not log.lines or strongest > Weight.SPOKEN:
        return None
    stream = Stream(log.lines)
    read_lines: set[int] = set()
    headings: set[int] = set()
    for failure, _ in found:
        cause, span = failure.cause, failure.span
        if cause is not None and cause.type not in ("", "log"):
            read_lines.update(range(span.first_line, span.last_line + 1))
        if cause is not None and cause.type == "log" and _HEADING.match(cause.message):
            headings.add(span.last_line + 1)
    block = read_mention(stream, read_lines, headings, with_class=strongest >= MEDIUM)
    return None if block is None else (_failure(block, stream), block.weight)


def _failure(block: Block, stream: Stream) -> Failure:
    """Return the failure that a block tells of."""
    root = choose_root(block.causes) if block.root is None else block.root
    span = stream.span(block.first, block.end)
    last = max([span.last_line, *(cause.span.last_line for cause in block.causes)])
    causes = list(block.causes)
    causes[root] = _unfiltered(causes[root])
    return Failure(
        block.kind, tuple(causes), root, block.dialect, Span(span.first_line, last),
        _evidence(block, root), _process(block, stream.process),
    )  # fmt: skip


def _unfiltered(cause: Cause) -> Cause:
    """Return the exception in the place of JAX's class that only says that its stack is whole."""
    if cause.class_name != "UnfilteredStackTrace":
        return cause
    head, _, rest = cause.message.partition("\n")
    inner = parse_exception(head)
    if inner is None:
        return cause
    return replace(cause, type=inner[0], message="\n".join([inner[1], rest]).rstrip("\n"))


def _process(block: Block, process: Process | None) -> Process | None:
    """Return a stream's process with the rank that a block names."""
    if block.rank is None or (process is not None and process.rank is not None):
        return process
    if process is None:
        return Process(block.rank, block.host)
    return replace(process, rank=block.rank)


def _evidence(block: Block, root: int) -> str:
    """Return the line that shows a block's failure best."""
    cause = block.causes[root]
    head = cause.message.split("\n", 1)[0]
    if not cause.type or (block.evidence and not dialect_named(block.dialect).is_traceback):
        return block.evidence
    return f"{cause.type}: {head}" if head else cause.type
