"""The lines of text that a program writes to a file, with what made each of them.

They are a list of texts, one for each line, in which a line that is not known may be known by what
it was made of (`MadeText`). It is an outline where a loop wrote more lines than were followed, and
unknown where it is not known how many lines there are, or what one of them is made of.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence

from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.operators import MAX_ITEMS, PLAIN
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    JsonText,
    Lazy,
    MadeText,
    NumberText,
    Origin,
    RowText,
    Value,
    merged,
    with_places,
)


def split_lines(text: str) -> list[str]:
    """Return the lines of a text with their ends."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def forget(lines: Value, *parts: Value) -> None:
    """Let nothing be known of the lines of a file any longer, but what may have made them."""
    lines.origins = merged(lines, *parts)
    lines.data = UNKNOWN


def add_text(lines: Value, text: Value, place: Origin) -> None:
    """Write a text behind the lines of a file."""
    if not lines.known:
        lines.origins = merged(lines, text)
        return
    if not text.origins:
        text = with_places(text, frozenset({place}))
    if isinstance(text, MadeText) and not isinstance(text, NumberText):
        last = _last(lines)
        if last is not None and not isinstance(last, MadeText) and not _is_ended(last):
            forget(lines, text)
        else:
            _append(lines, text)
        return
    if not isinstance(text.data, str):
        forget(lines, text)
        return
    for piece in split_lines(text.data):
        _add_piece(lines, Value(piece, text.origins))


def _add_piece(lines: Value, piece: Value) -> None:
    """Write a part of one line, with its end where it has one."""
    last = _last(lines)
    if isinstance(last, MadeText):
        # What ends a line that is known by what it was made of is not kept.
        if not str(piece.data).isspace():
            _append(lines, piece)
    elif last is None or _is_ended(last):
        _append(lines, piece)
    elif isinstance(lines.data, list) and isinstance(last.data, str):
        lines.data[-1] = Value(f"{last.data}{piece.data}", merged(last, piece))
    else:
        forget(lines, piece)


def _last(lines: Value) -> Value | None:
    data = lines.data
    if isinstance(data, Lazy):
        return data.parts[-1] if data.parts else data.item
    return data[-1] if isinstance(data, list) and data else None


def _is_ended(line: Value) -> bool:
    return not isinstance(line.data, str) or line.data.endswith("\n")


def _append(lines: Value, line: Value) -> None:
    data = lines.data
    if isinstance(data, Lazy):
        lines.data = operators.put_into(data, line)
    elif isinstance(data, list) and len(data) < MAX_ITEMS:
        data.append(line)
    else:
        forget(lines, line)


def add_rows(lines: Value, rows: Sequence[Value] | Lazy, place: Origin) -> None:
    """Write rows, each a line, behind the lines of a file."""
    if not isinstance(rows, Lazy):
        for row in rows:
            add_text(lines, row, place)
        return
    data = lines.data
    if rows.length.data == 0 or not isinstance(data, (list, Lazy)):
        return
    if isinstance(data, Lazy):
        lines.data = operators.put_into(data, rows.item)
        return
    length = Value(UNKNOWN, rows.length.origins) if data else rows.length
    lines.data = Lazy(rows.item, length, parts=(*data, rows.item), lead=len(data))


def row_text(cells: Sequence[Value], separator: str, place: Origin) -> RowText:
    """Return the line of a row; its text is known where all of its cells are."""
    made = tuple(c if c.origins else with_places(c, frozenset({place})) for c in cells)
    if not all(isinstance(cell.data, PLAIN) for cell in made):
        return RowText(made, separator)
    pieces = _Pieces()
    csv.writer(pieces, delimiter=separator, lineterminator="\n").writerow([c.data for c in made])
    return RowText(made, separator, "".join(pieces))


class _Pieces(list[str]):
    """What a writer of rows writes."""

    def write(self, piece: str) -> None:
        self.append(piece)


def cell_text(cell: Value) -> Value:
    """Return a cell of a row as the text that it is read as.

    Source: the Python library reference, ``csv.writer``: None is an empty text.
    """
    if isinstance(cell, MadeText) or isinstance(cell.data, str):
        return cell
    if cell.data is None:
        return Value("", cell.origins)
    if isinstance(cell.data, (bool, int, float)):
        return Value(str(cell.data), cell.origins)
    return NumberText(cell) if arrays.is_number(cell) else Value(UNKNOWN, cell.origins)


def lines_of(written: Value) -> Value:
    """Return the lines of a file as they are read: each a text with its end."""
    data = written.data
    if isinstance(data, Lazy):
        parts = tuple(_as_read(part)[0] for part in data.parts)
        items = Lazy(_as_read(data.item)[0], data.length, data.others, parts=parts, lead=data.lead)
        return Value(items, written.origins)
    if not isinstance(data, list):
        return Value(UNKNOWN, written.origins)
    document = document_of(written)
    if document is not None and not document.known:
        # Nobody knows how many lines the document has.
        return Value(UNKNOWN, document.origins)
    return Value([line for item in data for line in _as_read(item)], written.origins)


def _as_read(line: Value) -> list[Value]:
    if not isinstance(line, JsonText) or not isinstance(line.data, str):
        return [line]
    pieces = split_lines(f"{line.data.rstrip()}\n")
    if len(pieces) == 1:
        made = JsonText(line.document, pieces[0])
        return [with_places(made, line.origins)]
    return [Value(piece, line.origins) for piece in pieces]


def document_of(written: Value) -> JsonText | None:
    """Return the JSON text that is all of a file, None where the file is none or has others."""
    data = written.data
    if not isinstance(data, list):
        return None
    filled = [v for v in data if not (isinstance(v.data, str) and v.data.isspace())]
    return filled[0] if len(filled) == 1 and isinstance(filled[0], JsonText) else None


def row_of(line: Value, separator: str) -> list[Value] | None:
    """Return the cells of a line as texts, None where they are not known."""
    if isinstance(line, RowText) and line.separator == separator:
        return [cell_text(cell) for cell in line.cells]
    if not isinstance(line.data, str):
        return None
    try:
        row = next(csv.reader([line.data], delimiter=separator), [])
    except csv.Error:
        return None
    return [Value(cell, line.origins) for cell in row]


def known_cells(written: Value) -> set[object]:
    """Return the cells of the rows of a file that are known."""
    data = written.data
    lines = data.parts[: data.lead] if isinstance(data, Lazy) else data
    rows = lines if isinstance(lines, (list, tuple)) else ()
    return {c.data for r in rows if isinstance(r, RowText) for c in r.cells if _is_plain(c)}


def _is_plain(cell: Value) -> bool:
    return isinstance(cell.data, PLAIN)
