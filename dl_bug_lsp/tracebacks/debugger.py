"""What VS Code's debugger shows where it stops: class, message, then the stack, innermost first."""

from __future__ import annotations

import re

from dl_bug_lsp.tracebacks.cpython import read_stack
from dl_bug_lsp.tracebacks.exception_text import parse_exception
from dl_bug_lsp.tracebacks.failures import Cause, Frame, Relation
from dl_bug_lsp.tracebacks.frames import FRAME
from dl_bug_lsp.tracebacks.stream import Block, Stream

TRIGGER = re.compile(
    r"(?:Exception has occurred|发生异常|例外が発生しました|예외가 발생했습니다"
    r"|Ausnahme aufgetreten|Une exception s'est produite|Se ha producido una excepción"
    r"|Произошло исключение)"
    "(?:: |\uff1a ?)(?P<type>[A-Za-z_][\\w.]{0,200})\\b"
)
_LONGEST = 60


def read_debugger(stream: Stream, index: int) -> Block | None:
    """Read the exception's class and message, and its stack in the order of the calls."""
    trigger = TRIGGER.search(stream.text(index))
    if trigger is None:
        return None
    lines: list[str] = []
    at = index + 1
    while at < len(stream) and at - index <= _LONGEST and not FRAME.match(stream.text(at)):
        if not stream.text(at).strip() and lines:
            break
        lines.append(stream.text(at).rstrip())
        at += 1
    frames, end = read_stack(lambda n: stream.text(n) if n < len(stream) else None, at)
    if not frames and not any(line.strip() for line in lines):
        return None
    closing = parse_exception(stream.text(end)) if end < len(stream) else None
    if closing and closing[0].rpartition(".")[2] == trigger["type"].rpartition(".")[2]:
        end += 1
    cause = Cause(
        trigger["type"], "\n".join(lines).strip(), tuple(_in_order(frames)), Relation.ROOT,
        stream.span(index, end),
    )  # fmt: skip
    head = next((line.strip() for line in lines if line.strip()), "")
    return Block([cause], index, end, "debugger", evidence=f"{trigger['type']}: {head}")


def _in_order(frames: list[Frame]) -> list[Frame]:
    """Return the frames outermost first, as the module's own frame tells."""
    if len(frames) > 1 and frames[0].function == "<module>":
        return frames
    return frames[::-1]
