"""Models of pandas: reading files.

What a file holds is read through the workspace; a column's origin is its header's line.
Source: the pandas 2.2 reference.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import dtype_name
from dl_bug_lsp.interpretation.libraries.python.files import (
    csv_form,
    file_of,
    kept_in,
    lines_kept,
    misread,
    named_by,
    note_generated,
    refuse_misread,
    text_in,
    written_before,
)
from dl_bug_lsp.interpretation.libraries.python.written_text import row_of
from dl_bug_lsp.interpretation.model_helpers import (
    MOST_ITEMS,
    is_true,
    listed,
    state_of,
    with_origins,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import hull
from dl_bug_lsp.interpretation.table_values import (
    MOST_CELLS,
    Cells,
    Frame,
    converted,
    lacking,
    number_in,
    part_of,
    unknown_table,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    JsonText,
    Lazy,
    LibraryObject,
    NumberText,
    Origins,
    Raised,
    Table,
    Value,
    Word,
    merged,
    of_dtype,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

_MISSING = frozenset(
    ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "n/a", "<NA>", "#N/A", "-nan", "-NaN"]
)
_TRUTHS = frozenset(["True", "TRUE", "true", "False", "FALSE", "false"])

# Reading files.


@dataclass(slots=True)
class _Reading:
    """How a delimited file is to be read; None where an option is not known."""

    separator: str
    header: int | None = 0
    names: list[object] | None = None
    index: bool = False
    label: object = None
    missing: frozenset[str] = _MISSING
    wanted: list[object] | None = None
    most: int | None = None
    skipped: int = 0
    bad: str = "error"
    decimal: str = "."
    thousands: str | None = None


_READ_OPTIONS = frozenset(
    [
        *("filepath_or_buffer", "sep", "delimiter", "header", "names", "index_col", "usecols"),
        *("nrows", "encoding", "engine", "low_memory", "dtype", "skiprows", "on_bad_lines"),
        *("parse_dates", "memory_map", "dayfirst", "encoding_errors", "na_values"),
        *("skipinitialspace", "date_format", "na_filter", "decimal", "thousands"),
    ]
)


def _reading(interpreter: Interpreter, call: Call) -> _Reading | None:
    given = call.keywords
    if given.keys() - _READ_OPTIONS or len(call.args) > 2:
        return None
    mark = call.given(1, "sep", "delimiter")
    default = "\t" if call.name.endswith("read_table") else ","
    separator = default if mark is None else mark.data
    if separator == r"\s+":
        separator = " +"
    if not isinstance(separator, str) or not separator:
        return None
    if len(separator) != 1 and separator != " +" and IN_PATTERNS.search(separator):
        return None
    reading = _Reading(separator)
    if "names" in given:
        names = listed(interpreter, given["names"])
        if names is None:
            return None
        reading.names, reading.header = [name.data for name in names], None
    header = given.get("header")
    if header is not None:
        if header.data is None or header.data == 0:
            reading.header = None if header.data is None else 0
        elif header.data != "infer":
            return None
    for option in ("nrows", "skiprows"):
        number = given.get(option)
        if number is not None and number.data is not None and size(number) is None:
            return None
    reading.most, reading.skipped = size(given.get("nrows")), size(given.get("skiprows")) or 0
    index = given.get("index_col")
    if index is not None and index.data is not None and index.data is not False:
        if not isinstance(index.data, (str, int)):
            return None
        reading.index, reading.label = True, index.data
    absent = given.get("na_values")
    if absent is not None:
        texts = [absent] if isinstance(absent.data, str) else listed(interpreter, absent)
        if texts is None or isinstance(absent.data, dict) or "na_filter" in given:
            return None
        reading.missing = _MISSING | {str(text.data) for text in texts}
    if "usecols" in given:
        wanted = listed(interpreter, given["usecols"])
        if wanted is None or not all(isinstance(w.data, (str, int)) for w in wanted):
            return None
        reading.wanted = [name.data for name in wanted]
    for option in ("decimal", "thousands"):
        sign = given.get(option)
        if sign is not None and sign.data is not None:
            if not isinstance(sign.data, str) or len(sign.data) != 1:
                return None
            setattr(reading, option, sign.data)
    bad = given.get("on_bad_lines")
    reading.bad = "error" if bad is None else str(bad.data)
    return reading


@lru_cache(maxsize=4)
def _first_rows(text: str, separator: str, skipped: int) -> tuple[tuple[int, list[str]], ...]:
    """Return the first rows with their lines: a run that is followed again reads the same file."""
    return tuple(itertools.islice(_rows(text, separator, skipped), MOST_ITEMS + 1))


def _rows(text: str, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not empty with its 1-based line."""
    lines = (line + "\n" for line in text.split("\n"))
    start = skipped + 1
    rest = itertools.islice(lines, skipped, None)
    if len(separator) > 1 and separator != " +":
        # Longer separators are patterns, which look at no quotes.
        for number, line in enumerate(rest, start):
            if line.strip():
                yield number, line.strip().split(separator)
        return
    if separator == " +":
        for number, line in enumerate(rest, start):
            if line.strip():
                yield number, line.split()
        return
    reader = csv.reader(rest, delimiter=separator)
    at = 0
    for row in reader:
        if row and (len(row) > 1 or row[0].strip()):
            yield start + at, row
        at = reader.line_num


