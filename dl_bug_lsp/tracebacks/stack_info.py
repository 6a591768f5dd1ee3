"""Stacks that are no failures: logging's stack_info, and anomaly mode's forward stacks."""

from __future__ import annotations

import re

from dl_bug_lsp.tracebacks.cpython import read_stack
from dl_bug_lsp.tracebacks.failures import Cause, Frame, Relation
from dl_bug_lsp.tracebacks.stream import Block, Stream

STACK_INFO = re.compile(
    r"^\s*(?:Stack|Call stack) ?(?:\(most recent call last\))?:\s*$|^Call stack:\s*$"
    r"|Detected at node .*defined at \(most recent call last\):|^Object allocated at"
)
ANOMALY = re.compile(
    r"Traceback of forward call that (?:caused|induced) the (?:previous )?(?:error|calculation)"
)
_WARNING = "UserWarning"


def read_stack_info(stream: Stream, index: int) -> Block | None:
    """Pass over a stack that tells only where a record was logged."""
    frames, end = _stack(stream, index)
    return Block([], index, end, "stack_info", weight=0) if frames else None


def read_anomaly(stream: Stream, index: int) -> Block | None:
    """Read the stack of the forward operation whose gradient failed; the failure follows it."""
    frames, end = _stack(stream, index)
    if not frames:
        return None
    message = stream.text(index).rpartition("Warning: ")[2].strip()
    cause = Cause(_WARNING, message, frames, Relation.ROOT, stream.span(index, end))
    return Block([cause], index, end, "anomaly", weight=0, heading="anomaly")


def _stack(stream: Stream, index: int) -> tuple[tuple[Frame, ...], int]:
    def view(number: int) -> str | None:
        return stream.text(number) if 0 <= number < len(stream) else None

    frames, end = read_stack(view, index + 1)
    return tuple(frames), end
