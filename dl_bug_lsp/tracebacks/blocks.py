"""One stream cut into blocks: dialects asked line by line, chained and nested stacks joined."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import repeat

from dl_bug_lsp.cancellation import stepwise
from dl_bug_lsp.tracebacks.dialects import DIALECTS
from dl_bug_lsp.tracebacks.exception_text import CHAINED
from dl_bug_lsp.tracebacks.headings import introduce, settle
from dl_bug_lsp.tracebacks.stream import Block, Stream
from dl_bug_lsp.tracebacks.user_code import joined_stacks
from dl_bug_lsp.tracebacks.values import FailureKind, Relation

_CHAIN_REACH = 8
_ANOMALY_REACH = 40
_NOTEBOOK_REACH = 400
_NOTEBOOK = ("CellExecutionError", "PapermillExecutionError")
_UNFILTERED = "UnfilteredStackTrace"
_ORIGINAL = re.compile(r"^Original exception was:")


def read_blocks(stream: Stream) -> list[Block]:
    """Return the blocks of a stream in order; a chain of exceptions is one block."""
    blocks: list[Block] = []
    anomaly: Block | None = None
    pending: Relation | None = None
    pending_at = index = 0
    for _ in stepwise(repeat(None)):
        if index >= len(stream):
            break
        text = stream.text(index)
        chained = CHAINED.match(text) if "above exception" in text else None
        if chained:
            pending = Relation.DURING_HANDLING if chained["during"] else Relation.DIRECT_CAUSE
            pending_at = index
            index += 1
            continue
        block = _read_at(stream, index, text)
        if block is None:
            index += 1
            continue
        index = max(block.end if block.resume is None else block.resume, index + 1)
        if block.dialect == "anomaly":
            anomaly = block
            continue
        if anomaly is not None and block.kind is FailureKind.EXCEPTION:
            _add_forward_stack(anomaly, block)
            anomaly = None
        _add(blocks, block, (pending, pending_at), stream)
        pending = None
    settle(blocks, stream)
    return blocks


def _add(
    blocks: list[Block], block: Block, link: tuple[Relation | None, int], stream: Stream
) -> None:
    """Join a block to the former one where it belongs to it, else append it."""
    former = blocks[-1] if blocks else None
    if former is not None and _is_chained(former, block, *link):
        _join(former, block, link[0] or Relation.DIRECT_CAUSE)
    elif former is not None and _runs_notebook(former, block):
        _wrap(former, block)
    elif former is not None and _reports(former, block):
        _summarise(former, block)
    elif block.causes:
        introduce(block, stream)
        if former is not None and _announces(former, block):
            blocks.pop()
        blocks.append(block)


def _read_at(stream: Stream, index: int, text: str) -> Block | None:
    for dialect in DIALECTS:
        if dialect.trigger.search(text):
            block = dialect.read(stream, index)
            if block is not None:
                return block
    return None


def _is_chained(former: Block, block: Block, pending: Relation | None, at: int) -> bool:
    if pending is None or not former.causes or not block.causes:
        return False
    return block.first - at <= _CHAIN_REACH and at - former.end <= _CHAIN_REACH


def _join(former: Block, later: Block, relation: Relation) -> None:
    """Append a chained block; one that re-raises the same words in the parent process wraps it."""
    last, first = former.causes[-1], later.causes[0]
    same = (last.class_name, last.message) == (first.class_name, first.message)
    if (
        relation is Relation.DIRECT_CAUSE
        and same
        and last.message
        and not _shares_entry(former, later)
    ):
        relation = Relation.WRAPPED
    inside = former.open_end
    if inside < len(former.causes) and _shares_entry(former, later):
        former.causes[inside:inside] = [replace(first, relation=relation), *later.causes[1:]]
    else:
        former.causes.extend([replace(first, relation=relation), *later.causes[1:]])
    former.end = later.end
    former.rank = former.rank if former.rank is not None else later.rank
    former.problems.extend(later.problems)


def _shares_entry(former: Block, later: Block) -> bool:
    """Say whether a chained stack begins in the worker's function that the former began in."""
    ours, theirs = former.causes[0].frames, later.causes[0].frames
    if not ours or not theirs:
        return False
    return (ours[0].file, ours[0].function) == (theirs[0].file, theirs[0].function)


def _runs_notebook(former: Block, block: Block) -> bool:
    if not former.causes or not block.causes or block.dialect != "ipython":
        return False
    return former.causes[-1].class_name in _NOTEBOOK and block.first - former.end <= _NOTEBOOK_REACH


def _announces(former: Block, block: Block) -> bool:
    """Say whether the former is only the log record that a traceback hangs on."""
    spoken = former.causes[-1].type == "log" and former.kind is FailureKind.MESSAGE
    return spoken and former.end == block.first and block.kind is FailureKind.EXCEPTION


def _reports(former: Block, block: Block) -> bool:
    return (
        block.dialect == "torchrun"
        and bool(former.causes)
        and former.causes[-1].class_name == "ChildFailedError"
        and block.first - former.end <= _NOTEBOOK_REACH
    )


def _summarise(former: Block, summary: Block) -> None:
    """Put torchrun's summary into the launcher's failure; tracebacks in it stand beside it."""
    cause = former.causes[-1]
    former.causes[-1] = replace(cause, message=summary.evidence)
    former.rank, former.host, former.heading = summary.rank, summary.host, "first observed"
    former.others = [block for block in (summary, *summary.others) if block.weight > 30]
    former.end = summary.resume or summary.end


def _wrap(former: Block, inner: Block) -> None:
    """Put a notebook's own exception before the one of the program that ran the notebook."""
    wrapper = [replace(cause, relation=Relation.WRAPPED) for cause in former.causes]
    former.causes[:] = [*inner.causes, *wrapper]
    former.end, former.dialect = inner.end, inner.dialect


def _add_forward_stack(anomaly: Block, block: Block) -> None:
    """Append the forward operation's stack to the failure of its gradient."""
    cause = block.causes[-1]
    if block.first - anomaly.end > _ANOMALY_REACH or "Backward" not in cause.message + (
        anomaly.causes[0].message
    ):
        return
    frames = joined_stacks(cause.frames, anomaly.causes[0].frames)
    block.causes[-1] = replace(cause, frames=frames)
    block.first = min(block.first, anomaly.first)
