"""Tracebacks of IPython and notebooks, and what VS Code's debugger shows where it stops.

IPython has old and new names of cells and arrows at the lines. The debugger shows class, message,
then the stack, innermost first.
"""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.tracebacks.cpython import read_cpython, read_stack
from dl_bug_lsp.tracebacks.failures import SYNTAX_ERRORS, Cause, Frame, Relation
from dl_bug_lsp.tracebacks.stream import Block, Dialect, Stream, cut_off
from dl_bug_lsp.tracebacks.traceback_lines import (
    FRAME,
    extract,
    joined_stacks,
    message_end,
    parse_exception,
    parse_pasted,
    read_source,
    split_footer,
    without_marks,
)

_BEFORE = r"(?P<margin>[\s>]{0,60})(?:<[A-Za-z][\w-]{0,30}>|[-*`]{1,3} ?)?"
_CLASS = (
    r"(?:[\w.]{1,200}\s{1,200}"
    r"|[\w.]{1,100}(?:Error|Exception|Interrupt|Warning|Exit|NotMet|Failed))"
)
_IN_EDITOR = r"\.ipynb [^\W\d]{1,20} \d{1,8}"
"""How VS Code ends a cell's name: "Cell" in its own language, and the place in the file."""
_CELL_LINE = r"<cell line: \d{1,8}>"
TRIGGER = re.compile(
    rf"^{_BEFORE}{_CLASS}Traceback \(most recent call last\)\s*$"
    r"|^[\s>]*(?:Cell In ?\[\d+\], line \d+|Input In \[\d+\](?:,? in |\s*$))"
    r"|^(?:\[/[^\]\s]{1,400}\.py\]\(https?://[^)\s]{1,200}\)|(?:/|~/|[A-Za-z]:\\)\S{1,400}\.py)"
    rf" in (?:[\w<>.]{{1,200}}|{_CELL_LINE})\(.*\)\s*$"
    rf"|^.{{1,400}}{_IN_EDITOR}'?(?: line \d{{1,8}}| in .{{1,400}})\s*$"
)
"""A header, a cell's place, or a library's place below which the rest was pasted."""
_HEADER = re.compile(rf"^{_BEFORE}(?P<type>{_CLASS})Traceback \(most recent call last\)\s*$")
_PLACE_AHEAD = 3
_LATER_CALL = re.compile(r"^\s{1,8}in (?P<function>[\w<>.]+\(.*|<module>.*)$")
_CELL = re.compile(
    r"^(?:Cell|Input) (?P<cell>In ?\[\d+\])(?:, line (?P<line>\d{1,8}))?(?:,? in "
    r"(?P<function>.+?))?:?$"
)
_CALLED = rf"(?P<function>(?:(?:init )?[\w<>.]{{1,200}}|\?) ?\(.*|(?:<module>|{_CELL_LINE}).*)"
"""What a frame's line says of its function; Cython's modules name their C file in brackets."""
_OLD_CELL = re.compile(r"^(?P<file><[^<>]{1,400}>) in (?P<function>.+)$")
_FILE = re.compile(
    r"^File (?P<file>.+?)(?::|(?<=>), line )(?P<line>\d{1,8})(?:, in (?P<function>.+))?$"
)
_OLD_FILE = re.compile(
    r"^(?P<file>(?:~|/|[A-Za-z]:\\|\.{1,2}/)\S.*?|[\w./\\-]+\.(?:py[cx]?|px[di]|ipynb)) in "
    rf"{_CALLED}$"
)
_EDITOR_CELL = re.compile(
    rf"^(?P<file>.+?{_IN_EDITOR})'?(?:,? line (?P<line>\d{{1,8}}))?"
    rf"(?:,? in {_CALLED})?$"
)
_INEXACT = re.compile(rf"<cell line: |{_IN_EDITOR} line ")
"""Headers whose line is not that of the arrow: a statement's first, or its number's first digit.

VS Code cuts ``line 44`` to ``line 4`` where it puts the notebook's name into IPython's header.
"""
_EDITOR_LINK = re.compile(r"<a href='(?:vscode-[a-z-]+|file):[^']*'>(\d{1,8})</a>")
_LINKED = re.compile(r"^\[(?P<file>[^\]]+)\]\(https?://[^)]*\) in (?P<function>.+)$")
_ARROW = re.compile(r"^\s*(?:-+> ?|> ?(?=\d{5}))(?P<line>\d{1,8})(?: (?P<code>.*))?$")
"""The line that failed. Of a number of five digits nothing but the head is left of the arrow."""
_NUMBERED = re.compile(r"^\s*(?P<line>\d{1,8})(?: (?P<code>.*))?$")
_SKIPPED = re.compile(
    r"^\s*\[?\.\.\. .*(?:skipping|frames?)|^\s*\.{3,4} \d+ frames|^\d+ frames$|^\(\.\.\.\)$"
)
_CALL = re.compile(r"\(.*$", re.DOTALL)
_SYNTAX = frozenset((*SYNTAX_ERRORS, "_IncompleteInputError"))
_MAX_LINES = 5000


