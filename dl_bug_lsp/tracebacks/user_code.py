"""Stacks that frameworks print inside a message: AutoGraph, Keras, graph nodes, torch.compile."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dl_bug_lsp.tracebacks.failures import Frame
from dl_bug_lsp.tracebacks.traceback_lines import (
    FRAME,
    is_library_path,
    parse_exception,
    parse_frame,
    read_source,
)

_OPENING = re.compile(
    r"^\s*(?:in user code:|from user code:)\s*$"
    r"|^\s*(?:\(\d+\) )?(?:[\w.]+: )?Detected at node .{0,4000}"
    r"defined at \(most recent call last\):"
)
_FOOTER = re.compile(r"^-{20}$|^For simplicity, JAX has removed its internal frames")


@dataclass(frozen=True, slots=True)
class Embedded:
    """A message without the stack that stood in it; ``type`` is the inner exception's, if any."""

    message: str
    frames: tuple[Frame, ...]
    type: str | None = None


def extract(lines: list[str]) -> Embedded:
    """Take the framework's user frames out of a message's lines (the first without its type)."""
    message_lines: list[str] = []
    frames: list[Frame] = []
    inner_type: str | None = None
    index = 0
    while index < len(lines):
        text = lines[index]
        opening = bool(_OPENING.match(text)) or text.strip() == "in user code:"
        if opening or FRAME.match(text):
            start = index + 1 if opening else index
            user = True if "from user code" in text else None
            user_frames, index = _read_frames(lines, start, user)
            frames.extend(user_frames)
            if opening and not text.strip().startswith(("in user", "from user")):
                message_lines.append(text.strip())
            elif opening and "in user code" in text:
                inner_type, index = _inner_exception(lines, index, message_lines, inner_type)
            continue
        message_lines.append(text)
        index += 1
    message = (
        _joined(message_lines)
        if frames
        else "\n".join(text.rstrip() for text in message_lines).strip()
    )
    return Embedded(message, tuple(frames), inner_type)


def _inner_exception(
    lines: list[str], index: int, message_lines: list[str], known: str | None
) -> tuple[str | None, int]:
    """Read the exception below AutoGraph's frames; its message goes on as the outer one's."""
    while index < len(lines) and not lines[index].strip():
        index += 1
    if index >= len(lines):
        return known, index
    text = lines[index]
    parsed = parse_exception(text.strip())
    if parsed is None:
        return known, index
    lines[index] = text[: len(text) - len(text.lstrip())] + parsed[1]
    if parsed[1].strip() == "in user code:":
        return parsed[0], index
    message_lines.append(parsed[1])
    return parsed[0], index + 1


def _read_frames(lines: list[str], index: int, user: bool | None) -> tuple[list[Frame], int]:
    frames: list[Frame] = []
    while index < len(lines):
        if not lines[index].strip():
            index += 1
            continue
        frame = parse_frame(lines[index])
        if frame is None:
            break
        indent = _indent(lines[index])
        end = index + 1
        while end < len(lines) and lines[end].strip() and _indent(lines[end]) > indent:
            if FRAME.match(lines[end]):
                break
            end += 1
        source, expression = read_source(lines[index + 1 : end])
        marked = user if frame.marked_user is None else frame.marked_user
        if marked is True and is_library_path(frame.file):
            marked = False
        frames.append(replace(frame, source=source, expression=expression, marked_user=marked))
        index = end
    return frames, index


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _joined(message_lines: list[str]) -> str:
    """Join a message's lines: common indentation out, no blank lines doubled or at the ends."""
    body = [text for text in message_lines[1:] if text.strip()]
    indent = min((_indent(text) for text in body), default=0) if len(message_lines) > 1 else 0
    out: list[str] = []
    for number, text in enumerate(message_lines):
        shown = text.rstrip() if number == 0 else text[indent:].rstrip()
        if shown or (out and out[-1]):
            out.append(shown)
    return "\n".join(out).strip()


def split_footer(lines: list[str]) -> tuple[list[str], list[str]]:
    """Split JAX's footer, a note on every filtered exception, from a message's lines."""
    for index, text in enumerate(lines):
        if index and _FOOTER.match(text):
            note = [line for line in lines[index:] if not line.startswith("-----")]
            return lines[:index], note
    return lines, []


def joined_stacks(stack: tuple[Frame, ...], embedded: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Append an embedded stack to the outer one, without the beginning that both share."""
    shared = 0
    while shared < min(len(stack), len(embedded)) and (stack[shared].file, stack[shared].line) == (
        embedded[shared].file,
        embedded[shared].line,
    ):
        shared += 1
    return (*stack, *embedded[shared:])