IN_PATTERNS = re.compile(r"[][.^$*+?{}()|\\]")
"""What means something else than itself in a pattern."""
TABLES = (".csv", ".tsv")


def _file_of(
    interpreter: Interpreter, path: Value | None, suffixes: tuple[str, ...] = ()
) -> str | None:
    """Return the file that a path means, None where it is gone and the run has read it."""
    try:
        return file_of(interpreter, path, suffixes)
    except Raised as raised:
        if raised.what == "file" and interpreter.GUESSES and not interpreter.is_failing():
            return None
        raise


@MODELS.function("pandas.read_csv", "pandas.read_table")
def _read_csv(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "filepath_or_buffer")
    if path is not None and isinstance(path.data, LibraryObject) and path.data.short == "StringIO":
        return _read_text(interpreter, path, path.data, call)
    saved = kept_in(interpreter, path, csv_form(call))
    if saved is not None:
        return _read_again(saved, call)
    lines = lines_kept(interpreter, path)
    how = _reading(interpreter, call)
    if lines is not None and how is not None:
        return _read_lines(lines, how, call) or unknown(lines)
    held = state_of(path, "file").data
    file = held if isinstance(held, str) else _file_of(interpreter, path, TABLES)
    origins = NOWHERE if path is None else named_by(path)
    text = text_in(interpreter, file)
    words = call.keywords
    refuse_misread(misread(interpreter, file, words.get("encoding"), words.get("encoding_errors")))
    if file is None or how is None or text is None:
        is_parted = bool({"chunksize", "iterator", "squeeze"} & words.keys())
        return Value(UNKNOWN, origins) if is_parted else unknown_table(call.place, origins)
    try:
        rows = list(_first_rows(text, how.separator, how.skipped))
    except csv.Error:
        return Value(UNKNOWN, origins)
    if not rows:
        raise Raised("value", "No columns to parse from file", Value("", frozenset({(file, 1)})))
    return _explained(interpreter, path, call, _table(file, rows, how, call, origins))


def _explained(interpreter: Interpreter, path: Value | None, call: Call, held: Value) -> Value:
    """Return a table of a file with what made its columns in the command that wrote the file.

    A column that the command is not known to write is explained by the line that writes: without
    ``index=False`` the labels of the rows become a column (pandas, ``DataFrame.to_csv``).
    """
    written = written_before(interpreter, path)
    table = held.data
    if written is None or written.form != csv_form(call) or not isinstance(table, Frame):
        return held
    again = _read_again(written.value, call)
    columns = again.data.columns if isinstance(again.data, Table) else {}
    origins_of = again.data.origins_of if isinstance(again.data, Table) else {}
    note_generated(interpreter, path)
    for name in list(table.columns):
        if name in columns:
            own = origins_of.get(name, again.origins)
        elif written.place is not None and _is_unnamed(name):
            own = frozenset({written.place})
            why = "without `index=False` the labels of the rows are written too, as a column"
            arrays.note_reason(written.place, why)
        elif not columns:
            own = again.origins
        else:
            continue
        table.origins_of[name] = table.origins_of.get(name, NOWHERE) | own
        table.derived[name] = table.derived.get(name, NOWHERE) | own
    return held


def _is_unnamed(name: object) -> bool:
    """Whether a column had no name in its file."""
    return isinstance(name, str) and name.startswith("Unnamed: ")