def read_ipython(stream: Stream, index: int) -> Block | None:
    """Read one traceback of a notebook; chained ones are joined by the reader."""
    header = _HEADER.match(stream.text(index))
    at = index + 1 if header else index
    own = header["margin"] if header else ""
    indents = header is None or header["type"].strip() in _SYNTAX
    margin = len(own) if indents else _margin(stream, at, own)

    def view(number: int) -> str | None:
        if not 0 <= number < len(stream):
            return None
        return _EDITOR_LINK.sub(r"\1", stream.text(number)[margin:])

    named = header["type"].strip() if header else None
    frames, at = _frames(view, at, named)
    head = (view(at) or "").strip() if named else view(at) or ""
    parsed = parse_pasted(head, trusted=bool(frames))
    if parsed is None and named and head.startswith(f"{named}: "):
        # Modules written in C name their class in lower case, as the header does.
        parsed = named, head[len(named) + 2 :]
    if parsed is None:
        headed = header is not None
        if not frames:
            return None
        block = cut_off(stream, (index, at), "ipython", frames, headed=headed)
        if header is not None:
            # The header names the class, whatever is lost below the stack.
            block.causes[0] = replace(block.causes[0], type=header["type"].strip())
        return block
    type_, message = parsed
    if not header and not frames:
        return None
    nested = read_cpython(stream, at + 1) if "Original Traceback" in (view(at + 1) or "") else None
    end = nested.first if nested else message_end(view, at, message)
    lines = without_marks(head, [message, *((view(n) or "") for n in range(at + 1, end))])
    lines, notes = split_footer(lines)
    embedded = extract(lines)
    cause = Cause(
        embedded.type or type_, embedded.message, joined_stacks(tuple(frames), embedded.frames),
        Relation.WRAPPED if nested else Relation.ROOT,
        stream.span(index, nested.end if nested else end), tuple(notes),
    )  # fmt: skip
    causes = [*nested.causes, cause] if nested else [cause]
    last = nested.end if nested else end
    return Block(causes, index, last, "ipython", evidence=head.strip())


IPYTHON = Dialect(
    "ipython", TRIGGER, read_ipython, begins_at_entry=False, names_class_first=True,
    runners=frozenset(("CellExecutionError", "PapermillExecutionError")),
)  # fmt: skip


def _margin(stream: Stream, index: int, own: str) -> int:
    """Return how far the lines below a header are indented: as its first place is."""
    for at in range(index, min(index + _PLACE_AHEAD, len(stream))):
        text = stream.text(at)
        bare = text.lstrip(" \t>")
        if bare and parse_place(bare) is not None:
            return len(text) - len(bare)
    return len(own)


def _frames(view: object, index: int, named: str | None) -> tuple[list[Frame], int]:
    """Read places and their excerpts up to the line that names the exception.

    Of indented lines only one that begins with ``named``, the header's class, is that line.
    """
    assert callable(view)
    frames: list[Frame] = []
    first = index
    is_exact = True
    while index - first < _MAX_LINES and (text := view(index)) is not None:
        if named and frames and text.lstrip().startswith(f"{named}: "):
            break
        place = parse_place(text)
        if place is None and (later := _LATER_CALL.match(view(index + 1) or "")):
            place = parse_place(f"{text.rstrip()} in {later['function']}")
            index += place is not None
        if place is not None:
            frames.append(place)
            is_exact = _INEXACT.search(text) is None
        elif arrow := _ARROW.match(text):
            if frames:
                before = frames[-1] if is_exact else replace(frames[-1], line=0)
                frames[-1], is_exact = _at_arrow(before, arrow), True
        elif len(frames) == 1 and index == first + 1 and _is_bare(text, view(index + 1) or ""):
            source, expression = read_source([text, view(index + 1) or ""])
            frames[0] = replace(frames[0], source=source, expression=expression)
        elif numbered := _NUMBERED.match(text):
            if frames and (numbered["code"] or "").strip():
                frames[-1] = _with_line(frames[-1], int(numbered["line"]), numbered["code"])
        elif not (
            not text.strip()
            or _SKIPPED.match(text)
            or text[0].isspace()
            or set(text.strip()) == {"-"}
        ):
            break
        index += 1
    return frames, index


