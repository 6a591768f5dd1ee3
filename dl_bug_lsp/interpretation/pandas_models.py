"""Models of pandas and scikit-learn: columns with their dtypes, numbers of rows and features.

What a file holds is read through the workspace; a column's origin is its header's line.
Sources: the pandas 2.2 and scikit-learn 1.6 references.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.numpy_models import as_array, dtype_name, new, together
from dl_bug_lsp.interpretation.stdlib_models import (
    MOST_ITEMS,
    file_of,
    is_true,
    listed,
    note_written,
    nothing,
    state_of,
    text_in,
    thing,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    FunctionValue,
    Lazy,
    LibraryObject,
    Origin,
    Origins,
    Raised,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

_MISSING = frozenset(
    ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "n/a", "<NA>", "#N/A", "-nan", "-NaN"]
)
_TRUTHS = frozenset(["True", "TRUE", "true", "False", "FALSE", "false"])
_NUMERIC = ("int64", "float64", "int32", "float32", "bool", "uint8", "int8", "float16", "int16")
_MOST_CELLS = 400_000


@dataclass(slots=True, eq=False)
class Series(Array):
    """A column with its cells, where they are known: text or numbers, None for a missing one."""

    cells: tuple[object, ...] | None = None
    lines: tuple[Origin, ...] = ()


class _Columns(dict[object, str | None]):
    """The dtypes of columns by name; of one that is assigned to the cells are no longer known."""

    def __init__(
        self, dtypes: dict[object, str | None], cells: dict[object, tuple[object, ...]]
    ) -> None:
        super().__init__(dtypes)
        self.cells = cells

    def __setitem__(self, name: object, dtype: str | None) -> None:
        self.cells.pop(name, None)
        super().__setitem__(name, dtype)


@dataclass(slots=True, eq=False)
class Frame(Table):
    """A table with the cells of its columns, where they are known."""

    cells: dict[object, tuple[object, ...]] = field(default_factory=dict)
    lines: tuple[Origin, ...] = ()

    def __post_init__(self) -> None:
        """Let what is assigned to a column forget its cells."""
        self.columns = _Columns(self.columns, self.cells)


def table_of(value: Value | None) -> Table | None:
    """Return a value as a table, None where it is none."""
    return value.data if value is not None and isinstance(value.data, Table) else None


def column(table: Table, name: object, *parts: Value) -> Value:
    """Return a column of a table that has it."""
    origins = table.origins_of.get(name, NOWHERE) | merged(*parts)
    cells = table.cells.get(name) if isinstance(table, Frame) else None
    lines = table.lines if isinstance(table, Frame) else ()
    low, high = _bounds(cells)
    dtype = table.columns.get(name)
    made = Series((table.rows,), dtype, "numpy", None, low, high, cells, lines if cells else ())
    return Value(made, origins)


def _bounds(cells: Sequence[object] | None) -> tuple[int | None, int | None]:
    whole = [cell for cell in cells or () if isinstance(cell, int)]
    if not cells or len(whole) != len(cells):
        return None, None
    return min(whole), max(whole)


def part_of(table: Table, names: Sequence[object], rows: Value | None = None) -> Table:
    """Return a table of some of a table's columns; other rows have no known cells."""
    columns = {name: table.columns.get(name) for name in names}
    origins = {name: o for name, o in table.origins_of.items() if name in columns}
    if rows is not None or not isinstance(table, Frame):
        return Table(columns, table.rows if rows is None else rows, origins)
    cells = {name: cells for name, cells in table.cells.items() if name in columns}
    return Frame(columns, table.rows, origins, cells, table.lines)


def lacking(table: Table, name: object, key: Value, whole: Value) -> Raised:
    """Return the exception of a column that a table lacks; its header is one of the sides."""
    header = merged(whole, *(Value(None, o) for o in list(table.origins_of.values())[:4]))
    return Raised("key", f"{name!r}", key, Value(UNKNOWN, header))


# Reading files.


@dataclass(slots=True)
class _Reading:
    """How a delimited file is to be read; None where an option is not known."""

    separator: str
    header: int | None = 0
    names: list[object] | None = None
    index: bool = False
    wanted: list[object] | None = None
    most: int | None = None
    skipped: int = 0
    bad: str = "error"


