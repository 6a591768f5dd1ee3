"""The reader of failures: every dialect asked in turn, chains joined, the primary chosen."""

from __future__ import annotations

from dataclasses import replace

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.logs.values import Log, Process, Span
from dl_bug_lsp.tracebacks.asynchronous import mark_unreliable
from dl_bug_lsp.tracebacks.blocks import read_blocks
from dl_bug_lsp.tracebacks.doubled import without_doubles
from dl_bug_lsp.tracebacks.last_words import read_last_words, read_quoted
from dl_bug_lsp.tracebacks.primary import mark, weigh, without_copies
from dl_bug_lsp.tracebacks.roots import choose_root
from dl_bug_lsp.tracebacks.stream import Block, Stream
from dl_bug_lsp.tracebacks.values import Failure, Reading

_MAX_FAILURES = 500


def read_failures(log: Log) -> Reading:
    """Read every failure that ``log`` tells of, in order of appearance; never raises.

    At most one failure is primary: the one that ended the job.
    """
    items: list[tuple[Failure, int]] = []
    problems: list[str] = []
    first_rank: int | None = None
    for process, lines in log.streams().items():
        stream = Stream(without_doubles(lines), process)
        for block in read_blocks(stream):
            checkpoint()
            if block.heading == "first observed":
                first_rank = block.rank
            problems.extend(block.problems)
            for one in (block, *block.others):
                if one.causes:
                    failure = _failure(one, stream)
                    items.append((failure, weigh(one, failure)))
    if not items and log.lines:
        stream = Stream(log.lines)
        last = read_quoted(stream) or read_last_words(stream)
        if last is not None:
            items.append((_failure(last, stream), last.weight))
    items.sort(key=lambda item: (item[0].span.first_line, item[0].span.last_line))
    items = without_copies(items, first_rank)
    if len(items) > _MAX_FAILURES:
        problems.append(f"{len(items) - _MAX_FAILURES} failures in the middle were left out.")
        items = [*items[: _MAX_FAILURES // 2], *items[-_MAX_FAILURES // 2 :]]
    failures = mark_unreliable(mark(items, first_rank), log)
    return Reading(tuple(failures), tuple(problems))


def _failure(block: Block, stream: Stream) -> Failure:
    root = choose_root(block.causes) if block.root is None else block.root
    span = stream.span(block.first, block.end)
    last = max([span.last_line, *(cause.span.last_line for cause in block.causes)])
    return Failure(
        block.kind, tuple(block.causes), root, block.dialect, Span(span.first_line, last),
        _evidence(block, root), _process(block, stream.process),
    )  # fmt: skip


def _process(block: Block, process: Process | None) -> Process | None:
    if block.rank is None or (process is not None and process.rank is not None):
        return process
    if process is None:
        return Process(block.rank, block.host)
    return replace(process, rank=block.rank)


def _evidence(block: Block, root: int) -> str:
    cause = block.causes[root]
    head = cause.message.split("\n", 1)[0]
    if not cause.type or (block.evidence and block.dialect in ("message", "faulthandler")):
        return block.evidence
    return f"{cause.type}: {head}" if head else cause.type
