"""Stacks that faulthandler prints when the interpreter dies, most recent call first."""

from __future__ import annotations

import re

from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Frame, Relation
from dl_bug_lsp.tracebacks.frames import parse_frame
from dl_bug_lsp.tracebacks.stream import Block, Stream

TRIGGER = re.compile(
    r"^Fatal Python error: |^Timeout \(\d+:\d\d:\d\d|\(most recent call first\):\s*$"
)
_FATAL = re.compile(r"^Fatal Python error: (?P<message>.*)$|^(?P<timeout>Timeout \(.*\)!?)")
THREAD = re.compile(
    r"^(?P<current>Current )?[Tt]hread 0x[0-9a-fA-F]+(?: \[.*\])?.*\(most recent call first\):\s*$"
    r"|^Stack \(most recent call first\):"
)
_MAX_FRAMES = 1000


def read_faulthandler(stream: Stream, index: int) -> Block | None:
    """Read the message and every thread's stack; the crashing thread's frames are kept."""
    match = _FATAL.match(stream.text(index))
    message = (match["message"] or match["timeout"]).strip() if match else ""
    if not match and not THREAD.match(stream.text(index)):
        return None
    at = index + 1 if match else index
    stacks: list[tuple[bool, list[Frame]]] = []
    end = at
    while at < len(stream) and at - end < 4:
        thread = THREAD.match(stream.text(at))
        if thread is None:
            at += 1
            continue
        frames, at = read_stack(stream, at + 1)
        stacks.append((thread["current"] is not None, frames))
        end = at
    crashed = [stack for current, stack in stacks if current and stack]
    frames = crashed[0] if crashed else (stacks[-1][1] if stacks else [])
    if not match and not stacks:
        return None
    cause = Cause(
        "faulthandler",
        message or "stack dump",
        tuple(frames),
        Relation.ROOT,
        stream.span(index, end),
    )
    evidence = stream.text(index).strip()
    weight = 95 if match and match["message"] else 40
    return Block(
        [cause], index, end, "faulthandler", FailureKind.MESSAGE, evidence=evidence, weight=weight
    )


def read_stack(stream: Stream, index: int) -> tuple[list[Frame], int]:
    """Return the frames from ``index`` on, outermost first, and where they end."""
    frames: list[Frame] = []
    while index < len(stream) and len(frames) < _MAX_FRAMES:
        text = stream.text(index)
        frame = parse_frame(text)
        if frame is None:
            if text.strip() not in ("...", "<no Python frame>"):
                break
        else:
            frames.append(frame)
        index += 1
    frames.reverse()
    return frames, index
