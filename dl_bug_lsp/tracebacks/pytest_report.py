"""pytest's reports of failing tests: the long, short, line and native styles."""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.tracebacks.cpython import HEADER, read_cpython
from dl_bug_lsp.tracebacks.failures import Cause, Frame, Relation
from dl_bug_lsp.tracebacks.stream import Block, Dialect, Stream
from dl_bug_lsp.tracebacks.traceback_lines import (
    CHAINED,
    is_caret_line,
    parse_exception,
    read_source,
)

TRIGGER = re.compile(r"^={3,} (?:FAILURES|ERRORS) ={3,}$|^_{3,} \S.*? _{3,}$|^E {3,}(?!# {2})\S")
_SECTION = re.compile(r"^={3,} (?:FAILURES|ERRORS) ={3,}$")
_TEST = re.compile(r"^_{3,} (?P<name>\S.*?) _{3,}$")
_END = re.compile(r"^[=!]{3} ?\S.*[=!]{3}$|^(?:FAILED|ERROR) \S+\.py")
_SUMMARY = re.compile(r"^={3,} short test summary info ={3,}$")
_SUMMED = re.compile(r"^(?:FAILED|ERROR) \S+|^[=!]{3,} ")
_CAPTURED = re.compile(r"^-{3,} Captured \w+")
_SHORT = re.compile(r"^(?P<file>\S[^\n]*?):(?P<line>\d{1,8}): in (?P<function>\S.*)$")
_PLACE = re.compile(r"^(?P<file>\S[^\n]*?):(?P<line>\d{1,8}):(?: (?P<what>\S.*)?)?$")
_ERROR = re.compile(r"^E(?: {2,}(?P<text>.*)|\s*)$")
_CALL = re.compile(r"^> {2,}(?P<code>\S.*)$")
_DEF = re.compile(r"^ *(?:async )?def (?P<name>\w+)")
_ASSERTION = re.compile(r"^(?:assert\b|Failed:|DID NOT)")
_MAX_LINES = 20_000
_BACK = 400


def read_pytest(stream: Stream, index: int) -> Block | None:
    """Read the reports of all the tests from ``index`` on: one block each, linked by ``others``."""
    blocks: list[Block] = []
    at = index
    if not (_SECTION.match(stream.text(index)) or _TEST.match(stream.text(index))):
        return _entry(stream, _backed(stream, index), bare=True)
    while at < len(stream) and at - index < _MAX_LINES * 10:
        text = stream.text(at)
        if _SECTION.match(text):
            at += 1
        elif _TEST.match(text) or _PLACE.match(text) or _ERROR.match(text):
            block = _entry(stream, at)
            if block is not None:
                blocks.append(block)
            at = block.end if block is not None else at + 1
        elif _END.match(text):
            break
        else:
            at += 1
    if not blocks:
        return Block([], index, max(at, index + 1), "pytest", weight=0)
    blocks[0].others = blocks[1:]
    blocks[0].resume = _after_summary(stream, max(at, blocks[-1].end))
    return blocks[0]


PYTEST = Dialect(
    "pytest", TRIGGER, read_pytest, begins_at_entry=False, is_of_test=True, is_introduced=False,
    lists_failures=True,
)  # fmt: skip


def _after_summary(stream: Stream, index: int) -> int:
    """Return the index after pytest's short summary, which repeats what was read."""
    if not _SUMMARY.match(stream.text(index)):
        return index
    at = index + 1
    while at < len(stream) and at - index < _MAX_LINES and not _END.match(stream.text(at)):
        at += 1
    while at < len(stream) and _SUMMED.match(stream.text(at)):
        at += 1
    return at


def _backed(stream: Stream, index: int) -> int:
    """Return where a report begins that was pasted without its title."""
    start = index
    while start > 0 and index - start < _BACK:
        text = stream.text(start - 1)
        if text.strip() and not text[0].isspace() and not _PLACE.match(text):
            break
        start -= 1
    return start


class _Draft:
    """What is known so far of one exception of a test's chain."""

    def __init__(self, first: int, relation: Relation) -> None:
        self.first, self.relation = first, relation
        self.frames: list[Frame] = []
        self.errors: list[str] = []
        self.function: str | None = None
        self.source: list[str] = []
        self.short: list[str] = []
        self.type = ""
        self.line_style = ""


