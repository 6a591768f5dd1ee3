"""Joins blocks that belong together: chained exceptions, runners of notebooks, summaries."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from dl_bug_lsp.tracebacks.block_context import ended_the_run
from dl_bug_lsp.tracebacks.dialects import dialect_named
from dl_bug_lsp.tracebacks.error_line_tables import Weight
from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Relation
from dl_bug_lsp.tracebacks.library_notes import FAILED_FITS
from dl_bug_lsp.tracebacks.stream import Block, Heading, Stream
from dl_bug_lsp.tracebacks.traceback_lines import joined_stacks

_MAX_CHAIN_GAP = 8
"""Lines between the sentence that chains two tracebacks and either of them."""
_MAX_WARNING_GAP = 40
_MAX_RUNNER_GAP = 400
_MAX_FITS_GAP = 6


class Link(NamedTuple):
    """A sentence that chains two tracebacks (PEP 3134), and the index of its line."""

    relation: Relation
    position: int


def join(former: Block, block: Block, link: Link | None, stream: Stream) -> bool:
    """Join a block to the former one if it belongs to it; say whether it does."""
    if link is not None and _is_chained(former, block, link):
        _append(former, block, link.relation)
        if former.heading is Heading.WARNED and ended_the_run(former, stream):
            # Only the last stack of a chain shows whether somebody caught it.
            former.heading, former.weight = None, max(former.weight, block.weight)
    elif _is_runner_of(former, block) or _introduces(former, block):
        _wrap(former, block)
    elif _is_summary_of(block, former):
        _summarise(former, block)
    else:
        return False
    return True


def is_record_of(former: Block, block: Block) -> bool:
    """Say whether the former block is only the log record that holds a traceback."""
    is_record = former.causes[-1].type == "log" and former.kind is FailureKind.MESSAGE
    return is_record and former.end == block.first and block.kind is FailureKind.EXCEPTION


def add_forward_stack(warning: Block, block: Block) -> None:
    """Add the stack of a forward operation, as a warning shows it, to its gradient's failure."""
    cause, forward = block.causes[-1], warning.causes[0]
    if block.first - warning.end > _MAX_WARNING_GAP or "Backward" not in (
        cause.message + forward.message
    ):
        return
    block.causes[-1] = replace(cause, frames=joined_stacks(cause.frames, forward.frames))
    block.first = min(block.first, warning.first)


# ---------------------------------------------------------------------- chains
def _is_chained(former: Block, block: Block, link: Link) -> bool:
    """Say whether both blocks stand near to the sentence between them."""
    if not former.causes or not block.causes:
        return False
    gaps = (block.first - link.position, link.position - former.end)
    return max(gaps) <= _MAX_CHAIN_GAP


def _append(former: Block, later: Block, relation: Relation) -> None:
    """Put a chained block into the one before it, at the place that it has in the chain."""
    if relation is Relation.DIRECT_CAUSE and _is_cut_copy(former.causes[-1], later):
        _add_outer_frames(former, later)
        return
    if relation is Relation.DIRECT_CAUSE and _is_raised_again(former, later):
        relation = Relation.WRAPPED
    place = _place_in_chain(former, later)
    former.causes[place:place] = [
        replace(later.causes[0], relation=relation),
        *later.causes[1:],
    ]
    former.end = later.end
    if former.rank is None:
        former.rank = later.rank
    former.problems.extend(later.problems)


def _is_cut_copy(last: Cause, later: Block) -> bool:
    """Say whether a block ends before its exception and shows how the last one was met."""
    first = later.causes[0]
    lacks_message = first.class_name == last.class_name and not first.message
    return bool(last.type and later.problems) and (not first.type or lacks_message)


def _add_outer_frames(former: Block, later: Block) -> None:
    last = former.causes[-1]
    frames = joined_stacks(later.causes[0].frames, last.frames)
    former.causes[-1] = replace(last, frames=frames)
    former.end = later.end
    former.problems.extend(later.problems)


def _is_raised_again(former: Block, later: Block) -> bool:
    """Say whether another process, with a stack of its own, raises the same exception again."""
    last, first = former.causes[-1], later.causes[0]
    is_same = (last.class_name, last.message) == (first.class_name, first.message)
    return is_same and bool(last.message) and not _shares_entry(former, later)


def _place_in_chain(former: Block, later: Block) -> int:
    """Return the index at which a chained block belongs: the wrappers of the chain stay last."""
    last = former.causes[-1]
    if last.relation is Relation.WRAPPED and FAILED_FITS.match(last.message):
        return len(former.causes) - 1
    return former.open_end if _shares_entry(former, later) else len(former.causes)


def _shares_entry(former: Block, later: Block) -> bool:
    """Say whether a chained stack begins in the worker's function that the former began in."""
    ours, theirs = former.causes[0].frames, later.causes[0].frames
    if not ours or not theirs:
        return False
    return (ours[0].file, ours[0].function) == (theirs[0].file, theirs[0].function)


# ---------------------------------------------------------------------- runners and summaries
def _is_runner_of(former: Block, block: Block) -> bool:
    """Say whether the former exception is raised by what ran the program of the block."""
    if not former.causes or not block.causes or block.first - former.end > _MAX_RUNNER_GAP:
        return False
    return former.causes[-1].class_name in dialect_named(block.dialect).runners


def _introduces(former: Block, block: Block) -> bool:
    """Say whether the message of the former block introduces the traceback that follows it."""
    if not former.causes or not block.causes or block.first - former.end > _MAX_FITS_GAP:
        return False
    return FAILED_FITS.match(former.causes[-1].message) is not None


def _wrap(former: Block, inner: Block) -> None:
    """Put an exception before the one that was raised because of it and printed above it."""
    wrapper = [replace(cause, relation=Relation.WRAPPED) for cause in former.causes]
    former.causes[:] = [*inner.causes, *wrapper]
    former.end, former.dialect = inner.end, inner.dialect


def _is_summary_of(block: Block, former: Block) -> bool:
    """Say whether a block is a launcher's summary of the failure that it raised before."""
    if not former.causes or block.first - former.end > _MAX_RUNNER_GAP:
        return False
    return former.causes[-1].class_name in dialect_named(block.dialect).summarised


def _summarise(former: Block, summary: Block) -> None:
    """Put a launcher's summary into its failure; tracebacks in the summary stand beside it."""
    former.causes[-1] = replace(former.causes[-1], message=summary.evidence)
    former.rank, former.host = summary.rank, summary.host
    former.heading = Heading.FIRST_OBSERVED
    children = (summary, *summary.others)
    former.others = [block for block in children if block.weight > Weight.CONSEQUENCE]
    former.end = summary.resume or summary.end
