"""Tracebacks as the interpreter prints them (3.8 to 3.14), and those nested in their messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from dl_bug_lsp.tracebacks.exception_text import message_end, parse_exception
from dl_bug_lsp.tracebacks.frames import (
    FRAME,
    REPEATED,
    is_caret_line,
    parse_frame,
    read_source,
)
from dl_bug_lsp.tracebacks.stream import Block, Stream, cut_off
from dl_bug_lsp.tracebacks.user_code import extract, joined_stacks, split_footer
from dl_bug_lsp.tracebacks.values import Cause, Frame, Relation

HEADER = re.compile(r"(?P<kind>(?:Original |Remote )?)Traceback \(most recent call last\):\s*$")
TRIGGER = re.compile(r'Traceback \(most recent call last\):\s*$|^\s{0,12}>?\s*File ".+?", line \d')
_MARGIN = re.compile(r"^[\s>#*|]*")
_SPAWNED = re.compile(r"^-- Process (?P<rank>\d+) terminated with the following error:\s*$")
_RULE = re.compile(r"^-{10,}$")
_QUOTE = re.compile(r"^(?:\"\"\"|''')\s*$")
_MAX_SOURCE = 60
_MAX_FLUSH = 4
_MAX_DEPTH = 8

View = Callable[[int], "str | None"]


def read_cpython(stream: Stream, index: int) -> Block | None:
    """Read the traceback (or the headless frames) that begins at ``index``."""
    return _read(stream, index, 0)


def _view(stream: Stream, margin: str) -> View:
    bare = margin.rstrip()

    def view(index: int) -> str | None:
        if not 0 <= index < len(stream):
            return None
        text = stream.text(index)
        if not margin:
            return text
        if text.startswith(margin):
            return text[len(margin) :]
        if text.strip() in ("", bare.strip()):
            return ""
        return None

    return view


def _read(stream: Stream, index: int, depth: int) -> Block | None:
    text = stream.text(index)
    header = HEADER.search(text)
    start = index
    if header:
        before = text[: header.start()]
        margin = before if _MARGIN.fullmatch(before) else ""
        start = index + 1
    else:
        frame = FRAME.match(text)
        if not frame:
            return None
        margin = frame["indent"][2:] if not frame["mark"] else ""
    view = _view(stream, margin)
    frames, end = read_stack(view, start)
    if not frames and not header:
        return None
    return _finish(stream, view, index, frames, end, depth)


def read_stack(view: View, index: int) -> tuple[list[Frame], int]:
    """Read frames with their sources from ``index`` on; return them and where they end."""
    frames: list[Frame] = []
    opening = view(index)
    spaced = opening is not None and not opening.strip()
    while True:
        text = view(index)
        if text is None:
            break
        if not text.strip():
            ahead = index + 1
            while view(ahead) is not None and not (view(ahead) or "").strip() and ahead < index + 3:
                ahead += 1
            following = view(ahead) or ""
            if FRAME.match(following) or (spaced and parse_exception(following)):
                index = ahead
                continue
            break
        frame = parse_frame(text)
        if frame is None:
            if REPEATED.match(text):
                index += 1
                continue
            break
        indent = len(text) - len(text.lstrip("> "))
        end = index + 1
        while end - index < _MAX_SOURCE and _is_source(view(end), indent):
            end += 1
        below = [view(at) or "" for at in range(index + 1, end)]
        if end == index + 1:
            end = _flush_source(view, end)
            source, expression = (view(index + 1), None) if end > index + 1 else (None, None)
        else:
            source, expression = read_source(below)
        frames.append(replace(frame, source=source, expression=expression))
        index = end
    return frames, index


def _is_source(text: str | None, indent: int) -> bool:
    if text is None or not text.strip() or REPEATED.match(text) or FRAME.match(text):
        return False
    if text[0].isspace() and is_caret_line(text):
        return True
    return len(text) - len(text.lstrip()) > min(indent, 2)


def _flush_source(view: View, index: int) -> int:
    """Return the end of a source that lost its indentation, as chats and web pages strip it.

    It is believed only where the next frame or the exception follows; carets no longer say what
    they underline.
    """
    text = view(index)
    if not text or text[0].isspace() or FRAME.match(text) or parse_exception(text):
        return index
    end = index + 1
    while end - index < _MAX_FLUSH and is_caret_line(view(end) or ""):
        end += 1
    below = view(end) or ""
    return end if FRAME.match(below) or parse_exception(below) else index


def _finish(
    stream: Stream, view: View, first: int, frames: list[Frame], index: int, depth: int
) -> Block | None:
    """Read the exception below a stack, what its message embeds, and what it wraps."""
    head = view(index)
    parsed = parse_exception(head) if head is not None else None
    if parsed is None:
        if not frames:
            return None
        headed = not FRAME.match(stream.text(first))
        return cut_off(stream, (first, index), "cpython", frames, headed=headed)
    type_, message = parsed
    nested = _nested(stream, view, index, type_, message, depth)
    end = nested.first if nested else message_end(view, index, message)
    lines = [message, *((view(at) or "") for at in range(index + 1, end))]
    if nested:
        lines = [text for text in lines if not _SPAWNED.match(text)]
    lines, notes = split_footer(lines)
    embedded = extract(lines)
    stack = joined_stacks(tuple(frames), embedded.frames)
    last = nested.end if nested else end
    cause = Cause(
        embedded.type or type_, embedded.message, stack, Relation.ROOT,
        stream.span(first, last), tuple(notes),
    )  # fmt: skip
    evidence = (head or "").strip()
    if nested is None:
        return Block([cause], first, end, "cpython", evidence=evidence)
    causes = [*nested.causes, replace(cause, relation=Relation.WRAPPED)]
    return Block(
        causes, first, nested.end, "cpython", evidence=nested.evidence or evidence,
        rank=nested.rank, problems=nested.problems,
    )  # fmt: skip


def _nested(
    stream: Stream, view: View, index: int, type_: str, message: str, depth: int
) -> Block | None:
    """Read the traceback of another process or worker that stands in an exception's message."""
    if depth >= _MAX_DEPTH:
        return None
    at = index + 1
    rank: int | None = None
    while at < index + 4 and (text := view(at)) is not None:
        if spawned := _SPAWNED.match(text):
            rank = int(spawned["rank"])
        elif text.strip() and not _QUOTE.match(text) and not _RULE.match(text):
            break
        at += 1
    text = view(at) or ""
    header = HEADER.search(text)
    quoted = message.rstrip().endswith("trace:")
    adjacent = at == index + 1 or rank is not None or "RemoteTraceback" in type_ or quoted
    told = header and (header["kind"] or not message or rank is not None or quoted)
    if (told and adjacent) or (
        at == index + 1 and FRAME.match(text) and type_.rpartition(".")[2].startswith("Ray")
    ):
        block = _read(stream, at, depth + 1)
    else:
        return None
    if block is not None:
        block.rank = rank
    return block