_READ_OPTIONS = frozenset(
    [
        *("filepath_or_buffer", "sep", "delimiter", "header", "names", "index_col", "usecols"),
        *("nrows", "encoding", "engine", "low_memory", "dtype", "skiprows", "on_bad_lines"),
        *("parse_dates", "memory_map", "dayfirst", "encoding_errors"),
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
    if not isinstance(separator, str) or (len(separator) != 1 and separator != " +"):
        return None
    found = _Reading(separator)
    if "names" in given:
        names = listed(interpreter, given["names"])
        if names is None:
            return None
        found.names, found.header = [name.data for name in names], None
    header = given.get("header")
    if header is not None:
        if header.data is None or header.data == 0:
            found.header = None if header.data is None else 0
        elif header.data != "infer":
            return None
    for option in ("nrows", "skiprows"):
        number = given.get(option)
        if number is not None and number.data is not None and size(number) is None:
            return None
    found.most, found.skipped = size(given.get("nrows")), size(given.get("skiprows")) or 0
    index = given.get("index_col")
    if index is not None and index.data is not None and index.data is not False:
        if index.data != 0:
            return None
        found.index = True
    if "usecols" in given:
        wanted = listed(interpreter, given["usecols"])
        if wanted is None or not all(isinstance(w.data, (str, int)) for w in wanted):
            return None
        found.wanted = [name.data for name in wanted]
    bad = given.get("on_bad_lines")
    found.bad = "error" if bad is None else str(bad.data)
    return found


def _rows(text: str, how: _Reading) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not empty with its 1-based line."""
    lines = (line + "\n" for line in text.split("\n"))
    start = how.skipped + 1
    rest = itertools.islice(lines, how.skipped, None)
    if how.separator == " +":
        for number, line in enumerate(rest, start):
            if line.strip():
                yield number, line.split()
        return
    reader = csv.reader(rest, delimiter=how.separator)
    at = 0
    for row in reader:
        if row and (len(row) > 1 or row[0].strip()):
            yield start + at, row
        at = reader.line_num


TABLES = (".csv", ".tsv")


@MODELS.function("pandas.read_csv", "pandas.read_table")
def _read_csv(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "filepath_or_buffer")
    held = state_of(path, "file").data
    file = held if isinstance(held, str) else file_of(interpreter, path, TABLES)
    origins = NOWHERE if path is None else path.origins
    how = _reading(interpreter, call)
    text = text_in(interpreter, file)
    if file is None or how is None or text is None:
        return Value(UNKNOWN, origins)
    try:
        rows = list(itertools.islice(_rows(text, how), MOST_ITEMS + 1))
    except csv.Error:
        return Value(UNKNOWN, origins)
    if not rows:
        raise Raised("value", "No columns to parse from file", Value("", frozenset({(file, 1)})))
    return _table(file, rows, how, call, origins)


def _table(
    file: str, rows: list[tuple[int, list[str]]], how: _Reading, call: Call, origins: Origins
) -> Value:
    place = frozenset({(file, rows[0][0])})
    if how.header is None:
        names: list[object] = list(how.names or range(len(rows[0][1])))
    else:
        names = _named(rows.pop(0)[1])
        names = list(how.names) if how.names is not None else names
    implied = bool(rows) and len(rows[0][1]) - len(names) == 1 and not how.index
    width = len(names) + (len(rows[0][1]) - len(names) if implied else 0)
    if rows and len(rows[0][1]) > width + 1 and not how.index:
        return Value(UNKNOWN, origins | place)
    sound: list[tuple[int, list[str]]] = []
    for line, row in rows:
        if len(row) > width:
            here = frozenset({(file, line)})
            if how.bad != "error":
                continue
            sides = Value(len(row), here), Value(width, place)
            raise Raised("value", f"Expected {width} fields in line {line}, saw {len(row)}", *sides)
        sound.append((line, row))
    many = len(sound) > MOST_ITEMS
    sound = sound[:MOST_ITEMS]
    if how.most is not None:
        sound, many = sound[: how.most], many and how.most > len(sound)
    lines = tuple((file, line) for line, _ in sound)
    table = Frame({}, Value(UNKNOWN if many else len(sound), origins | place), {}, {}, lines)
    shift = int(implied)
    asked = call.keywords.get("dtype")
    dates = call.keywords.get("parse_dates")
    for index, name in enumerate(names):
        if how.index and index == 0:
            continue
        if how.wanted is not None and name not in how.wanted and index not in how.wanted:
            continue
        texts = [row[index + shift] if index + shift < len(row) else "" for _, row in sound]
        dtype: str | None
        dtype, cells, odd = _typed(texts)
        of_column = place | ({lines[odd]} if odd is not None else frozenset())
        if many:
            dtype = "object" if dtype == "object" else None
        if asked is not None and asked.data is not None:
            dtype = dtype_name(asked) if not isinstance(asked.data, dict) else dtype
            own = asked.data.get(name) if isinstance(asked.data, dict) else None
            dtype = dtype if own is None else dtype_name(own)
        elif dates is not None and dates.data:
            dtype = None if dtype == "object" else dtype
        table.columns[name], table.origins_of[name] = dtype, of_column
        if not many and len(sound) * len(names) <= _MOST_CELLS and asked is None:
            table.cells[name] = cells
    for name in how.wanted or ():
        if isinstance(name, str) and name not in names:
            raise lacking(table, name, call.keywords["usecols"], Value(UNKNOWN, place))
    return Value(table, origins | place)


def _named(header: Sequence[str]) -> list[object]:
    """Return the names of a header's cells as pandas makes them differ."""
    found: list[object] = []
    for index, cell in enumerate(header):
        name = cell.strip("\ufeff") if index == 0 else cell
        name = name or f"Unnamed: {index}"
        unique, count = name, 0
        while unique in found:
            count += 1
            unique = f"{name}.{count}"
        found.append(unique)
    return found


def _typed(texts: Sequence[str]) -> tuple[str, tuple[object, ...], int | None]:
    """Return a column's dtype, its cells, and the row that makes a column of numbers text."""
    cells: list[object] = []
    odd: list[int] = []
    numbers = truths = missing = 0
    fraction = False
    for index, text in enumerate(texts):
        bare = text.strip()
        if text in _MISSING:
            missing += 1
            cells.append(None)
            continue
        if text in _TRUTHS:
            truths += 1
            cells.append(text.lower() == "true")
            odd.append(index)
            continue
        number = _number(bare)
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


def _number(text: str) -> int | float | None:
    if len(text) > 40 or "_" in text:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


@MODELS.function("pandas.read_json", "pandas.read_excel", "pandas.read_parquet")
@MODELS.function("pandas.read_pickle", "pandas.read_feather", "pandas.read_hdf")
def _read_other(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "path_or_buf", "io", "path")
    file = file_of(interpreter, path)
    outline = None
    if file is not None and call.name.endswith("json") and text_in(interpreter, file) is not None:
        outline = interpreter.workspace.table(file)
    if file is None or outline is None or outline.is_cut or outline.problem or not outline.columns:
        return call.unknown()
    place = frozenset({(file, 1)})
    rows = Value(outline.rows, place)
    found = Table({}, rows)
    for one in outline.columns:
        text = one.numbers < one.filled
        found.columns[one.name] = "object" if text else None
        found.origins_of[one.name] = place
    return Value(found, merged(*call.args) | place)


# Making tables and columns.


@MODELS.function("pandas.DataFrame", "pandas.DataFrame.from_dict", "pandas.DataFrame.from_records")
def _data_frame(interpreter: Interpreter, call: Call) -> Value:
    data, names = call.given(0, "data"), call.given(2, "columns")
    columns = None if names is None or names.data is None else listed(interpreter, names)
    if names is not None and names.data is not None and columns is None:
        return call.unknown()
    if data is None or data.data is None:
        wanted = [c.data for c in columns or ()]
        return Value(Table(dict.fromkeys(wanted, "object"), Value(0)), merged(*call.args))
    if isinstance(data.data, Table):
        return data if columns is None else _columns_of(data, columns)
    if isinstance(data.data, dict):
        return _of_dict(data, data.data)
    items = listed(interpreter, data) if isinstance(data.data, (list, tuple)) else None
    if items and all(isinstance(item.data, dict) for item in items):
        return _of_records(data, items)
    made = as_array(data).data
    if not isinstance(made, Array) or made.shape is None or len(made.shape) not in (1, 2):
        return call.unknown()
    width = Value(1) if len(made.shape) == 1 else made.shape[1]
    number = size(width)
    if columns is None:
        if number is None:
            return call.unknown()
        columns = [Value(n) for n in range(min(number, MOST_ITEMS))]
    elif number is not None and number != len(columns):
        sides = width, Value(len(columns), names.origins if names is not None else NOWHERE)
        raise Raised("size", f"{len(columns)} columns passed, passed data had {number}", *sides)
    dtype = None if made.dtype == "object" else made.dtype
    origins = {c.data: merged(c, data) for c in columns}
    found = Table({c.data: dtype for c in columns}, made.shape[0], origins)
    return Value(found, merged(*call.args))


def _of_dict(value: Value, data: dict[object, Value]) -> Value:
    rows: Value | None = None
    found = Table({}, Value(UNKNOWN, value.origins))
    for name, part in data.items():
        made = as_array(part).data
        dtype = made.dtype if isinstance(made, Array) else None
        found.columns[name] = dtype
        found.origins_of[name] = merged(part)
        if isinstance(made, Array) and made.shape:
            what = "All arrays must be of the same length"
            length = made.shape[0]
            rows = length if rows is None else arrays.same(rows, length, what)
    found.rows = rows if rows is not None else found.rows
    return Value(found, value.origins)


def _of_records(value: Value, items: Sequence[Value]) -> Value:
    found = Table({}, Value(len(items), value.origins or merged(*items[:24])))
    for item in items:
        if not isinstance(item.data, dict):
            return unknown(value)
        for name, cell in item.data.items():
            dtype = as_array(cell).data
            own = dtype.dtype if isinstance(dtype, Array) and dtype.shape == () else None
            before = found.columns.get(name, own)
            found.columns[name] = own if before == own else together([before, own])
            found.origins_of.setdefault(name, merged(cell))
    return Value(found, value.origins)


def _columns_of(value: Value, keys: Sequence[Value]) -> Value:
    table = value.data
    assert isinstance(table, Table)
    for key in keys:
        if key.known and not isinstance(key.data, (list, tuple)) and key.data not in table.columns:
            raise lacking(table, key.data, key, value)
    if not all(key.known for key in keys):
        return unknown(value, *keys)
    return Value(part_of(table, [key.data for key in keys]), merged(value, *keys))


@MODELS.function("pandas.Series")
def _series(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    made = as_array(call.given(0, "data"))
    data = made.data
    if not isinstance(data, Array) or not data.shape or len(data.shape) != 1:
        return call.unknown()
    return new(data.shape, data.dtype, made.origins, (data.lowest, data.highest))


@MODELS.method("table", "__getitem__")
def _getitem(interpreter: Interpreter, call: Call) -> Value:
    """Select a column, columns by a list, or rows by a mask."""
    table, key = table_of(call.receiver), call.given(0)
    if table is None or key is None or call.receiver is None:
        return call.unknown()
    if isinstance(key.data, (str, int, float)) and not isinstance(key.data, bool):
        if key.data not in table.columns:
            raise lacking(table, key.data, key, call.receiver)
        return column(table, key.data, key)
    if isinstance(key.data, list):
        return _columns_of(call.receiver, key.data)
    if isinstance(key.data, Array) and key.data.dtype == "bool":
        if key.data.shape:
            arrays.same(key.data.shape[0], table.rows, "Item wrong length")
        rows = Value(UNKNOWN, merged(table.rows, key))
        return Value(part_of(table, list(table.columns), rows), call.receiver.origins)
    if isinstance(key.data, Series) and key.data.cells is not None:
        cells = [Value(cell, key.origins) for cell in key.data.cells]
        return _columns_of(call.receiver, cells)
    return unknown(call.receiver, key)


# Methods of tables.


@MODELS.method("table", "drop")
def _drop(interpreter: Interpreter, call: Call) -> Value:
    table, labels = table_of(call.receiver), call.given(0, "labels", "columns")
    axis = call.given(1, "axis")
    if table is None or labels is None or call.receiver is None:
        return call.unknown()
    by_name = "columns" in call.keywords or (axis is not None and axis.data in (1, "columns"))
    if not by_name:
        rows = Value(UNKNOWN, merged(table.rows, labels))
        found = part_of(table, list(table.columns), rows)
        return _placed(call, found)
    single = isinstance(labels.data, (str, int))
    names = [labels] if single else listed(interpreter, labels)
    if names is None:
        return unknown(call.receiver, labels)
    forgiving = "errors" in call.keywords
    gone = {name.data for name in names if isinstance(name.data, (str, int, float))}
    for name in names:
        if name.known and name.data not in table.columns and not forgiving:
            raise lacking(table, name.data, name, call.receiver)
    return _placed(call, part_of(table, [n for n in table.columns if n not in gone]))


def _placed(call: Call, found: Table) -> Value:
    """Return a new table, or put it in the place of the old one (``inplace=True``)."""
    receiver, table = call.receiver, table_of(call.receiver)
    assert receiver is not None and table is not None
    if is_true(call.keywords.get("inplace")):
        table.columns, table.rows, table.origins_of = found.columns, found.rows, found.origins_of
        if isinstance(table, Frame):
            table.cells = found.cells if isinstance(found, Frame) else {}
            table.lines = found.lines if isinstance(found, Frame) else ()
        return Value(None)
    return Value(found, merged(receiver, *call.args))


@MODELS.method("table", "dropna", "drop_duplicates", "query", "filter_rows", "explode")
def _fewer_rows(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None:
        return call.unknown()
    axis = call.given(0, "axis")
    if call.name == "dropna" and axis is not None and axis.data in (1, "columns"):
        return call.unknown()
    full = isinstance(table, Frame) and len(table.cells) == len(table.columns)
    if call.name == "dropna" and full and not call.keywords.keys() - {"inplace", "axis"}:
        assert isinstance(table, Frame)
        kept = [
            i for i, row in enumerate(zip(*table.cells.values(), strict=True)) if None not in row
        ]
        rows = Value(len(kept), table.rows.origins)
        cells = {n: tuple(c[i] for i in kept) for n, c in table.cells.items()}
        lines = tuple(table.lines[i] for i in kept)
        columns, origins = dict(table.columns), dict(table.origins_of)
        return _placed(call, Frame(columns, rows, origins, cells, lines))
    rows = Value(UNKNOWN, table.rows.origins)
    return _placed(call, part_of(table, list(table.columns), rows))


_SAME_TABLE = (
    *("copy", "reset_index", "sort_values", "sort_index", "fillna", "ffill", "bfill", "round"),
    *("clip", "replace", "abs", "infer_objects", "convert_dtypes", "interpolate", "shift", "diff"),
)


@MODELS.method("table", *_SAME_TABLE)
def _same_table(interpreter: Interpreter, call: Call) -> Value:
    """Keep columns and rows; what may change a dtype leaves it unknown."""
    del interpreter
    table = table_of(call.receiver)
    if table is None:
        return call.unknown()
    found = part_of(table, list(table.columns))
    keeps = call.name == "reset_index" and not is_true(call.keywords.get("drop"))
    if keeps and "index" not in found.columns:
        columns = {"index": None, **found.columns}
        found.columns = _Columns(columns, found.cells) if isinstance(found, Frame) else columns
    if call.name in ("replace", "convert_dtypes", "infer_objects", "shift", "diff"):
        found.columns = dict.fromkeys(found.columns)
    if call.name not in ("copy", "reset_index") and isinstance(found, Frame):
        found.cells = {}
    return _placed(call, found)


@MODELS.method("table", "head", "tail", "sample", "nlargest", "nsmallest")
def _some_rows(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    default = Value(1 if call.name == "sample" else 5)
    share = call.keywords.get("frac")
    asked = call.given(0, "n") or default
    whole, wanted = size(table.rows), size(asked)
    number: object = UNKNOWN
    if share is not None and isinstance(share.data, (int, float)) and whole is not None:
        number = round(whole * share.data)
    elif share is None and whole is not None and wanted is not None:
        if call.name == "sample" and wanted > whole and not call.keywords.get("replace"):
            what = "Cannot take a larger sample than population when 'replace=False'"
            raise Raised("value", what, asked, table.rows)
        number = min(wanted, whole) if wanted >= 0 else max(0, whole + wanted)
    rows = Value(number, merged(table.rows, asked))
    return Value(part_of(table, list(table.columns), rows), call.receiver.origins)


@MODELS.method("table", "astype")
def _astype(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table, wanted = table_of(call.receiver), call.given(0, "dtype")
    if table is None or wanted is None or call.receiver is None:
        return call.unknown()
    changes = wanted.data if isinstance(wanted.data, dict) else dict.fromkeys(table.columns, wanted)
    columns = dict(table.columns)
    for name, dtype in changes.items():
        if name not in columns:
            raise lacking(table, name, wanted, call.receiver)
        asked = dtype_name(dtype)
        _check_text(table, name, asked, dtype)
        columns[name] = asked
    return Value(Table(columns, table.rows, dict(table.origins_of)), call.receiver.origins)


def _check_text(table: Table, name: object, dtype: str | None, wanted: Value) -> None:
    """Raise where a text that is no number is to become one."""
    if dtype not in _NUMERIC or dtype == "bool" or not isinstance(table, Frame):
        return
    for index, cell in enumerate(table.cells.get(name, ())):
        if isinstance(cell, str) and _number(cell.strip()) is None:
            place = frozenset(table.lines[index : index + 1])
            what = f"could not convert string to number: {cell[:40]!r}"
            raise Raised("value", what, Value(cell, place), wanted)
        if cell is None and dtype.startswith(("int", "uint")):
            place = frozenset(table.lines[index : index + 1])
            what = "Cannot convert non-finite values (NA or inf) to integer"
            raise Raised("value", what, Value(None, place), wanted)


@MODELS.attribute("table", "columns")
def _column_names(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None:
        return call.unknown()
    names = [Value(name, table.origins_of.get(name, NOWHERE)) for name in table.columns]
    return Value(names, NOWHERE if call.receiver is None else call.receiver.origins)


@MODELS.attribute("table", "shape", "values", "size", "ndim", "empty", "index")
@MODELS.method("table", "to_numpy", "__array__", "__len__")
def _outline(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    width = Value(len(table.columns), merged(call.receiver))
    if call.name in ("values", "to_numpy", "__array__"):
        return _matrix(table, call)
    rows = size(table.rows)
    if call.name == "size":
        return arrays.product([table.rows, width])
    if call.name == "empty":
        return Value(UNKNOWN if rows is None else not rows or not table.columns, width.origins)
    if call.name == "index":
        return new((table.rows,), None, table.rows.origins)
    simple = {"shape": Value((table.rows, width), width.origins), "ndim": Value(2)}
    return simple.get(call.name, table.rows)


def _matrix(table: Table, call: Call) -> Value:
    asked = call.keywords.get("dtype")
    dtype = dtype_name(asked) if asked is not None else _common(list(table.columns.values()))
    parts = list(table.columns)
    if asked is not None:
        for name in parts:
            _check_text(table, name, dtype, asked)
    texts = [n for n, d in table.columns.items() if d == "object"]
    told = [Value(None, table.origins_of.get(n, NOWHERE)) for n in texts[:6]]
    origins = merged(*([] if call.receiver is None else [call.receiver]), *told)
    cells = [
        _bounds(table.cells.get(name)) if isinstance(table, Frame) else (None, None)
        for name in parts
    ]
    known = bool(cells) and all(low is not None for low, _ in cells)
    bounds = (
        (min(low for low, _ in cells if low is not None), max(h for _, h in cells if h is not None))
        if known
        else (None, None)
    )
    width = Value(len(parts), merged(*([] if call.receiver is None else [call.receiver])))
    return new((table.rows, width), dtype, origins, bounds)


def _common(dtypes: Sequence[str | None]) -> str | None:
    """Return the dtype of a table's values: text, or truths among numbers, make it object."""
    if "object" in dtypes:
        return "object"
    if "bool" in dtypes and set(dtypes) - {"bool"}:
        return None if None in dtypes else "object"
    return together(dtypes)


@MODELS.attribute("table", "iloc", "loc", "at", "iat")
@MODELS.attribute("array", "iloc", "loc", "at", "iat")
def _indexer(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    assert call.receiver is not None
    name = f"pandas.indexing._{call.name}"
    made = LibraryObject(name, (), {}, call.place, {"of": call.receiver})
    return Value(made, call.receiver.origins)


@MODELS.method("_iloc", "__getitem__")
@MODELS.method("_loc", "__getitem__")
@MODELS.method("_at", "__getitem__")
@MODELS.method("_iat", "__getitem__")
def _indexed(interpreter: Interpreter, call: Call) -> Value:
    """Select by position or label; a slice is an object of ``builtins.slice`` with its bounds."""
    whole = state_of(call.receiver, "of")
    rows, columns = call.given(0), call.given(1)
    positions = call.receiver is not None and "iloc" in getattr(call.receiver.data, "name", "")
    if isinstance(whole.data, Array):
        if whole.data.shape is None or rows is None or size(rows) is not None:
            return Value(UNKNOWN, whole.origins)
        kept = Value(_length(whole.data.shape[0], rows, positions), merged(whole, rows))
        made = Array(
            (kept,), whole.data.dtype, "numpy", None, whole.data.lowest, whole.data.highest
        )
        return Value(made, whole.origins)
    table = table_of(whole)
    if table is None or rows is None:
        return call.unknown()
    found: Table | None = table
    single: object = None
    is_single = False
    if columns is not None:
        names = _chosen(interpreter, table, columns, whole, positions)
        if names is None:
            return unknown(whole, columns)
        is_single = size(columns) is not None or isinstance(columns.data, str)
        single = names[0] if names else None
        found = part_of(table, names)
    if _is_one(rows, positions):
        limit, number = size(table.rows), size(rows)
        if positions and None not in (limit, number) and not _is_within(number, limit):
            what = "single positional indexer is out-of-bounds"
            raise Raised("index", what, rows, table.rows)
        if is_single or found is None:
            return unknown(whole, rows)
        dtype = _common(list(found.columns.values()))
        return new((Value(len(found.columns), whole.origins),), dtype, whole.origins)
    kept = Value(_length(table.rows, rows, positions), merged(table.rows, rows))
    everything = kept.data == table.rows.data and kept.data is not UNKNOWN
    if is_single:
        one = column(table, single, whole)
        data = one.data
        if isinstance(data, Series) and not everything:
            data.shape, data.cells = (kept,), None
        return one
    assert found is not None
    names = list(found.columns)
    return Value(found if everything else part_of(found, names, kept), whole.origins)


def _is_within(number: int | None, limit: int | None) -> bool:
    return number is None or limit is None or -limit <= number < limit


def _is_one(rows: Value, positions: bool) -> bool:
    return size(rows) is not None if positions else isinstance(rows.data, (int, str))


def _slice(value: Value) -> tuple[int | None, int | None, int | None] | None:
    """Return a slice's bounds, None where it is none or a bound is not a known number."""
    data = value.data
    if not isinstance(data, LibraryObject) or data.name != "builtins.slice":
        return None
    numbers: list[int | None] = []
    for bound in (*data.args, Value(None), Value(None), Value(None))[:3]:
        if bound.data is not None and size(bound) is None:
            return None
        numbers.append(size(bound))
    return numbers[0], numbers[1], numbers[2]


def _length(rows: Value, key: Value, positions: bool) -> object:
    bounds, limit = _slice(key), size(rows)
    if bounds is not None and limit is not None and bounds[2] != 0:
        if bounds == (None, None, None):
            return limit
        return len(range(*slice(*bounds).indices(limit))) if positions else UNKNOWN
    data = key.data
    if isinstance(data, list):
        return len(data)
    if isinstance(data, Array) and data.shape and data.dtype != "bool":
        return data.shape[0].data
    return UNKNOWN


def _chosen(
    interpreter: Interpreter, table: Table, key: Value, whole: Value, positions: bool
) -> list[object] | None:
    """Return the names of the columns that an indexer's second part selects."""
    names = list(table.columns)
    bounds = _slice(key)
    if bounds is not None and bounds[2] != 0:
        if positions or bounds == (None, None, None):
            return names[slice(*bounds)]
        return None
    if isinstance(key.data, LibraryObject) or not key.known or key.data is None:
        return None
    keys = [key] if isinstance(key.data, (int, str)) else listed(interpreter, key)
    if keys is None:
        return None
    found: list[object] = []
    for one in keys:
        if positions:
            number = size(one)
            if number is None:
                return None
            if not -len(names) <= number < len(names):
                count = Value(len(names), whole.origins)
                raise Raised("index", "positional indexers are out-of-bounds", one, count)
            found.append(names[number])
        else:
            if one.known and one.data not in table.columns:
                raise lacking(table, one.data, one, whole)
            found.append(one.data)
    return found


@MODELS.method("_loc", "__setitem__")
@MODELS.method("_iloc", "__setitem__")
@MODELS.method("_at", "__setitem__")
def _set_part(interpreter: Interpreter, call: Call) -> Value:
    """Forget the cells, and where columns are not told the dtypes, of a table written in part."""
    del interpreter
    table, columns = table_of(state_of(call.receiver, "of")), call.given(1)
    if table is None:
        return Value(None)
    named = columns is not None and isinstance(columns.data, str) and len(call.args) > 2
    names = [columns.data] if named and columns is not None else list(table.columns)
    for name in names:
        table.columns[name] = None
    return Value(None)


@MODELS.method("table", "iterrows", "itertuples", "items")
def _rows_of(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    origins = call.receiver.origins
    if call.name == "items":
        pairs = [
            (Value(n, table.origins_of.get(n, NOWHERE)), column(table, n)) for n in table.columns
        ]
        return Value([Value(pair, merged(*pair)) for pair in pairs], origins)
    cells = table.cells if isinstance(table, Frame) else {}
    number = size(table.rows)
    if cells and isinstance(table, Frame) and number is not None and number <= 2_000:
        made = [_row(table, index, call) for index in range(number)]
        if call.name == "iterrows":
            pairs_ = [(Value(i), row) for i, row in enumerate(made)]
            return Value([Value(pair, merged(*pair)) for pair in pairs_], origins)
        return Value(made, origins)
    held = {n: Value(UNKNOWN, table.origins_of.get(n, NOWHERE)) for n in table.columns}
    row = _row_value(held, origins, call)
    item = Value((Value(UNKNOWN), row)) if call.name == "iterrows" else row
    return Value(Lazy(item, table.rows), origins)


def _row(table: Frame, index: int, call: Call) -> Value:
    origins = frozenset({table.lines[index]}) if index < len(table.lines) else NOWHERE
    held: dict[object, Value] = {}
    for name in table.columns:
        cells = table.cells.get(name)
        if cells is None:
            held[name] = Value(UNKNOWN, table.origins_of.get(name, NOWHERE))
        else:
            cell = cells[index] if index < len(cells) else UNKNOWN
            held[name] = Value(float("nan") if cell is None else cell, origins)
    return _row_value(held, origins, call)


def _row_value(held: dict[object, Value], origins: Origins, call: Call) -> Value:
    """Return a row: a dict for ``iterrows``, an object with attributes for ``itertuples``."""
    if call.name == "iterrows":
        state = {"cells": Value(held, origins)}
        return Value(LibraryObject("pandas.Row", (), {}, call.place, state), origins)
    named = {str(name): value for name, value in held.items()}
    return Value(LibraryObject("pandas.Pandas", (), {}, call.place, named), origins)


@MODELS.method("Row", "__getitem__", "get")
def _cell(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    cells, key = state_of(call.receiver, "cells"), call.given(0)
    if not isinstance(cells.data, dict) or key is None or not isinstance(key.data, (str, int)):
        return call.unknown()
    found = cells.data.get(key.data)
    if found is None:
        if call.name == "get" or isinstance(key.data, int):
            return unknown(cells, key)
        raise Raised("key", f"{key.data!r}", key, cells)
    return found if isinstance(found, Value) else unknown(cells)


@MODELS.method("table", "rename")
def _rename(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table, names = table_of(call.receiver), call.keywords.get("columns")
    if table is None or names is None or not isinstance(names.data, dict):
        return call.unknown()
    changes = {
        old: new_.data for old, new_ in names.data.items() if isinstance(new_.data, (str, int))
    }
    if len(changes) != len(names.data):
        return call.unknown()
    found = part_of(table, list(table.columns))
    columns = {changes.get(name, name): dtype for name, dtype in found.columns.items()}
    origins = {changes.get(n, n): o for n, o in found.origins_of.items()}
    if isinstance(found, Frame):
        cells = {changes.get(n, n): c for n, c in found.cells.items()}
        return _placed(call, Frame(columns, found.rows, origins, cells, found.lines))
    return _placed(call, Table(columns, found.rows, origins))


@MODELS.method("table", "pop")
def _pop(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table, key = table_of(call.receiver), call.given(0, "item")
    if table is None or key is None or not isinstance(key.data, (str, int)):
        return call.unknown()
    assert call.receiver is not None
    if key.data not in table.columns:
        raise lacking(table, key.data, key, call.receiver)
    found = column(table, key.data, key)
    del table.columns[key.data]
    return found


@MODELS.method("table", "select_dtypes")
def _select_dtypes(interpreter: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    given, out = call.given(0, "include"), call.keywords.get("exclude")
    if table is None or call.receiver is None or any(d is None for d in table.columns.values()):
        return call.unknown()

    def kinds(value: Value | None) -> set[str] | None:
        if value is None or value.data is None:
            return set()
        items = [value] if not isinstance(value.data, list) else listed(interpreter, value) or []
        found: set[str] = set()
        for item in items:
            if item.data == "number" or getattr(item.data, "name", "") == "numpy.number":
                found.update(_NUMERIC)
                found.discard("bool")
                continue
            name = dtype_name(item)
            if item.data in ("category", "datetime64"):
                continue
            if name is None:
                return None
            found.add(name)
        return found

    wanted, left = kinds(given), kinds(out)
    if wanted is None or left is None:
        return call.unknown()
    asked = given is not None and given.data is not None
    names = [
        name
        for name, dtype in table.columns.items()
        if (not asked or dtype in wanted) and dtype not in left
    ]
    return Value(part_of(table, names), call.receiver.origins)


@MODELS.function("pandas.get_dummies")
def _get_dummies(interpreter: Interpreter, call: Call) -> Value:
    """Make a column of each value of the columns of text, where the cells are known."""
    given, asked = call.given(0, "data"), call.keywords.get("columns")
    first = is_true(call.keywords.get("drop_first"))
    if given is None:
        return call.unknown()
    wanted = None if asked is None else listed(interpreter, asked)
    dtype = dtype_name(call.keywords["dtype"]) if "dtype" in call.keywords else "bool"
    if isinstance(given.data, Series) and given.data.cells is not None and given.data.shape:
        values = _values(given.data.cells)[int(first) :]
        columns: dict[object, str | None] = dict.fromkeys(values, dtype)
        return Value(Table(columns, given.data.shape[0]), given.origins)
    table = table_of(given)
    if not isinstance(table, Frame) or (asked is not None and wanted is None):
        return unknown(given)
    names = (
        [name for name, d in table.columns.items() if d == "object"]
        if wanted is None
        else [name.data for name in wanted]
    )
    for name, key in zip(names, wanted or [Value(n) for n in names], strict=True):
        if name not in table.columns:
            raise lacking(table, name, key, given)
        if name not in table.cells:
            return unknown(given)
    if "prefix" in call.keywords or "dummy_na" in call.keywords:
        return unknown(given)
    columns = {name: d for name, d in table.columns.items() if name not in names}
    origins = {name: table.origins_of.get(name, NOWHERE) for name in columns}
    for name in names:
        for value in _values(table.cells[name])[int(first) :]:
            columns[f"{name}_{value}"] = dtype
            origins[f"{name}_{value}"] = table.origins_of.get(name, NOWHERE)
    return Value(Table(columns, table.rows, origins), given.origins)


def _values(cells: Sequence[object]) -> list[object]:
    """Return the distinct values that are there, sorted."""
    found = {cell for cell in cells if cell is not None}
    return sorted(found, key=lambda cell: (isinstance(cell, str), cell))


@MODELS.function("pandas.concat")
def _concat(interpreter: Interpreter, call: Call) -> Value:
    parts, axis = listed(interpreter, call.given(0, "objs")), call.given(1, "axis")
    tables = [table_of(part) for part in parts or ()]
    known = [table for table in tables if table is not None]
    if not known or len(known) != len(tables) or parts is None:
        return call.unknown()
    if axis is not None and axis.data in (1, "columns"):
        rows = known[0].rows
        same = all(table.rows.data == rows.data for table in known[1:])
        columns = {n: d for table in known for n, d in table.columns.items()}
        if len(columns) != sum(len(table.columns) for table in known):
            return call.unknown()
        origins = {n: o for table in known for n, o in table.origins_of.items()}
        length = rows if same else Value(UNKNOWN, merged(*(t.rows for t in known)))
        return Value(Table(columns, length, origins), merged(*parts))
    sizes = [size(table.rows) for table in known]
    total = UNKNOWN if None in sizes else sum(n for n in sizes if n is not None)
    names = list(dict.fromkeys(n for table in known for n in table.columns))
    columns = {}
    for name in names:
        own = [t.columns[name] for t in known if name in t.columns]
        dtype = own[0] if len(set(own)) == 1 else together(own)
        lacks = len(own) != len(known)
        columns[name] = None if lacks and dtype in ("int64", "bool") else dtype
    origins = {n: o for t in known for n, o in t.origins_of.items()}
    length = Value(total, merged(*(t.rows for t in known)))
    return Value(Table(columns, length, origins), merged(*parts))


@MODELS.function("pandas.merge")
@MODELS.method("table", "merge", "join")
def _merge(interpreter: Interpreter, call: Call) -> Value:
    given = ([call.receiver] if call.receiver is not None else []) + list(call.args)
    left, right = table_of(given[0] if given else None), table_of(given[1] if given[1:] else None)
    right_value = call.keywords.get("right")
    if right is None and right_value is not None:
        right = table_of(right_value)
    keys = call.keywords.get("on")
    if left is None or right is None or call.name.endswith("join"):
        return call.unknown()
    names = (
        None
        if keys is None
        else [keys]
        if isinstance(keys.data, str)
        else listed(interpreter, keys)
    )
    for name in names or ():
        for table in (left, right):
            if isinstance(name.data, str) and name.data not in table.columns:
                raise lacking(table, name.data, name, given[0])
    on = {name.data for name in names} if names else None
    shared = left.columns.keys() & right.columns.keys()
    if on is None:
        on = shared
    if not on or shared - on or {"left_on", "right_on", "left_index"} & call.keywords.keys():
        return call.unknown()
    inner = call.keywords.get("how") is None or call.keywords["how"].data == "inner"
    columns = {
        **left.columns,
        **{n: d if inner else None for n, d in right.columns.items() if n not in on},
    }
    origins = {**right.origins_of, **left.origins_of}
    rows = Value(UNKNOWN, merged(left.rows, right.rows))
    return Value(Table(columns, rows, origins), merged(*given))


@MODELS.method("table", "nunique", "mean", "std", "sum", "min", "max", "median", "count", "isna")
@MODELS.method("table", "isnull", "notna", "groupby", "apply", "pivot_table", "describe", "corr")
@MODELS.method("table", "value_counts", "var", "melt", "set_index", "assign", "agg", "transform")
def _summaries(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    if call.name in ("isna", "isnull", "notna"):
        columns: dict[object, str | None] = dict.fromkeys(table.columns, "bool")
        return Value(Table(columns, table.rows, dict(table.origins_of)), call.receiver.origins)
    by = call.given(0, "by", "keys") if call.name in ("groupby", "set_index") else None
    if by is not None and isinstance(by.data, str) and by.data not in table.columns:
        raise lacking(table, by.data, by, call.receiver)
    if call.name == "set_index" and by is not None and isinstance(by.data, str):
        return _placed(call, part_of(table, [n for n in table.columns if n != by.data]))
    if call.name == "assign":
        found = part_of(table, list(table.columns))
        for name, value in call.keywords.items():
            data = value.data
            found.columns[name] = data.dtype if isinstance(data, Array) else None
            found.origins_of[name] = value.origins
        return Value(found, call.receiver.origins)
    return unknown(call.receiver)


@MODELS.method("table", "to_csv", "to_json", "to_parquet", "to_pickle", "to_excel")
def _save(interpreter: Interpreter, call: Call) -> Value:
    note_written(interpreter, call.given(0, "path_or_buf", "path"))
    return Value(None)


@MODELS.method("table", "to_dict")
def _to_dict(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table, how = table_of(call.receiver), call.given(0, "orient")
    if table is None or call.receiver is None or how is None or how.data != "records":
        return call.unknown()
    rows = _rows_of_dict(table, call)
    return Value(rows, call.receiver.origins)


def _rows_of_dict(table: Table, call: Call) -> object:
    named = Call("iterrows", (), {}, call.place, call.receiver)
    number = size(table.rows)
    if isinstance(table, Frame) and len(table.cells) == len(table.columns) and number is not None:
        rows = [_row(table, index, named) for index in range(min(number, 2_000))]
        return [state_of(row, "cells") for row in rows] if number <= 2_000 else UNKNOWN
    held = {n: Value(UNKNOWN, table.origins_of.get(n, NOWHERE)) for n in table.columns}
    return Lazy(Value(held), table.rows)


MODELS.method("table", "info", "plot", "hist", "boxplot", "to_string")(nothing)


# Methods that only columns have.


def series_of(value: Value | None) -> Series | None:
    """Return a column whose cells are known, None otherwise."""
    data = value.data if value is not None else None
    return data if isinstance(data, Series) and data.cells is not None else None


@MODELS.method("array", "nunique")
def _nunique(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = series_of(call.receiver)
    if data is None or data.cells is None or call.receiver is None:
        return call.unknown()
    return Value(len(_values(data.cells)), call.receiver.origins)


_unique_of_tensors = MODELS.methods.get(("array", "unique"))


@MODELS.method("array", "unique")
def _unique(interpreter: Interpreter, call: Call) -> Value:
    data = series_of(call.receiver)
    if data is not None and data.cells is not None and call.receiver is not None:
        found = dict.fromkeys(data.cells)
        if len(found) <= MOST_ITEMS:
            count = Value(len(found), call.receiver.origins)
            low, high = data.lowest, data.highest
            made = Series((count,), data.dtype, "numpy", None, low, high, tuple(found))
            return Value(made, call.receiver.origins)
    tensors = _unique_of_tensors or MODELS.methods.get(("array", "unique_of_tensors"))
    return call.unknown() if tensors is None else tensors(interpreter, call)


@MODELS.attribute("array", "values", "array")
@MODELS.method("array", "to_numpy")
def _values_of(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = arrays.array(call.receiver)
    if data is None or call.receiver is None:
        return call.unknown()
    asked = call.keywords.get("dtype")
    if asked is None:
        return call.receiver
    return new(data.shape, dtype_name(asked), call.receiver.origins, (data.lowest, data.highest))


_EXACT: dict[str, Callable[[list[float]], float]] = {"max": max, "min": min, "sum": sum}
_of_tensors = {name: MODELS.methods.get(("array", name)) for name in _EXACT}


@MODELS.method("array", *_EXACT)
def _exact(interpreter: Interpreter, call: Call) -> Value:
    """Return the largest, the smallest or the sum of known cells; of all else what tensors give."""
    data = series_of(call.receiver)
    numbers = [
        cell for cell in (data.cells or () if data else ()) if isinstance(cell, (int, float))
    ]
    known = data is not None and data.cells is not None and len(numbers) == len(data.cells)
    if known and numbers and call.receiver is not None and not call.args and not call.keywords:
        return Value(_EXACT[call.name](numbers), call.receiver.origins)
    model = _of_tensors[call.name]
    return call.unknown() if model is None else model(interpreter, call)


_tolist_of_arrays = MODELS.methods.get(("array", "tolist"))


@MODELS.method("array", "tolist", "to_list", "items")
def _tolist(interpreter: Interpreter, call: Call) -> Value:
    data = series_of(call.receiver)
    if data is None or data.cells is None or call.receiver is None or call.name == "items":
        model = _tolist_of_arrays
        return call.unknown() if model is None else model(interpreter, call)
    return Value(cells_of(call.receiver), call.receiver.origins)


def cells_of(value: Value) -> list[Value]:
    """Return the cells of a column, each with the line that it stands on."""
    data = series_of(value)
    if data is None or data.cells is None:
        return []
    lines = data.lines if len(data.lines) == len(data.cells) else None
    return [
        Value(
            float("nan") if cell is None else cell,
            value.origins if lines is None else frozenset({lines[index]}),
        )
        for index, cell in enumerate(data.cells)
    ]


@MODELS.method("array", "__iter__")
def _iterate(interpreter: Interpreter, call: Call) -> Value:
    """Return the cells of a column where they are known, unknown otherwise."""
    del interpreter
    if series_of(call.receiver) is None or call.receiver is None:
        return Value(UNKNOWN)
    return Value(cells_of(call.receiver), call.receiver.origins)


@MODELS.method("array", "map", "apply")
def _map(interpreter: Interpreter, call: Call) -> Value:
    """Map a column by a dict or a function; a value that a dict lacks is missing."""
    data, by = arrays.array(call.receiver), call.given(0, "arg", "func")
    if data is None or by is None or call.receiver is None or not data.shape:
        return call.unknown()
    origins = merged(call.receiver, by)
    column_ = series_of(call.receiver)
    if isinstance(by.data, dict):
        found = by.data
        if column_ is not None and column_.cells is not None:
            cells = tuple(found[c].data if c in found else None for c in column_.cells)
            if all(c is None or isinstance(c, (int, float, str)) for c in cells):
                return _mapped(data, column_, cells, origins)
        dtypes = {type(value.data) for value in found.values()}
        dtype = None if dtypes <= {int, float} else "object" if dtypes == {str} else None
        return new(data.shape, dtype, origins)
    cells_ = cells_of(call.receiver)
    if isinstance(by.data, FunctionValue) and cells_ and len(cells_) <= 200:
        made = [interpreter.call(by, (cell,), {}, call.place) for cell in cells_]
        plain = tuple(one.data for one in made)
        if column_ is not None and all(isinstance(c, (int, float, str)) for c in plain):
            return _mapped(data, column_, plain, origins)
    return new(data.shape, None, origins)


def _mapped(data: Array, source: Series, cells: tuple[object, ...], origins: Origins) -> Value:
    kinds = {type(cell) for cell in cells}
    dtype = "object"
    if kinds <= {int, float, type(None)}:
        dtype = "int64" if kinds == {int} else "float64"
    elif kinds == {bool}:
        dtype = "bool"
    low, high = _bounds(cells) if dtype == "int64" else (None, None)
    lines = source.lines
    return Value(Series(data.shape, dtype, "numpy", None, low, high, cells, lines), origins)


_astype_of_arrays = MODELS.methods.get(("array", "astype"))


@MODELS.method("array", "astype")
def _astype_column(interpreter: Interpreter, call: Call) -> Value:
    column_, wanted = series_of(call.receiver), call.given(0, "dtype")
    dtype = dtype_name(wanted)
    if column_ is not None and wanted is not None and column_.cells is not None:
        made = Frame({"": column_.dtype}, Value(0), {}, {"": column_.cells}, column_.lines)
        _check_text(made, "", dtype, wanted)
        same = dtype == column_.dtype or (wanted.data in ("category", "string"))
        if same and call.receiver is not None:
            return call.receiver
    model = _astype_of_arrays
    return call.unknown() if model is None else model(interpreter, call)


@MODELS.method("array", "fillna", "ffill", "bfill", "reset_index", "sort_values", "sort_index")
@MODELS.method("array", "rename", "to_frame_column", "infer_objects")
def _same_column(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = arrays.array(call.receiver)
    if data is None or call.receiver is None:
        return call.unknown()
    if is_true(call.keywords.get("inplace")):
        return Value(None)
    if call.name == "reset_index" and not is_true(call.keywords.get("drop")):
        return call.unknown()
    return new(data.shape, data.dtype, call.receiver.origins, (data.lowest, data.highest))


@MODELS.method("array", "isna", "isnull", "notna", "notnull", "between", "duplicated")
def _tests(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = arrays.array(call.receiver)
    if data is None or call.receiver is None:
        return call.unknown()
    return new(data.shape, "bool", merged(call.receiver, *call.args))


@MODELS.method("array", "isin")
def _isin(interpreter: Interpreter, call: Call) -> Value:
    return _tests(interpreter, call)


@MODELS.method("array", "dropna", "drop_duplicates", "value_counts", "head", "tail", "sample")
def _fewer_cells(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = arrays.array(call.receiver)
    if data is None or not data.shape or call.receiver is None:
        return call.unknown()
    dtype = "int64" if call.name == "value_counts" else data.dtype
    column_ = series_of(call.receiver)
    number: object = UNKNOWN
    if column_ is not None and column_.cells is not None and call.name == "value_counts":
        number = len(_values(column_.cells))
    return new((Value(number, call.receiver.origins),), dtype, call.receiver.origins)


@MODELS.attribute("array", "str", "dt", "cat")
def _accessor(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    assert call.receiver is not None
    made = LibraryObject(f"pandas.{call.name}_accessor", (), {}, call.place, {"of": call.receiver})
    return Value(made, call.receiver.origins)


@MODELS.method("str_accessor", "lower", "upper", "strip", "replace", "title", "slice", "zfill")
def _text_column(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    whole = state_of(call.receiver, "of")
    data = arrays.array(whole)
    if data is None:
        return call.unknown()
    column_ = series_of(whole)
    simple = call.name in ("lower", "upper", "strip", "title") and not call.args
    if column_ is not None and column_.cells is not None and simple:
        cells = tuple(getattr(c, call.name)() if isinstance(c, str) else c for c in column_.cells)
        made = Series(data.shape, "object", "numpy", None, None, None, cells, column_.lines)
        return Value(made, whole.origins)
    return new(data.shape, "object", whole.origins)


@MODELS.attribute("cat_accessor", "codes")
def _codes(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    whole = state_of(call.receiver, "of")
    data, column_ = arrays.array(whole), series_of(whole)
    if data is None:
        return call.unknown()
    bounds: tuple[int | None, int | None] = (None, None)
    if column_ is not None and column_.cells is not None:
        bounds = (-1 if None in column_.cells else 0, len(_values(column_.cells)) - 1)
    return new(data.shape, "int8", whole.origins, bounds)


@MODELS.function("pandas.to_numeric")
def _to_numeric(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    given, errors = call.given(0, "arg"), call.given(1, "errors")
    data = arrays.array(given)
    if data is None or given is None:
        return call.unknown()
    column_ = series_of(given)
    if column_ is not None and errors is None:
        cells = column_.cells or ()
        made = Frame({"": "object"}, Value(0), {}, {"": cells}, column_.lines)
        _check_text(made, "", "float64", given)
    dtype = data.dtype if data.dtype in _NUMERIC else None
    return new(data.shape, dtype, given.origins, (data.lowest, data.highest))


@MODELS.function("pandas.factorize")
def _factorize(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    given = as_array(call.given(0, "values"))
    data, column_ = arrays.array(given), series_of(given)
    if data is None:
        return call.unknown()
    number = len(_values(column_.cells)) if column_ is not None and column_.cells else None
    codes = new(data.shape, "int64", given.origins, (0, number - 1) if number else (None, None))
    count = Value(UNKNOWN if number is None else number, given.origins)
    return Value((codes, new((count,), data.dtype, given.origins)), given.origins)


@MODELS.function("pandas.isna", "pandas.isnull", "pandas.notna")
def _isna(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    given = call.given(0, "obj")
    data = arrays.array(given)
    if given is not None and isinstance(given.data, (int, str, bool)):
        return Value(call.name.endswith("notna"), given.origins)
    if given is not None and isinstance(given.data, float):
        return Value(math.isnan(given.data) != call.name.endswith("notna"), given.origins)
    return call.unknown() if data is None else new(data.shape, "bool", merged(*call.args))


MODELS.function("pandas.set_option")(nothing)


# scikit-learn.


def matrix(value: Value | None) -> tuple[Array, Value] | None:
    """Return what scikit-learn takes as an array of samples, None where it is not known."""
    if value is None or not value.known:
        return None
    made = as_array(value)
    return (made.data, made) if isinstance(made.data, Array) else None


def _no_text(found: tuple[Array, Value], source: Value) -> None:
    """Raise where samples hold text that is no number."""
    table = table_of(source)
    if table is not None:
        texts = [name for name, dtype in table.columns.items() if dtype == "object"]
        for name in texts:
            cells = table.cells.get(name, ()) if isinstance(table, Frame) else ()
            for index, cell in enumerate(cells):
                if isinstance(cell, str) and _number(cell.strip()) is None:
                    lines = table.lines if isinstance(table, Frame) else ()
                    line = frozenset(lines[index : index + 1])
                    origins = table.origins_of.get(name, NOWHERE)
                    side = Value(cell, origins)
                    what = f"could not convert string to float: {cell[:40]!r}"
                    raise Raised("type", what, side, Value(cell, line))
        return
    if found[0].dtype == "object" and found[0].shape is not None and len(found[0].shape) == 2:
        return


def _wants_matrix(found: tuple[Array, Value]) -> None:
    data, value = found
    if data.shape is not None and len(data.shape) == 1:
        rank = Value(1, value.origins)
        raise Raised("size", "Expected 2D array, got 1D array instead", rank, Value(2))


def _same_features(call: Call, found: tuple[Array, Value]) -> None:
    """Check the number of features against that of the fit."""
    data, _ = found
    fitted = state_of(call.receiver, "n_features_in_")
    if data.shape is None or len(data.shape) < 2 or size(fitted) is None:
        return
    given = data.shape[1]
    if size(given) is not None and size(given) != size(fitted):
        what = f"X has {size(given)} features, but was fitted with {size(fitted)} features"
        raise Raised("size", what, given, fitted)


def _same_rows(x: tuple[Array, Value] | None, y: tuple[Array, Value] | None) -> None:
    if x is None or y is None or not x[0].shape or not y[0].shape:
        return
    what = "Found input variables with inconsistent numbers of samples"
    arrays.same(x[0].shape[0], y[0].shape[0], what)


def _remember(call: Call, **state: Value) -> None:
    if call.receiver is not None and isinstance(call.receiver.data, LibraryObject):
        call.receiver.data.state.update(state)


_SCALERS = (
    *("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Normalizer"),
    *("QuantileTransformer", "PowerTransformer", "SimpleImputer"),
)
_ESTIMATORS = (
    *("LogisticRegression", "LinearRegression", "Ridge", "Lasso", "ElasticNet", "SGDClassifier"),
    *("RandomForestClassifier", "RandomForestRegressor", "DecisionTreeClassifier", "SVC", "SVR"),
    *("DecisionTreeRegressor", "KNeighborsClassifier", "KNeighborsRegressor", "GaussianNB"),
    *("GradientBoostingClassifier", "GradientBoostingRegressor", "MLPClassifier", "MLPRegressor"),
    *("ExtraTreesClassifier", "AdaBoostClassifier", "LinearSVC", "SGDRegressor", "RidgeClassifier"),
    *("XGBClassifier", "XGBRegressor", "LGBMClassifier", "LGBMRegressor", "MultinomialNB"),
)


def _each(kinds: Sequence[str], *names: str) -> Callable[[object], object]:
    def keep(model: object) -> object:
        for kind in kinds:
            for name in names:
                MODELS.methods[kind, name] = model  # type: ignore[assignment]
        return model

    return keep


@_each(_SCALERS, "fit", "transform", "fit_transform", "inverse_transform")
def _scaled(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    found = matrix(source)
    if found is None or source is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = found
    _wants_matrix(found)
    imputes = (
        call.receiver is not None and getattr(call.receiver.data, "short", "") == "SimpleImputer"
    )
    if not imputes:
        _no_text(found, source)
    if call.name.startswith("fit"):
        if data.shape is not None and len(data.shape) == 2:
            _remember(call, n_features_in_=data.shape[1])
    else:
        _same_features(call, found)
    if call.name == "fit":
        return call.receiver or call.unknown()
    kept = ("float32", "float64", "object") if imputes else ("float32", "float64")
    return new(data.shape, data.dtype if data.dtype in kept else "float64", value.origins)


@_each(("LabelEncoder",), "fit", "transform", "fit_transform")
def _label_encoder(interpreter: Interpreter, call: Call) -> Value:
    source = call.given(0, "y")
    found = matrix(source)
    if found is None or source is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = found
    if data.shape is not None and len(data.shape) > 1 and size(data.shape[1]) != 1:
        raise Raised("size", "y should be a 1d array", Value(len(data.shape), value.origins))
    cells = _plain_cells(interpreter, source)
    if call.name.startswith("fit"):
        values = None if cells is None else _values(cells)
        count = Value(UNKNOWN if values is None else len(values), value.origins)
        known = None if values is None else tuple(values)
        classes = Series((count,), data.dtype, "numpy", None, None, None, known)
        _remember(call, classes_=Value(classes, value.origins))
    if call.name == "fit":
        return call.receiver or call.unknown()
    held = state_of(call.receiver, "classes_").data
    number = size(held.shape[0]) if isinstance(held, Array) and held.shape else None
    if call.name == "transform" and isinstance(held, Series) and held.cells and cells is not None:
        for index, cell in enumerate(cells):
            if cell not in held.cells:
                side = _at(source, index, cell)
                raise Raised("value", f"y contains previously unseen labels: {cell!r}", side)
    return new(data.shape, "int64", value.origins, (0, number - 1) if number else (None, None))


def _plain_cells(interpreter: Interpreter, value: Value) -> tuple[object, ...] | None:
    data = series_of(value)
    if data is not None:
        return data.cells
    items = listed(interpreter, value) if isinstance(value.data, (list, tuple)) else None
    if items and all(isinstance(item.data, (int, float, str)) for item in items):
        return tuple(item.data for item in items)
    return None


def _at(source: Value, index: int, cell: object) -> Value:
    data = series_of(source)
    if data is not None and index < len(data.lines):
        return Value(cell, frozenset({data.lines[index]}))
    return Value(cell, source.origins)


@_each(("OneHotEncoder", "OrdinalEncoder"), "fit", "transform", "fit_transform")
def _one_hot(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    found = matrix(source)
    if found is None or source is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = found
    _wants_matrix(found)
    table = table_of(source)
    held = call.receiver.data if call.receiver is not None else None
    ordinal = isinstance(held, LibraryObject) and held.short == "OrdinalEncoder"
    if call.name.startswith("fit"):
        total: object = UNKNOWN
        if isinstance(table, Frame) and len(table.cells) == len(table.columns):
            total = sum(len(dict.fromkeys(cells)) for cells in table.cells.values())
        if isinstance(held, LibraryObject) and held.keywords.keys() & {"drop", "categories"}:
            total = UNKNOWN
        _remember(call, width=Value(total, value.origins))
        if data.shape is not None and len(data.shape) == 2:
            _remember(call, n_features_in_=data.shape[1])
    else:
        _same_features(call, found)
    if call.name == "fit":
        return call.receiver or call.unknown()
    if ordinal:
        return new(data.shape, "float64", value.origins)
    width = state_of(call.receiver, "width")
    rows = data.shape[0] if data.shape else Value(UNKNOWN, value.origins)
    return new((rows, Value(width.data, merged(width, value))), "float64", value.origins)


@_each(("PCA", "TruncatedSVD"), "fit", "transform", "fit_transform")
def _reduced(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    found = matrix(source)
    if found is None or source is None or call.receiver is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = found
    _wants_matrix(found)
    held = call.receiver.data
    count = None
    if isinstance(held, LibraryObject):
        count = held.keywords.get("n_components") or (held.args[0] if held.args else None)
    if call.name.startswith("fit") and data.shape is not None and len(data.shape) == 2:
        _remember(call, n_features_in_=data.shape[1])
        wanted, limit = size(count), size(data.shape[1])
        if wanted is not None and limit is not None and wanted > limit and count is not None:
            what = "n_components must be between 0 and min(n_samples, n_features)"
            raise Raised("size", what, count, data.shape[1])
    elif not call.name.startswith("fit"):
        _same_features(call, found)
    if call.name == "fit":
        return call.receiver
    rows = data.shape[0] if data.shape else Value(UNKNOWN, value.origins)
    width = Value(UNKNOWN) if count is None or size(count) is None else count
    return new((rows, width), "float64", value.origins)


@_each(("ColumnTransformer", "Pipeline"), "fit", "transform", "fit_transform")
def _composed(interpreter: Interpreter, call: Call) -> Value:
    """Check the columns that a `ColumnTransformer` names; the width is not known."""
    source = call.given(0, "X")
    held = call.receiver.data if call.receiver is not None else None
    table = table_of(source)
    if not isinstance(held, LibraryObject) or source is None:
        return call.unknown()
    if held.short == "ColumnTransformer" and table is not None:
        steps = held.keywords.get("transformers") or (held.args[0] if held.args else None)
        for step in listed(interpreter, steps) or []:
            parts = step.data if isinstance(step.data, tuple) else ()
            for name in listed(interpreter, parts[2]) or [] if len(parts) == 3 else []:
                if isinstance(name.data, str) and name.data not in table.columns:
                    raise lacking(table, name.data, name, source)
    if call.name == "fit":
        return call.receiver or call.unknown()
    found = matrix(source)
    if found is None or not found[0].shape:
        return call.unknown()
    return new((found[0].shape[0], Value(UNKNOWN, source.origins)), None, source.origins)


@_each(_ESTIMATORS, "fit", "partial_fit")
def _fit(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source, target = call.given(0, "X"), call.given(1, "y")
    x, y = matrix(source), matrix(target)
    if x is not None and source is not None:
        _wants_matrix(x)
        _no_text(x, source)
        if x[0].shape is not None and len(x[0].shape) == 2:
            _remember(call, n_features_in_=x[0].shape[1])
    _same_rows(x, y)
    return call.receiver or call.unknown()


@_each(_ESTIMATORS, "predict", "predict_proba", "score", "decision_function")
def _predict(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    x = matrix(source)
    if x is None or source is None:
        return call.unknown()
    _wants_matrix(x)
    _no_text(x, source)
    _same_features(call, x)
    if call.name == "score":
        _same_rows(x, matrix(call.given(1, "y")))
        return call.unknown()
    rows = x[0].shape[0] if x[0].shape else Value(UNKNOWN)
    if call.name == "predict":
        return new((rows,), None, source.origins)
    if call.name == "predict_proba":
        return new((rows, Value(UNKNOWN)), "float64", source.origins)
    return call.unknown()


@MODELS.function("sklearn.model_selection.train_test_split")
def _train_test_split(interpreter: Interpreter, call: Call) -> Value:
    """Return two parts of each array; their rows as scikit-learn rounds them."""
    shapes = [_rows_in(interpreter, arg) for arg in call.args]
    first: Value | None = None
    for rows in shapes:
        if rows is not None:
            what = "Found input variables with inconsistent numbers of samples"
            first = rows if first is None else arrays.same(first, rows, what)
    test, train = call.keywords.get("test_size"), call.keywords.get("train_size")
    counts = _split_counts(None if first is None else size(first), test, train)
    origins = merged(*[v for v in (first, test, train) if v is not None])
    found: list[Value] = []
    for arg in call.args:
        found.extend(_with_rows(arg, Value(UNKNOWN if n is None else n, origins)) for n in counts)
    return Value(found, merged(*call.args))


def _rows_in(interpreter: Interpreter, value: Value) -> Value | None:
    data = value.data
    if isinstance(data, Table):
        return data.rows
    if isinstance(data, Array):
        return data.shape[0] if data.shape else None
    if isinstance(data, (list, tuple)):
        return Value(len(data), value.origins)
    if isinstance(data, Lazy):
        return data.length
    del interpreter
    return None


def _split_counts(
    rows: int | None, test: Value | None, train: Value | None
) -> tuple[int | None, int | None]:
    """Return the numbers of rows for training and test (``sklearn.model_selection``)."""
    share: object = 0.25 if test is None and train is None else None
    share = test.data if test is not None and test.data is not None else share
    other = train.data if train is not None else None
    if rows is None or isinstance(share, bool) or isinstance(other, bool):
        return None, None
    for given in (share, other):
        if given is not None and not isinstance(given, (int, float)):
            return None, None
    second = math.ceil(share * rows) if isinstance(share, float) else share
    first = math.floor(other * rows) if isinstance(other, float) else other
    if second is None and isinstance(first, int):
        second = rows - first
    if first is None and isinstance(second, int):
        first = rows - second
    if not isinstance(first, int) or not isinstance(second, int) or first < 0 or second < 0:
        return None, None
    return first, second


def _with_rows(value: Value, rows: Value) -> Value:
    data = value.data
    if isinstance(data, Table):
        return Value(part_of(data, list(data.columns), rows), value.origins)
    if isinstance(data, Array):
        shape = None if data.shape is None else (rows, *data.shape[1:])
        made = Array(shape, data.dtype, data.library, data.device, data.lowest, data.highest)
        return Value(made, value.origins)
    if isinstance(data, Lazy):
        return Value(Lazy(data.item, rows), value.origins)
    if isinstance(data, (list, tuple)) and data:
        from dl_bug_lsp.interpretation.stdlib_models import alike

        item = alike([one for one in data if isinstance(one, Value)])
        number = size(rows)
        if number is not None and number <= MOST_ITEMS:
            return Value([Value(item.data, item.origins) for _ in range(number)], value.origins)
        return Value(Lazy(item, rows), value.origins)
    return Value(UNKNOWN, value.origins)


_LOADED: dict[str, tuple[int, int, str, int]] = {
    "load_iris": (150, 4, "int64", 3),
    "load_digits": (1797, 64, "int64", 10),
    "load_wine": (178, 13, "int64", 3),
    "load_breast_cancer": (569, 30, "int64", 2),
    "load_diabetes": (442, 10, "float64", 0),
    "fetch_california_housing": (20640, 8, "float64", 0),
}
"""Rows, features, dtype and classes of the data sets that come with scikit-learn."""


@MODELS.function(*(f"sklearn.datasets.{name}" for name in _LOADED))
def _load(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    rows, width, dtype, classes = _LOADED[call.name.rpartition(".")[2]]
    place = frozenset({call.place})
    bounds = (0, classes - 1) if classes else (None, None)
    x = new((Value(rows, place), Value(width, place)), "float64", place)
    y = new((Value(rows, place),), dtype, place, bounds)
    if "as_frame" in call.keywords or "n_class" in call.keywords:
        return call.unknown()
    if is_true(call.keywords.get("return_X_y")):
        return Value((x, y), place)
    names = Value([Value(UNKNOWN) for _ in range(width)], place)
    parts = {"data": x, "target": y, "feature_names": names}
    if call.name.endswith("load_digits"):
        side = Value(8, place)
        parts["images"] = new((Value(rows, place), side, side), "float64", place)
    return thing("sklearn.utils.Bunch", call, **parts)


@MODELS.method("Bunch", "__getitem__")
def _bunch(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    key = call.given(0)
    if key is None or not isinstance(key.data, str):
        return call.unknown()
    return state_of(call.receiver, key.data)


@MODELS.function("sklearn.datasets.make_classification", "sklearn.datasets.make_regression")
@MODELS.function("sklearn.datasets.make_blobs", "sklearn.datasets.make_moons")
@MODELS.function("sklearn.datasets.make_circles")
def _make(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    name = call.name.rpartition(".")[2]
    wide = {"make_classification": 20, "make_regression": 100, "make_blobs": 2}
    rows = call.given(0, "n_samples") or Value(100)
    width = call.given(1, "n_features") if name in wide else Value(2)
    width = width or Value(wide[name])
    if size(rows) is None:
        rows = Value(UNKNOWN, rows.origins)
    dtype = "float64" if name == "make_regression" else "int64"
    classes: int | None = 2
    if name == "make_classification":
        classes = size(call.keywords["n_classes"]) if "n_classes" in call.keywords else 2
    elif name == "make_blobs":
        classes = size(call.keywords["centers"]) if "centers" in call.keywords else 3
    bounds = (0, classes - 1) if classes and dtype == "int64" else (None, None)
    x = new((rows, width), "float64", merged(rows, width))
    shape: tuple[Value, ...] = (rows,)
    targets = call.keywords.get("n_targets")
    if targets is not None and targets.data != 1:
        shape = (rows, Value(targets.data if size(targets) else UNKNOWN, targets.origins))
    y = new(shape, dtype, merged(*call.keywords.values()), bounds)
    return Value((x, y), merged(rows, width))


@MODELS.function(
    *(f"sklearn.metrics.{n}" for n in ("accuracy_score", "f1_score", "mean_squared_error")),
    *(f"sklearn.metrics.{n}" for n in ("mean_absolute_error", "r2_score", "precision_score")),
    *(f"sklearn.metrics.{n}" for n in ("recall_score", "classification_report", "roc_auc_score")),
)
def _metric(interpreter: Interpreter, call: Call) -> Value:
    """Check that the two arrays are of one length."""
    del interpreter
    first, second = call.given(0, "y_true"), call.given(1, "y_pred", "y_score")
    _same_rows(matrix(first), matrix(second))
    return call.unknown()


@_each(("KFold", "StratifiedKFold"), "split")
def _folds(interpreter: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, LibraryObject):
        return call.unknown()
    count = held.keywords.get("n_splits") or (held.args[0] if held.args else Value(5))
    rows = _rows_in(interpreter, call.args[0]) if call.args else None
    limit = None if rows is None else size(rows)
    number = size(count)
    if rows is not None and limit is not None and number is not None and number > limit:
        what = "Cannot have number of splits greater than the number of samples"
        raise Raised("value", what, count, rows)
    top = (0, limit - 1) if limit else (None, None)
    even = limit is not None and number and limit % number == 0
    test = Value(limit // number if even and limit and number else UNKNOWN, merged(count))
    train = Value(limit - limit // number if even and limit and number else UNKNOWN, merged(count))
    pair = Value((new((train,), "int64", NOWHERE, top), new((test,), "int64", NOWHERE, top)))
    return Value(Lazy(pair, count))