def _is_bare(text: str, below: str) -> bool:
    """Say whether a line is source without its number: of an excerpt only above carets."""
    is_marked = bool(below.strip()) and set(below.strip()) <= {"^", "~"}
    return text.startswith("    ") and (is_marked or _NUMBERED.match(text) is None)


def _at_arrow(frame: Frame, arrow: re.Match[str]) -> Frame:
    source = (arrow["code"] or "").strip() or None
    if frame.source is not None:
        return frame
    line = frame.line or int(arrow["line"])
    return replace(frame, line=line, source=source if line == int(arrow["line"]) else None)


MOST_AROUND = 10
"""Lines around a frame's own that are kept; IPython prints two to five on each side."""


def _with_line(frame: Frame, line: int, code: str) -> Frame:
    return replace(frame, excerpt=(*frame.excerpt, (line, code.strip()))[:MOST_AROUND])


def parse_place(text: str) -> Frame | None:
    """Read the line that says where a frame stands, in any of IPython's and Colab's forms."""
    text = text.rstrip()
    if not text or (
        text[0].isspace() and not text.lstrip().startswith(("Cell ", "Input ", "File "))
    ):
        return None
    text = text.strip()
    if (match := FRAME.match(text)) is not None:
        return Frame(match["file"], int(match["line"]), match["function"])
    if match := _CELL.match(text):
        name = "Cell " + match["cell"].replace("In [", "In[")
        return Frame(
            name, int(match["line"] or _line_of(match["function"]) or 0), _name(match["function"])
        )
    if match := _FILE.match(text):
        return Frame(match["file"], int(match["line"]), _name(match["function"]))
    match = _EDITOR_CELL.match(text)
    if match and (match["line"] or match["function"]):
        line = int(match["line"] or _line_of(match["function"]) or 0)
        return Frame(match["file"], line, _name(match["function"]))
    match = _OLD_CELL.match(text) or _LINKED.match(text) or _OLD_FILE.match(text)
    if match:
        return Frame(match["file"], 0, _name(match["function"]))
    return None


def _line_of(function: str | None) -> str | None:
    """`Input In [3], in <cell line: 5>()` names the first line of the cell's statement.

    The line that failed is that of the arrow, which may stand further down in a loop.
    """
    match = re.search(r"<cell line: (\d{1,8})>", function or "")
    return match[1] if match else None


def _name(function: str | None) -> str | None:
    if function is None:
        return None
    name = _CALL.sub("", function).strip()
    return "<module>" if name.startswith(("<cell line", "<module")) else name or None


# ---------------------------------------------------------------------- debugger
STOPPED = re.compile(
    r"(?:Exception has occurred|发生异常|例外が発生しました|예외가 발생했습니다"
    r"|Ausnahme aufgetreten|Une exception s'est produite|Se ha producido una excepción"
    r"|Произошло исключение)"
    "(?:: |\uff1a ?)(?P<type>[A-Za-z_][\\w.]{0,200})\\b"
)
_LONGEST_STOP = 60


def read_debugger(stream: Stream, index: int) -> Block | None:
    """Read the exception's class and message, and its stack in the order of the calls."""
    trigger = STOPPED.search(stream.text(index))
    if trigger is None:
        return None
    lines: list[str] = []
    at = index + 1
    while at < len(stream) and at - index <= _LONGEST_STOP and not FRAME.match(stream.text(at)):
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


DEBUGGER = Dialect("debugger", STOPPED, read_debugger)


def _in_order(frames: list[Frame]) -> list[Frame]:
    """Return the frames outermost first, as the module's own frame tells."""
    if len(frames) > 1 and frames[0].function == "<module>":
        return frames
    return frames[::-1]
