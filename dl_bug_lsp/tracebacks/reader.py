"""The reader of failures: every dialect asked in turn, chains joined, the primary failure chosen."""

from __future__ import annotations

from dataclasses import replace

from dl_bug_lsp.logs.values import Log, Process, Span
from dl_bug_lsp.tracebacks.dialects import DIALECTS
from dl_bug_lsp.tracebacks.exception_text import CHAINED
from dl_bug_lsp.tracebacks.roots import choose_root
from dl_bug_lsp.tracebacks.stream import Block, Stream
from dl_bug_lsp.tracebacks.values import Failure, Reading, Relation

_CHAIN_REACH = 8


def read_failures(log: Log) -> Reading:
    """Read every failure that ``log`` tells of, in order of appearance; never raises.

    At most one failure is primary: the one that ended the job.
    """
    found: list[tuple[Block, Stream]] = []
    for process, lines in log.streams().items():
        stream = Stream(lines, process)
        found.extend((block, stream) for block in read_blocks(stream))
    failures = [_failure(block, stream) for block, stream in found]
    failures.sort(key=lambda failure: (failure.span.first_line, failure.span.last_line))
    if failures:
        failures[-1] = replace(failures[-1], primary=True)
    problems = [problem for block, _ in found for problem in block.problems]
    return Reading(tuple(failures), tuple(problems))


def read_blocks(stream: Stream) -> list[Block]:
    """Return the blocks of a stream; chained exceptions are joined into one block."""
    blocks: list[Block] = []
    index, pending, pending_at = 0, None, 0
    while index < len(stream):
        text = stream.text(index)
        chained = CHAINED.match(text)
        if chained:
            pending = Relation.DURING_HANDLING if chained["during"] else Relation.DIRECT_CAUSE
            pending_at = index
            index += 1
            continue
        block = _read_at(stream, index, text)
        if block is None:
            index += 1
            continue
        near = index - pending_at <= _CHAIN_REACH
        if pending is not None and near and blocks and pending_at - blocks[-1].end <= _CHAIN_REACH:
            _join(blocks[-1], block, pending)
        else:
            blocks.append(block)
        pending = None
        index = max(block.end, index + 1)
    return blocks


def _read_at(stream: Stream, index: int, text: str) -> Block | None:
    for dialect in DIALECTS:
        if dialect.trigger.search(text):
            block = dialect.read(stream, index)
            if block is not None:
                return block
    return None


def _join(former: Block, later: Block, relation: Relation) -> None:
    """Append a chained block: a re-raise of the very same text in the parent process wraps it."""
    last, first = former.causes[-1], later.causes[0]
    same = (last.class_name, last.message) == (first.class_name, first.message)
    if relation is Relation.DIRECT_CAUSE and same and last.message:
        relation = Relation.WRAPPED
    former.causes.extend([replace(first, relation=relation), *later.causes[1:]])
    former.end = later.end
    former.problems.extend(later.problems)


def _failure(block: Block, stream: Stream) -> Failure:
    root = choose_root(block.causes) if block.root is None else block.root
    process = stream.process
    if block.rank is not None and (process is None or process.rank is None):
        process = (
            Process(block.rank, block.host)
            if process is None
            else replace(process, rank=block.rank)
        )
    span = stream.span(block.first, block.end)
    last = max([span.last_line, *(cause.span.last_line for cause in block.causes)])
    cause = block.causes[root]
    head = cause.message.split("\n", 1)[0]
    evidence = f"{cause.type}: {head}" if head and cause.type else cause.type or block.evidence
    return Failure(
        block.kind, tuple(block.causes), root, block.dialect, Span(span.first_line, last),
        evidence, process,
    )  # fmt: skip