LEAVING = {
    *("filepath_or_buffer", "parse_dates", "usecols", "index_col", "low_memory", "encoding"),
    *("sep", "delimiter"),
}
"""Arguments of ``read_csv`` whose effect on a table that the program wrote is known."""


def _read_again(saved: Value, call: Call) -> Value:
    """Return a table that the program wrote as text, as it is read again."""
    table = saved.data
    if not isinstance(table, Table) or call.keywords.keys() - LEAVING or len(call.args) > 1:
        return unknown(saved)
    wanted = call.keywords.get("usecols")
    if wanted is not None and isinstance(wanted.data, (list, tuple)):
        names = [name.data for name in wanted.data]
        if any(name not in table.columns for name in names):
            return unknown(saved)
        table = part_of(table, [name for name in table.columns if name in names])
    dates = call.keywords.get("parse_dates")
    for name in dates.data if dates is not None and isinstance(dates.data, (list, tuple)) else ():
        if name.data in table.columns:
            table.columns[name.data] = "datetime64[ns]"
    label = call.keywords.get("index_col")
    if label is None or label.data is None or label.data is False:
        table = _with_labels_as_columns(table)
    else:
        names = list(table.columns)
        name = names[label.data] if type(label.data) is int else label.data
        if name not in table.columns:
            return unknown(saved)
        table = part_of(table, [other for other in names if other != name])
        table.index_names = (name,)
        if isinstance(table, Frame):
            table.index = ()
    return Value(table, saved.origins)


def _with_labels_as_columns(table: Table) -> Table:
    """Return a table whose labels were written as columns; those who wrote them did not say so."""
    for name in table.index_names:
        for place in table.origins_of.get(name, NOWHERE):
            why = f"without `index=False` the labels are written too: column `{name}` for who reads"
            arrays.note_reason(place, why)
    table = part_of(table, list(table.columns))
    table.index_names = ()
    return table


def _read_lines(lines: Value, how: _Reading, call: Call) -> Value | None:
    """Return the table that is read from lines that a program wrote, None where that is not known.

    Where the lines are outlined the number of rows is not known, but dtypes and bounds are.
    """
    data = lines.data
    outline = data if isinstance(data, Lazy) else None
    first = list(outline.parts[: outline.lead]) if outline is not None else data
    if not isinstance(first, list) or not first or (outline is not None and outline.others):
        return None
    rows = [row_of(line, how.separator) for line in first[how.skipped :]]
    more = None if outline is None else row_of(outline.item, how.separator)
    if None in rows or not rows or (outline is not None and more is None):
        return None
    known = [row for row in rows if row is not None]
    is_plain = all(isinstance(cell.data, str) for row in known for cell in row)
    if outline is None and is_plain:
        texts = [(number, [str(cell.data) for cell in row]) for number, row in enumerate(known, 1)]
        return _as_written(_table(call.place[0], texts, how, call, NOWHERE), known, how)
    simple = how.header == 0 and how.names is None and not how.index and how.most is None
    if not simple or not all(isinstance(cell.data, str) for cell in known[0]):
        return None
    body = [*known[1:], *([more] if more is not None else [])]
    return _outlined_table(known[0], body, how, outline, lines)


def _as_written(read: Value, rows: list[list[Value]], how: _Reading) -> Value:
    """Return a table with what made the cells of each column, in place of lines of a file."""
    table = read.data
    if not isinstance(table, Frame):
        return unknown(*rows[0])
    table.lines = ()
    names = list(how.names or range(len(rows[0])))
    if how.header is not None:
        header = rows.pop(0)
        names = names if how.names is not None else _named([str(cell.data) for cell in header])
    for at, name in enumerate(names):
        made = merged(*(row[at] for row in rows[:MOST_MAKING] if at < len(row)))
        if name in table.columns:
            table.origins_of[name] = made
    table.rows = Value(table.rows.data, _made_rows(rows[0]) if rows else NOWHERE)
    return Value(table, merged(*(cell for row in rows[:MOST_MAKING] for cell in row)))


def _made_rows(row: list[Value]) -> Origins:
    """Return what made a row be there: what its cells have in common, else what made the first.

    The first cells mostly are what the rows are of, and the others what is said of them.
    """
    if not row:
        return NOWHERE
    common = frozenset.intersection(*(cell.origins for cell in row))
    return common or row[0].origins


MOST_MAKING = 400
"""Rows of which it is told what made them."""


