"""Tracebacks that rich draws into boxes, with their wrapped paths and their panels of locals."""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.tracebacks.failures import Cause, Frame, Relation
from dl_bug_lsp.tracebacks.stream import Block, Dialect, Stream, cut_off
from dl_bug_lsp.tracebacks.traceback_lines import is_foreign, parse_exception

TRIGGER = re.compile(r"^\s*[╭┌+][─-]{1,300} Traceback \(most recent call last\) [─-]{1,300}")
_BOTTOM = re.compile(r"^\s*[╰└+][─-]{4,}")
TAIL = re.compile(r"^\s*[╰└]─{20,300}[╯┘]\s*$")
"""The bottom of a box, met alone where its top was not pasted."""
_CODE_ROW = re.compile(r"^\s*[│┃] +(?:❱ +)?\d{1,8}(?: |$)")
_SIDE = "│|┃"
_PLACE = re.compile(r"^(?P<file>\S.*?):(?P<line>\d{1,8})(?: in (?P<function>\S.*))?$")
_CODE = re.compile(r"^(?P<arrow>❱|>|\\u2771|\?)?\s*(?P<line>\d{1,8})(?:\s|$)(?P<code>.*)$")
_PANEL = re.compile(r"^[╭┌+][─-]+(?: ?locals ?[─-]*| {1,2}[─-]*)?[╮┐+]?$")
_PANEL_END = re.compile(r"^[╰└+][─-]+")
_GUIDES = re.compile(r"[│┃]   ")
_HIDDEN = re.compile(r"^\.\.\. \d+ frames hidden \.\.\.$")
_MAX_BOX = 20_000


def read_rich(stream: Stream, index: int) -> Block | None:
    """Read one box and the exception below it; chained boxes are joined by the reader."""
    top = stream.text(index)
    left = len(top) - len(top.lstrip())
    rows, end = _rows(stream, index + 1, left)
    frames = _frames(rows, len(top.rstrip()) - left - 4)
    block = _block(stream, (index, end), frames, max(len(top.rstrip()), 40))
    if block is None and frames:
        return cut_off(stream, (index, end), "rich", frames, headed=True)
    return block


def read_tail(stream: Stream, index: int) -> Block | None:
    """Read the exception below a box of which only the last rows were pasted."""
    first = index
    while (
        first > 0 and index - first < _MAX_BOX and stream.text(first - 1).lstrip()[:1] in {*_SIDE}
    ):
        first -= 1
    if not any(_CODE_ROW.match(stream.text(at)) for at in range(first, index)):
        return None
    bottom = stream.text(index).rstrip()
    left = len(bottom) - len(bottom.lstrip())
    rows, _ = _rows(stream, first, left)
    frames = _frames(rows, len(bottom) - left - 4)
    return _block(stream, (first, index + 1), frames, len(bottom))


RICH = Dialect("rich", TRIGGER, read_rich, begins_at_entry=False)
RICH_TAIL = replace(RICH, name="rich_tail", trigger=TAIL, read=read_tail)
"""Its blocks go by the name of `RICH`."""


def _block(stream: Stream, lines: tuple[int, int], frames: list[Frame], width: int) -> Block | None:
    """Return a box with the exception below it; None where there is none.

    ``lines`` are the indices of the box's first line and of the line after its bottom, ``width``
    the column at which messages are wrapped.
    """
    first, end = lines
    head = stream.text(end).strip()
    parsed = parse_exception(head)
    if parsed is None:
        return None
    type_, message = parsed
    last, more = _message(stream, end, message)
    text = _unwrapped([head, *more], width)[len(head) - len(message) :]
    cause = Cause(type_, text, tuple(frames), Relation.ROOT, stream.span(first, last))
    return Block([cause], first, last, "rich", evidence=head)


def _rows(stream: Stream, index: int, left: int) -> tuple[list[str], int]:
    """Return the box's rows without its sides, and the index after its bottom."""
    rows: list[str] = []
    strays = 0
    while index < len(stream) and len(rows) < _MAX_BOX:
        text = stream.text(index)[left:]
        if _BOTTOM.match(text):
            return rows, index + 1
        if not text or text[0] not in _SIDE:
            # A narrower terminal broke the row: what ran over belongs to the one above.
            strays += 1
            if not rows or strays > 2 or not text.strip() or TRIGGER.match(text):
                break
            if parse_exception(text.strip()):
                break
            index += 1
            continue
        strays = 0
        row = text[1:].rstrip()
        rows.append(row[:-1].rstrip() if row and row[-1] in _SIDE else row)
        index += 1
    return rows, index


def _frames(rows: list[str], width: int) -> list[Frame]:
    frames: list[Frame] = []
    place: list[str] = []
    index = 0
    while index < len(rows):
        row = rows[index].removeprefix(" ")
        index += 1
        if _PANEL.match(row.strip()):
            index = _after_panel(rows, index)
            continue
        if not row.strip():
            place = []
            continue
        code = _CODE.match(row.strip()) if frames else None
        if code and not place:
            if code["arrow"] is not None:
                frames[-1] = _with_source(frames[-1], code)
            continue
        if _HIDDEN.match(row.strip()):
            continue
        place.append(row.rstrip())
        match = _PLACE.match(_folded(place, width))
        if match and (match["function"] or index >= len(rows) or not rows[index].strip()):
            frames.append(Frame(match["file"], int(match["line"]), match["function"]))
            place = []
        elif len(place) > 12:
            place = []
    return frames


def _after_panel(rows: list[str], index: int) -> int:
    """Return the index after a panel of locals (its rows begin with a side of their own)."""
    while index < len(rows):
        if _PANEL_END.match(rows[index].strip()):
            return index + 1
        index += 1
    return index


def _with_source(frame: Frame, code: re.Match[str]) -> Frame:
    source = _GUIDES.sub("    ", code["code"]).strip()
    if frame.source is not None or int(code["line"]) != frame.line:
        return frame
    return Frame(frame.file, frame.line, frame.function, source or None)


def _folded(parts: list[str], width: int) -> str:
    """Join a place that is folded at the box's width; a cut at a space loses that space."""
    text = parts[0]
    for part in parts[1:]:
        full = len(text.rpartition("\n")[2]) % max(width, 1) == 0 or not re.search(
            r":\d+(?: in)?$", text
        )
        text += part if full else f" {part}"
    return text


def _message(stream: Stream, index: int, message: str) -> tuple[int, list[str]]:
    lines: list[str] = []
    at = index + 1
    while at < len(stream) and len(lines) < 200:
        text = stream.text(at)
        if not text.strip() or is_foreign(text) or TRIGGER.match(text):
            break
        lines.append(text)
        at += 1
    del message
    return at, lines


def _unwrapped(lines: list[str], width: int) -> str:
    """Undo the wrapping at the console's width: a word that would have fitted began a new line."""
    text = lines[0]
    before = lines[0]
    for line in lines[1:]:
        word = line.split(" ", 1)[0]
        wrapped = len(before.rstrip()) + 1 + len(word) > width and len(before) <= width + 1
        text = f"{text.rstrip()} {line}" if wrapped else f"{text}\n{line}"
        before = line
    return text
