"""The only place where lines and columns cross the protocol's edge.

Inside, lines are 1-based and columns count code points; the protocol's are 0-based, and its columns
count the code units of the encoding that was negotiated (LSP 3.17, `PositionEncodingKind`).
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types


def code_units(text: str, encoding: types.PositionEncodingKind | str) -> int:
    """Return the code units of ``text`` in ``encoding``; an unknown one counts as UTF-16."""
    if text.isascii() or encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def lines_range(
    first: int, last: int, lines: Sequence[str], encoding: types.PositionEncodingKind | str
) -> types.Range:
    """Return the range of the 1-based lines ``first`` to ``last``, without their indentation.

    Lines beyond ``lines`` give an empty range at their beginning.
    """
    start = _line(lines, first)
    end = _line(lines, max(first, last)).rstrip()
    indent = start[: len(start) - len(start.lstrip())] if start.strip() else ""
    return types.Range(
        start=types.Position(max(0, first - 1), code_units(indent, encoding)),
        end=types.Position(max(0, max(first, last) - 1), code_units(end, encoding)),
    )


def line_start(line: int) -> types.Range:
    """Return the empty range at the beginning of a 1-based line."""
    position = types.Position(max(0, line - 1), 0)
    return types.Range(start=position, end=position)


def _line(lines: Sequence[str], line: int) -> str:
    return lines[line - 1] if 1 <= line <= len(lines) else ""


def moved(place: types.Range, change: types.TextDocumentContentChangePartial) -> types.Range | None:
    """Return where a range of whole lines stands after an edit, None when the edit removed it."""
    edit = change.range
    added = change.text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    by = added - (edit.end.line - edit.start.line)
    if edit.start.line > place.end.line:
        return place
    if edit.end <= place.start:
        return _shifted(place, by, by)
    line_begin = types.Position(place.start.line, 0)
    is_removed = edit.start <= line_begin and edit.end > place.end and not change.text.strip()
    if is_removed:
        return None
    return _shifted(place, 0, max(by, place.start.line - place.end.line))


def _shifted(place: types.Range, start_by: int, end_by: int) -> types.Range:
    return types.Range(
        start=types.Position(place.start.line + start_by, place.start.character),
        end=types.Position(place.end.line + end_by, place.end.character),
    )