def _outlined_table(
    header: list[Value], rows: list[list[Value]], how: _Reading, outline: Lazy | None, lines: Value
) -> Value | None:
    """Return a table of rows of which not all cells are known."""
    if not rows or any(len(row) != len(header) for row in rows):
        return None
    count = len(rows) if outline is None else UNKNOWN
    made = _made_rows(rows[0]) if outline is None else NOWHERE
    table = Frame({}, Value(count, lines.origins | made))
    for at, name in enumerate(_named([str(cell.data) for cell in header])):
        if how.wanted is not None and name not in how.wanted and at not in how.wanted:
            continue
        cells = [row[at] for row in rows]
        dtype, bounds = _kind_of(cells, how.missing)
        table.columns[name], table.origins_of[name] = dtype, merged(*cells)
        if bounds != (None, None):
            table.bounds[name] = bounds
    return Value(table, merged(lines, *table_origins(table)))


def table_origins(table: Table) -> list[Value]:
    """Return what made the columns of a table."""
    return [Value(None, origins) for origins in table.origins_of.values()]


def _kind_of(
    cells: Sequence[Value], missing: frozenset[str]
) -> tuple[str | None, tuple[int | None, int | None]]:
    """Return the dtype of a column of texts, some of them of numbers, and its bounds."""
    texts = tuple(cell.data for cell in cells if isinstance(cell.data, str))
    numbers = [cell.of for cell in cells if isinstance(cell, NumberText)]
    words = [cell for cell in cells if isinstance(cell, Word)]
    if words and len(words) + len(texts) + len(numbers) == len(cells):
        return "object", (None, None)
    if len(texts) + len(numbers) != len(cells):
        return None, (None, None)
    kind, held, _ = _typed(texts, missing) if texts else ("int64", (), None)
    dtypes = {number.data.dtype for number in numbers if isinstance(number.data, Array)} | {kind}
    if dtypes == {"int64"}:
        bounds = arrays.bounds_of(hull([*numbers, *map(Value, held)]))
        return "int64", bounds
    is_numeric = dtypes <= {"int64", "float64", "float32"}
    return ("float64" if is_numeric else kind if not numbers else None), (None, None)


def _read_text(interpreter: Interpreter, path: Value, held: LibraryObject, call: Call) -> Value:
    """Read a table out of a text of the program itself."""
    text = held.keywords.get("initial_value") or (held.args[0] if held.args else None)
    how = _reading(interpreter, call)
    if text is None or how is None or not isinstance(text.data, str):
        return unknown(path)
    try:
        rows = list(_first_rows(text.data, how.separator, how.skipped))
    except csv.Error:
        return unknown(path)
    if not rows:
        return unknown(path)
    result = _table(call.place[0], [(call.place[1], row) for _, row in rows], how, call, NOWHERE)
    return Value(result.data, merged(path, text))


def _table(
    file: str, rows: list[tuple[int, list[str]]], how: _Reading, call: Call, origins: Origins
) -> Value:
    place = frozenset({(file, rows[0][0])})
    if how.header is None:
        names: list[object] = list(how.names or range(len(rows[0][1])))
    else:
        names = _named(rows.pop(0)[1])
        names = list(how.names) if how.names is not None else names
    if how.index and type(how.label) is int and 0 <= how.label < len(names):
        how.label = names[how.label]
    implied = bool(rows) and len(rows[0][1]) - len(names) == 1 and not how.index
    width = len(names) + (len(rows[0][1]) - len(names) if implied else 0)
    if rows and len(rows[0][1]) > width + 1 and not how.index:
        return Value(UNKNOWN, origins | place)
    sound = list(_sound_rows(file, rows, width, how, place))
    many = len(sound) > MOST_ITEMS
    sound = sound[:MOST_ITEMS]
    if how.most is not None:
        sound, many = sound[: how.most], many and how.most > len(sound)
    lines = tuple((file, line) for line, _ in sound)
    table = Frame({}, Value(UNKNOWN if many else len(sound), origins | place), {}, {}, lines)
    table.index = () if many or how.index or implied else range(len(sound))
    if how.index and isinstance(how.label, str):
        table.index_names = (how.label,)
    shift = int(implied)
    if how.index and how.label in names and not many:
        at = names.index(how.label)
        table.index = _typed(tuple(row[at] for _, row in sound), how.missing)[1]
    for index, name in enumerate(names):
        if how.index and name == how.label:
            continue
        if how.wanted is not None and name not in how.wanted and index not in how.wanted:
            continue
        texts = tuple(row[index + shift] if index + shift < len(row) else "" for _, row in sound)
        kind: str | None
        kind, held, odd = _typed(texts, how.missing, how.decimal, how.thousands)
        # What makes numbers text may be told by the call to stand for missing cells.
        of_column = place | ({of_dtype(call.place)} if odd is None else {lines[odd], call.place})
        if kind == "int64" and _is_zero_padded(texts):
            of_column |= {call.place}
            why = (
                f"codes of `{name}` in {file} begin with zeros, which are lost without `dtype=str`"
            )
            arrays.note_reason(call.place, why)
        if kind == "object" and _has_commas(texts):
            of_column |= _of_decimal_sign(call)
            why = f"numbers of `{name}` in {file} have decimal commas, and stay texts here"
            arrays.note_reason(call.place, why)
        if many:
            kind = "object" if kind == "object" else None
        dtype, cells = _as_asked(name, texts, (kind, held), how.missing, call)
        table.columns[name], table.origins_of[name] = dtype, of_column
        if not many and len(sound) * len(names) <= MOST_CELLS and cells is not None:
            table.cells[name] = cells
    for name in how.wanted or ():
        if isinstance(name, str) and name not in names:
            raise lacking(table, name, call.keywords["usecols"], Value(UNKNOWN, place))
    return Value(table, origins | place)