def _entry(stream: Stream, index: int, *, bare: bool = False) -> Block | None:
    """Read one test's report; a ``bare`` one, without a title, ends at the first foreign line."""
    causes: list[Cause] = []
    draft = _Draft(index, Relation.ROOT)
    titled = _TEST.match(stream.text(index))
    at = index + 1 if titled else index
    while at < len(stream) and at - index < _MAX_LINES:
        text = stream.text(at)
        if _TEST.match(text) or _END.match(text) or _CAPTURED.match(text):
            break
        if chained := CHAINED.match(text):
            causes.extend(_cause(draft, stream, at))
            during = chained["during"] is not None
            draft = _Draft(at + 1, Relation.DURING_HANDLING if during else Relation.DIRECT_CAUSE)
        elif HEADER.search(text):
            native = read_cpython(stream, at)
            if native is not None:
                causes.extend(
                    [replace(native.causes[0], relation=draft.relation), *native.causes[1:]]
                )
                at = native.end
                continue
        else:
            if bare and text.strip() and text[0] not in " >E_\t" and not _PLACE.match(text):
                break
            _read_line(draft, text)
            if draft.line_style and not titled:
                at += 1
                break
        at += 1
    causes.extend(_cause(draft, stream, at))
    while at < len(stream) and _CAPTURED.match(stream.text(at)):
        at = _after_captured(stream, at + 1)
    if not causes:
        return None
    return Block(causes, index, max(at, index + 1), "pytest", evidence=_headline(causes[-1]))


def _headline(cause: Cause) -> str:
    return f"{cause.type}: {cause.message}".split("\n", 1)[0]


def _after_captured(stream: Stream, index: int) -> int:
    """Return the index after captured output, whose failures were handled or are the same."""
    while index < len(stream):
        text = stream.text(index)
        if _TEST.match(text) or _END.match(text) or _CAPTURED.match(text):
            break
        index += 1
    return index


def _read_line(draft: _Draft, text: str) -> None:
    if error := _ERROR.match(text):
        draft.errors.append(error["text"] or "")
    elif call := _CALL.match(text):
        draft.source = [call["code"]]
        draft.short = []
    elif short := _SHORT.match(text):
        draft.frames.append(Frame(short["file"], int(short["line"]), short["function"].strip()))
        draft.short = []
        draft.source = []
    elif place := _PLACE.match(text):
        _read_place(draft, place)
    elif text.startswith("    ") and text.strip():
        _read_code(draft, text)
    elif draft.errors and text.startswith("      ") and not draft.frames:
        draft.errors.append(text.strip())


def _read_place(draft: _Draft, place: re.Match[str]) -> None:
    what = place["what"]
    if "/" not in place["file"] and "." not in place["file"]:
        return
    source, expression = read_source(draft.source)
    draft.frames.append(
        Frame(place["file"], int(place["line"]), draft.function, source, expression)
    )
    if what:
        parsed = parse_exception(what)
        draft.type = parsed[0] if parsed else ""
        draft.line_style = what if parsed is None or parsed[1] else ""
    draft.function, draft.source = None, []


def _read_code(draft: _Draft, text: str) -> None:
    definition = _DEF.match(text)
    if definition and not draft.source:
        draft.function = definition["name"]
    if draft.source and is_caret_line(text):
        if len(draft.source) == 1:
            draft.source = [" " * (len(text) - len(text.lstrip())) + draft.source[0], text]
            begin = 8
            draft.source[0] = " " * begin + draft.source[0].strip()
        return
    if not draft.source and draft.frames and draft.frames[-1].source is None and not definition:
        draft.short.append(text)
        source, expression = read_source(draft.short)
        draft.frames[-1] = replace(draft.frames[-1], source=source, expression=expression)
        return
    if draft.short and draft.frames and is_caret_line(text):
        source, expression = read_source([*draft.short, text])
        draft.frames[-1] = replace(draft.frames[-1], source=source, expression=expression)
        draft.short = []


def _cause(draft: _Draft, stream: Stream, end: int) -> list[Cause]:
    errors = draft.errors or ([draft.line_style] if draft.line_style else [])
    if not errors and not draft.type:
        return []
    indent = min((len(e) - len(e.lstrip()) for e in errors if e.strip()), default=0)
    body = [error[indent:].rstrip() for error in errors]
    parsed = parse_exception(body[0]) if body else None
    if parsed is not None and not _ASSERTION.match(body[0]):
        type_, message = parsed[0], "\n".join([parsed[1], *body[1:]])
    else:
        type_, message = draft.type or "AssertionError", "\n".join(body)
    if (
        draft.type
        and draft.type != type_
        and draft.type.rpartition(".")[2] != type_.rpartition(".")[2]
    ):
        type_, message = draft.type, "\n".join(body)
    frames = tuple(draft.frames)
    return [Cause(type_, message.strip(), frames, draft.relation, stream.span(draft.first, end))]