def _sound_rows(
    file: str, rows: list[tuple[int, list[str]]], width: int, how: _Reading, place: Origins
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not too long; one that is makes the reading fail or is left out."""
    for line, row in rows:
        if len(row) <= width:
            yield line, row
        elif how.bad == "error":
            message = f"Expected {width} fields in line {line}, saw {len(row)}"
            sides = Value(len(row), frozenset({(file, line)})), Value(width, place)
            raise Raised("value", message, *sides)


def _number(text: str, decimal: str, thousands: str | None) -> float | int | None:
    """Return the number that a cell holds, None where it holds none."""
    plain = text if thousands is None else text.replace(thousands, "")
    if decimal != ".":
        # With another sign a point is none.
        plain = "" if "." in plain else plain.replace(decimal, ".")
    return number_in(plain)


def _of_decimal_sign(call: Call) -> Origins:
    """Return what tells a call the sign between a number and its fraction."""
    sign = call.keywords.get("decimal")
    return frozenset({call.place}) if sign is None else sign.origins | {call.place}


_ZERO_PADDED = re.compile(r"0\d+")
_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


@lru_cache(maxsize=64)
def _is_zero_padded(texts: tuple[str, ...]) -> bool:
    """Whether a cell begins with zeros that a number does not have."""
    return any(_ZERO_PADDED.fullmatch(text) for text in texts)


@lru_cache(maxsize=64)
def _has_commas(texts: tuple[str, ...]) -> bool:
    """Whether most cells that are not empty are numbers with a decimal comma."""
    filled = [text for text in texts if text.strip()]
    return bool(filled) and sum(_COMMA.fullmatch(t) is not None for t in filled) * 2 > len(filled)


def _named(header: Sequence[str]) -> list[object]:
    """Return the names of a header's cells as pandas makes them differ."""
    names: list[object] = []
    for index, cell in enumerate(header):
        name = cell.strip("\ufeff") if index == 0 else cell
        name = name or f"Unnamed: {index}"
        unique, count = name, 0
        while unique in names:
            count += 1
            unique = f"{name}.{count}"
        names.append(unique)
    return names


def _as_asked(
    name: object,
    texts: Sequence[str],
    read: tuple[str | None, Cells],
    missing: frozenset[str],
    call: Call,
) -> tuple[str | None, Cells | None]:
    """Return a column's dtype and cells as a call asks for them, None for what is not known."""
    asked, dates = call.keywords.get("dtype"), call.keywords.get("parse_dates")
    dtype, cells = read
    if asked is not None and asked.data is not None:
        own = asked.data.get(name) if isinstance(asked.data, dict) else asked
        if own is None:
            return dtype, cells
        dtype = dtype_name(own)
        if dtype == "object":
            return dtype, tuple(None if text in missing else text for text in texts)
        return dtype, converted(cells, dtype)
    if dates is not None and dates.data:
        named = isinstance(dates.data, list) and all(d.data != name for d in dates.data)
        if dtype == "object" and not named:
            return ("datetime64" if isinstance(dates.data, list) else None), None
    return dtype, cells


@lru_cache(maxsize=64)
def _typed(
    texts: tuple[str, ...],
    absent: frozenset[str] = _MISSING,
    decimal: str = ".",
    thousands: str | None = None,
) -> tuple[str, tuple[object, ...], int | None]:
    """Return a column's dtype, its cells, and the row that makes a column of numbers text."""
    cells: list[object] = []
    odd: list[int] = []
    numbers = truths = missing = 0
    fraction = False
    for index, text in enumerate(texts):
        bare = text.strip()
        if text in absent:
            missing += 1
            cells.append(None)
            continue
        if text in _TRUTHS:
            truths += 1
            cells.append(text.lower() == "true")
            odd.append(index)
            continue
        number = _number(bare, decimal, thousands)
        if number is None:
            odd.append(index)
            cells.append(text)
            continue
        numbers += 1
        fraction = fraction or isinstance(number, float)
        cells.append(number)
    if truths and truths == len(texts):
        return "bool", tuple(cells), None
    if odd:
        first = odd[0] if numbers * 2 > len(texts) else None
        kept = [text if cell is not None else None for text, cell in zip(texts, cells, strict=True)]
        return "object", tuple(kept), first
    if fraction or missing:
        floats = [None if not isinstance(c, (int, float)) else float(c) for c in cells]
        return "float64", tuple(floats), None
    return ("int64" if texts else "object"), tuple(cells), None


@MODELS.function("pandas.read_json", "pandas.read_excel", "pandas.read_parquet")
@MODELS.function("pandas.read_pickle", "pandas.read_feather")
def _read_other(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "path_or_buf", "io", "path")
    saved = kept_in(interpreter, path, call.name.rpartition("_")[2])
    if saved is not None and not (call.name.endswith("json") and call.keywords):
        return _records_read(interpreter, saved, call) if call.name.endswith("json") else saved
    lines = lines_kept(interpreter, path) if is_true(call.keywords.get("lines")) else None
    if lines is not None and isinstance(lines.data, list):
        documents = [line.document for line in lines.data if isinstance(line, JsonText)]
        if len(documents) == len(lines.data):
            return _records_read(interpreter, Value(documents, lines.origins), call)
    file = _file_of(interpreter, path)
    outline = None
    text = text_in(interpreter, file) if call.name.endswith("read_json") else None
    if file is not None and text is not None:
        records = _records(file, text, is_true(call.keywords.get("lines")))
        if records is not None:
            made = Call("pandas.DataFrame", (records,), {}, call.place)
            return MODELS.functions["pandas.DataFrame"](interpreter, made)
    if file is not None and call.name.endswith("json") and text_in(interpreter, file) is not None:
        outline = interpreter.workspace.table(file)
    if file is None or outline is None or outline.is_cut or outline.problem or not outline.columns:
        # A pickle may hold anything, and what is asked for several sheets gives a dictionary.
        several = {"chunksize", "sheet_name", "typ"} & call.keywords.keys()
        if several or call.name.endswith("pickle"):
            return call.unknown()
        return unknown_table(call.place, merged(*call.args))
    place = frozenset({(file, 1)})
    rows = Value(outline.rows, place)
    result = Table({}, rows)
    for column in outline.columns:
        result.columns[column.name] = "object" if column.numbers < column.filled else None
        result.origins_of[column.name] = place | {of_dtype(call.place)}
    return Value(result, merged(*call.args) | place)


def _records_read(interpreter: Interpreter, records: Value, call: Call) -> Value:
    """Return the table of records that a program wrote; unknown where they are none."""
    if not isinstance(records.data, list):
        return unknown(records)
    made = Call("pandas.DataFrame", (records,), {}, call.place)
    return MODELS.functions["pandas.DataFrame"](interpreter, made)


def _records(file: str, text: str, by_line: bool) -> Value | None:
    """Return the records of a JSON file, each with its line where each has its own."""
    rows_read: list[Value] = []
    lines = text.split("\n") if by_line else [text]
    if len(lines) > MOST_ITEMS:
        return None
    try:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = frozenset({(file, number)})
            loaded = json.loads(line)
            records = loaded if isinstance(loaded, list) else [loaded]
            if not by_line and not isinstance(loaded, list):
                return None
            rows_read.extend(with_origins(record, place) for record in records[:MOST_ITEMS])
    except (ValueError, RecursionError):
        return None
    return Value(rows_read, frozenset({(file, 1)}))
