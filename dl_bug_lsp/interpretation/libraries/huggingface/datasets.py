"""Models of Hugging Face's ``datasets``: tables of columns, maps over them, splits.

A column is a list where its cells are known, else so many items of one kind.
Source: the datasets 4 reference (``Dataset``, ``DatasetDict``, ``load_dataset``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array
from dl_bug_lsp.interpretation.libraries.python.files import file_of, text_in
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, is_true, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import alike, value_of
from dl_bug_lsp.interpretation.table_values import Frame, table_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Instance,
    Lazy,
    LibraryObject,
    Origins,
    Raised,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

DATASET = "datasets.ArrowDataset"
SPLITS = "datasets.DatasetDict"
FEW = 256
"""Rows that are looked at one by one."""
SAMPLED = 8
"""Rows of more than that of which the others' kind is taken."""
BATCH = 1_000
Columns = dict[object, Value]


def made(columns: Mapping[object, Value], rows: Value, call: Call, **state: Value) -> Value:
    """Return a data set of columns."""
    held = {"columns": Value(dict(columns)), "rows": rows, **state}
    data = LibraryObject(DATASET, (), {}, call.place, held)
    return Value(data, merged(rows, *list(columns.values())[:8]))


def columns_of(value: Value | None) -> Columns | None:
    """Return the columns of a data set by name, None of what is none or not known."""
    held = state_of(value, "columns").data
    return held if isinstance(held, dict) else None


def rows_of(value: Value | None) -> Value:
    """Return the number of rows of a data set."""
    return state_of(value, "rows")


def _outlined(items: list[Value], rows: Value) -> Value:
    """Return a column of which some items are known."""
    return Value(Lazy(alike(items[:FEW]), rows), merged(rows, *items[:SAMPLED]))


def _loose(column: Value, rows: Value) -> Value:
    """Return a column whose items stand in another order, or of which some are chosen."""
    data = column.data
    if isinstance(data, list):
        return _outlined(data, rows)
    if isinstance(data, Lazy):
        return Value(Lazy(data.item, rows), column.origins)
    return unknown(column, rows)


def _cell(column: Value, index: int) -> Value:
    data = column.data
    if isinstance(data, list):
        return data[index] if -len(data) <= index < len(data) else Value(UNKNOWN)
    return data.item if isinstance(data, Lazy) else unknown(column)


def _part(column: Value, chosen: range) -> Value:
    data = column.data
    if isinstance(data, list):
        return Value([data[i] for i in chosen], column.origins)
    item = data.item if isinstance(data, Lazy) else unknown(column)
    return Value(Lazy(item, Value(len(chosen))), column.origins)


def _as_column(interpreter: Interpreter, value: Value) -> tuple[Value, Value]:
    """Return a column and its number of items."""
    data = value.data
    if isinstance(data, Array):
        if not data.shape:
            return unknown(value), Value(UNKNOWN)
        item = Value(Array(data.shape[1:], data.dtype, "numpy"), value.origins)
        return Value(Lazy(item, data.shape[0]), value.origins), data.shape[0]
    if isinstance(data, (list, tuple)):
        return Value(list(data), value.origins), Value(len(data), value.origins)
    if isinstance(data, Lazy):
        return value, data.length
    items = listed(interpreter, value) if value.known else None
    if items is None:
        return unknown(value), Value(UNKNOWN)
    return Value(items, value.origins), Value(len(items), value.origins)


def _of_columns(interpreter: Interpreter, given: Mapping[object, Value], call: Call) -> Value:
    columns: Columns = {}
    rows = Value(UNKNOWN)
    for name, value in given.items():
        columns[name], count = _as_column(interpreter, value)
        rows = count if size(count) is not None else rows
    return made(columns, rows, call)


@MODELS.function("datasets.Dataset.from_dict")
def _from_dict(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "mapping")
    if given is None or not isinstance(given.data, dict):
        return call.unknown()
    return _of_columns(interpreter, given.data, call)


@MODELS.function("datasets.Dataset.from_list", "datasets.Dataset.from_generator")
def _from_list(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "mapping", "generator")
    if given is not None and call.name.endswith("generator"):
        more = call.keywords.get("gen_kwargs")
        keywords = more.data if more is not None and isinstance(more.data, dict) else {}
        keywords = {str(name): value for name, value in keywords.items()}
        given = interpreter.call(given, (), keywords, call.place)
    items = None if given is None else interpreter.iterate(given)
    if isinstance(items, Lazy):
        if not isinstance(items.item.data, dict):
            return call.unknown()
        columns = {n: Value(Lazy(v, items.length)) for n, v in items.item.data.items()}
        return made(columns, items.length, call)
    if not items or not all(isinstance(item.data, dict) for item in items):
        return call.unknown()
    return _of_rows(items, call)


def _of_rows(items: list[Value], call: Call) -> Value:
    names: dict[object, None] = {}
    for item in items:
        names.update(dict.fromkeys(item.data if isinstance(item.data, dict) else ()))
    columns: Columns = {}
    for name in names:
        cells = [
            item.data.get(name, Value(None)) if isinstance(item.data, dict) else Value(UNKNOWN)
            for item in items
        ]
        columns[name] = Value(cells, merged(*cells[:8]))
    return made(columns, Value(len(items), merged(*items[:8])), call)


@MODELS.function("datasets.Dataset.from_pandas")
def _from_pandas(_: Interpreter, call: Call) -> Value:
    table = table_of(call.given(0, "df"))
    return call.unknown() if table is None else _of_table(table, call)


def _of_table(table: Table, call: Call) -> Value:
    columns: Columns = {}
    for name, dtype in table.columns.items():
        cells = table.cells.get(name) if isinstance(table, Frame) else None
        origins = table.origins_of.get(name, frozenset())
        if cells is not None and len(cells) <= MOST_ITEMS:
            columns[name] = Value([value_of(cell, origins) for cell in cells], origins)
        else:
            item = Value(UNKNOWN if dtype in (None, "object") else Array((), dtype, "numpy"))
            columns[name] = Value(Lazy(item, table.rows), origins)
    return made(columns, table.rows, call)


# --- files ----------------------------------------------------------------------------------------


def _read(interpreter: Interpreter, kind: str, path: Value, call: Call) -> Value:
    """Return a data set of a file: CSV, JSON lines or text."""
    if kind == "text":
        file = file_of(interpreter, path)
        text = text_in(interpreter, file)
        if file is None or text is None:
            return call.unknown()
        lines = text.split("\n")
        lines = lines[:-1] if lines and not lines[-1] else lines
        cells = [Value(line, frozenset({(file, i)})) for i, line in enumerate(lines, 1)]
        rows = Value(len(cells), path.origins)
        column = (
            Value(cells, path.origins)
            if len(cells) <= MOST_ITEMS
            else Value(Lazy(Value(UNKNOWN), rows))
        )
        return made({"text": column}, rows, call)
    name = "pandas.read_csv" if kind == "csv" else "pandas.read_json"
    options = {
        k: v for k, v in call.keywords.items() if k in ("sep", "delimiter", "names", "header")
    }
    if kind == "json":
        options["lines"] = Value(data=True)
    result = MODELS.functions[name](interpreter, Call(name, (path,), options, call.place))
    table = table_of(result)
    return call.unknown() if table is None else _of_table(table, call)


@MODELS.function("datasets.load_dataset")
def _load(interpreter: Interpreter, call: Call) -> Value:
    """Return what local files of a kind hold; what lies on the hub is not known."""
    kind, files, split = (
        call.given(0, "path"),
        call.given(3, "data_files"),
        call.keywords.get("split"),
    )
    if kind is None or files is None or kind.data not in ("csv", "json", "text"):
        return call.unknown()
    names = files.data if isinstance(files.data, dict) else {"train": files}
    parts: Columns = {}
    for name, path in names.items():
        if isinstance(path.data, list) and len(path.data) == 1:
            path = path.data[0]
        if not isinstance(path.data, str):
            return call.unknown()
        parts[name] = _read(interpreter, str(kind.data), path, call)
    if split is not None and split.data is not None:
        return parts.get(split.data, call.unknown())
    return _dict_of(parts, call)


@MODELS.function(
    "datasets.Dataset.from_csv", "datasets.Dataset.from_json", "datasets.Dataset.from_text"
)
def _from_file(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "path_or_paths")
    if path is None or not isinstance(path.data, str):
        return call.unknown()
    return _read(interpreter, call.name.rpartition("_")[2], path, call)


# --- rows and columns -----------------------------------------------------------------------------


def _formatted(value: Value, how: object) -> Value:
    """Return a cell as a data set with a format gives it."""
    if how not in ("torch", "pt", "numpy", "np", "jax", "tensorflow", "tf"):
        return value
    if isinstance(value.data, str):
        return value
    try:
        data = as_array(value).data
    except Raised:
        return value
    if not isinstance(data, Array) or data.dtype == "object":
        return value if not isinstance(value.data, (list, Lazy)) else unknown(value)
    library = {"torch": "torch", "pt": "torch", "jax": "jax"}.get(str(how), "numpy")
    library = "tensorflow" if how in ("tensorflow", "tf") else library
    dtype = "float32" if data.dtype == "float64" else data.dtype
    if library == "jax" and dtype == "int64":
        dtype = "int32"
    bounds = (data.lowest, data.highest)
    return Value(Array(data.shape, dtype, library, None, *bounds), value.origins)


def _shown(value: Value) -> Columns:
    """Return the columns that a data set shows: those of its format."""
    columns = columns_of(value) or {}
    chosen = state_of(value, "shown").data
    if isinstance(chosen, list):
        names = [item.data for item in chosen]
        return {name: column for name, column in columns.items() if name in names}
    return columns


def _row(value: Value, index: int) -> Value:
    how = state_of(value, "format").data
    columns = _shown(value)
    return Value(
        {n: _formatted(_cell(column, index), how) for n, column in columns.items()}, value.origins
    )


@MODELS.method("ArrowDataset", "__getitem__")
def _getitem(interpreter: Interpreter, call: Call) -> Value:
    """Return a column, a row, or rows as a dict of columns."""
    key, value = call.given(0), call.receiver
    columns = columns_of(value)
    if key is None or value is None or columns is None:
        return call.unknown()
    how = state_of(value, "format").data
    if isinstance(key.data, str):
        if key.data not in columns:
            header = Value(UNKNOWN, value.origins)
            raised = Raised("key", f"Column {key.data} not in the dataset", key, header)
            raised.available = {str(name): v.origins for name, v in columns.items()}
            raise raised
        column = columns[key.data]
        return column if how is None else _formatted(column, how)
    number, rows = size(key), size(rows_of(value))
    if number is not None:
        if rows is not None and not -rows <= number < rows:
            raise Raised("index", f"Invalid key: {number} is out of bounds", key, rows_of(value))
        return _row(value, number)
    chosen = _chosen(interpreter, key, rows)
    parts = {}
    for name, column in _shown(value).items():
        part = _loose(column, Value(UNKNOWN)) if chosen is None else _picked(column, chosen)
        parts[name] = _formatted(part, how)
    return Value(parts, merged(value, key))


def _picked(column: Value, chosen: list[int]) -> Value:
    data = column.data
    if isinstance(data, list):
        return Value([data[i] for i in chosen if -len(data) <= i < len(data)], column.origins)
    item = data.item if isinstance(data, Lazy) else unknown(column)
    return Value(Lazy(item, Value(len(chosen))), column.origins)


def _chosen(interpreter: Interpreter, key: Value, rows: int | None) -> list[int] | None:
    data = key.data
    if isinstance(data, LibraryObject) and data.name == "builtins.slice":
        bounds = [None if item.data is None else size(item) for item in data.args]
        bounds_given = [item for item in data.args if item.data is not None]
        if rows is None or len(bounds_given) != sum(b is not None for b in bounds):
            return None
        bounds += [None] * (3 - len(bounds))
        return list(range(*slice(*bounds).indices(rows)))
    items = (
        listed(interpreter, key) if isinstance(data, (list, tuple, Lazy, LibraryObject)) else None
    )
    numbers = [size(item) for item in items or ()]
    if not numbers or None in numbers:
        return None
    return [number for number in numbers if number is not None]


@MODELS.method("ArrowDataset", "__len__")
@MODELS.attribute("ArrowDataset", "num_rows")
def _length(_: Interpreter, call: Call) -> Value:
    return rows_of(call.receiver)


@MODELS.attribute("ArrowDataset", "column_names", "num_columns", "features", "shape", "format")
def _attributes(_: Interpreter, call: Call) -> Value:
    columns, value = columns_of(call.receiver), call.receiver
    if columns is None or value is None:
        return call.unknown()
    count = Value(len(columns), value.origins)
    names = Value([Value(name, value.origins) for name in columns], value.origins)
    if call.name == "features":
        return Value({name: Value(UNKNOWN) for name in columns}, value.origins)
    known = {"column_names": names, "num_columns": count}
    known["shape"] = Value((rows_of(value), count), value.origins)
    return known.get(call.name, call.unknown())


@MODELS.method("ArrowDataset", "__iter__")
def _iterated(_: Interpreter, call: Call) -> Value:
    value = call.receiver
    if value is None or columns_of(value) is None:
        return call.unknown()
    rows = rows_of(value)
    number = size(rows)
    if number is not None and number <= BATCH:
        return Value([_row(value, i) for i in range(number)], value.origins)
    how = state_of(value, "format").data
    items = {n: _formatted(_loose(c, rows).data.item, how) for n, c in _shown(value).items()}  # type: ignore[attr-defined]
    return Value(Lazy(Value(items, value.origins), rows), value.origins)


@MODELS.method("ArrowDataset", "iter")
def _in_batches(_: Interpreter, call: Call) -> Value:
    value, count = call.receiver, call.given(0, "batch_size")
    if value is None or count is None:
        return call.unknown()
    how = state_of(value, "format").data
    parts = {n: _formatted(_loose(c, count), how) for n, c in _shown(value).items()}
    rows, each = size(rows_of(value)), size(count)
    number = UNKNOWN if rows is None or not each else -(-rows // each)
    return Value(Lazy(Value(parts), Value(number)), value.origins)


def _with(value: Value, columns: Mapping[object, Value], rows: Value, call: Call) -> Value:
    """Return a data set like another, with other columns."""
    kept = {name: state_of(value, name) for name in ("format", "shown") if name in _state(value)}
    return made(columns, rows, call, **kept)


def _state(value: Value) -> Mapping[str, Value]:
    return value.data.state if isinstance(value.data, LibraryObject) else {}


# --- maps -----------------------------------------------------------------------------------------


def _fields(value: Value) -> Columns | None:
    """Return what a function that is mapped gives for a row or batch, None where not known."""
    data = value.data
    if isinstance(data, LibraryObject) and data.short == "BatchEncoding":
        fields: Columns = {}
        fields.update(data.state)
        return fields
    return data if isinstance(data, dict) else None


def _called(
    interpreter: Interpreter, call: Call, given: Value, more: Iterable[Value] = ()
) -> Value:
    function = call.given(0, "function") or Value(None)
    named = call.keywords.get("fn_kwargs")
    keywords = named.data if named is not None and isinstance(named.data, dict) else {}
    own = {str(name): value for name, value in keywords.items()}
    chosen = call.keywords.get("input_columns")
    args: tuple[Value, ...] = (given,)
    if chosen is not None and chosen.data is not None and isinstance(given.data, dict):
        names = [chosen] if isinstance(chosen.data, str) else listed(interpreter, chosen) or []
        args = tuple(given.data.get(name.data, Value(UNKNOWN)) for name in names)
    return interpreter.call(function, (*args, *more), own, call.place)


def _removed(interpreter: Interpreter, call: Call, columns: Columns) -> Columns:
    asked = call.keywords.get("remove_columns")
    names = (
        [asked] if asked is not None and isinstance(asked.data, str) else listed(interpreter, asked)
    )
    gone = {name.data for name in names or ()}
    if asked is not None and isinstance(asked.data, dict):
        gone = set(asked.data)
    return {name: column for name, column in columns.items() if name not in gone}


def _indices(call: Call, start: int, count: Value | None) -> list[Value]:
    if not is_true(call.keywords.get("with_indices")):
        return []
    if count is None:
        return [Value(start)]
    number = size(count)
    if number is not None and number <= FEW:
        return [Value([Value(start + i) for i in range(number)])]
    return [Value(Lazy(Value(UNKNOWN), count))]


@MODELS.method("ArrowDataset", "map")
def _mapped(interpreter: Interpreter, call: Call) -> Value:
    value = call.receiver
    columns, function = columns_of(value), call.given(0, "function")
    if value is None or columns is None or function is None:
        return call.unknown()
    if is_true(call.keywords.get("batched")):
        return _mapped_batches(interpreter, call, value, columns)
    return _mapped_rows(interpreter, call, value, columns)


def _number_of_calls(interpreter: Interpreter, cost: int, count: int) -> int:
    return count if cost * count <= interpreter.left // 6 else min(count, SAMPLED)


def _mapped_rows(interpreter: Interpreter, call: Call, value: Value, columns: Columns) -> Value:
    rows = rows_of(value)
    count = size(rows)
    start = interpreter.left
    first = _fields(_called(interpreter, call, _row(value, 0), _indices(call, 0, None)))
    if first is None:
        return call.unknown()
    new_rows = [first]
    limit = 1 if count is None else _number_of_calls(interpreter, start - interpreter.left, count)
    for index in range(1, min(limit, MOST_ITEMS)):
        made_ = _fields(_called(interpreter, call, _row(value, index), _indices(call, index, None)))
        if made_ is None:
            return call.unknown()
        new_rows.append(made_)
    left = _removed(interpreter, call, columns)
    for name in first:
        cells = [new_row.get(name, Value(None)) for new_row in new_rows]
        whole = len(cells) == count
        left[name] = Value(cells, merged(*cells[:8])) if whole else _outlined(cells, rows)
    return _with(value, left, rows, call)


def _mapped_batches(interpreter: Interpreter, call: Call, value: Value, columns: Columns) -> Value:
    rows = rows_of(value)
    count, asked = size(rows), call.keywords.get("batch_size")
    each = count if asked is not None and asked.data is None else size(asked) if asked else BATCH
    if count is None or each is None or each < 1:
        return _mapped_outline(interpreter, call, value, columns, rows)
    if min(count, each) > FEW:
        return _mapped_outline(interpreter, call, value, columns, rows)
    starts = list(range(0, count, each))
    batches: list[Columns] = []
    before = interpreter.left
    for number, start in enumerate(starts):
        chosen = range(start, min(start + each, count))
        batch = Value({n: _part(c, chosen) for n, c in columns.items()}, value.origins)
        fields = _fields(
            _called(interpreter, call, batch, _indices(call, start, Value(len(chosen))))
        )
        if fields is None:
            return call.unknown()
        batches.append(fields)
        if number == 0 and (before - interpreter.left) * len(starts) > interpreter.left // 3:
            return _mapped_outline(interpreter, call, value, columns, rows)
    left = _removed(interpreter, call, columns)
    length: int | None = None
    for name in batches[0] if batches else ():
        cells: list[Value] | None = []
        for fields in batches:
            items = listed(interpreter, fields.get(name)) if name in fields else None
            cells = None if cells is None or items is None else [*cells, *items]
        if cells is None:
            left[name] = Value(Lazy(Value(UNKNOWN), Value(UNKNOWN)))
            lengths = [_length_of(fields[name]) for fields in batches if name in fields]
            if None not in lengths:
                length = sum(n for n in lengths if n is not None)
                left[name] = Value(Lazy(_loose(batches[0][name], rows).data.item, Value(length)))  # type: ignore[attr-defined]
        else:
            left[name], length = Value(cells, merged(*cells[:8])), len(cells)
    total = Value(UNKNOWN if length is None and batches else length or count, merged(rows))
    if not batches or not batches[0]:
        total = rows
    return _with(value, left, total, call)


def _length_of(value: Value) -> int | None:
    data = value.data
    if isinstance(data, (list, tuple)):
        return len(data)
    if isinstance(data, Lazy):
        return size(data.length)
    return size(data.shape[0]) if isinstance(data, Array) and data.shape else None


def _mapped_outline(
    interpreter: Interpreter, call: Call, value: Value, columns: Columns, rows: Value
) -> Value:
    """Map with one batch that stands for all rows."""
    batch = Value({n: _loose(c, rows) for n, c in columns.items()}, value.origins)
    fields = _fields(_called(interpreter, call, batch, _indices(call, 0, rows)))
    if fields is None:
        return call.unknown()
    left = _removed(interpreter, call, columns)
    total = rows
    for name, column in fields.items():
        count = _length_of(column)
        if count != size(rows):
            total = Value(UNKNOWN, merged(rows, column))
        left[name] = (
            _loose(column, total) if isinstance(column.data, (list, Lazy)) else unknown(column)
        )
        if isinstance(column.data, Array) and column.data.shape:
            item = Value(Array(column.data.shape[1:], column.data.dtype, "numpy"))
            left[name] = Value(Lazy(item, total), column.origins)
    return _with(value, left, total, call)


@MODELS.method("ArrowDataset", "filter")
def _filtered(interpreter: Interpreter, call: Call) -> Value:
    value = call.receiver
    columns, function = columns_of(value), call.given(0, "function")
    if value is None or columns is None or function is None:
        return call.unknown()
    count, start = size(rows_of(value)), interpreter.left
    verdicts = (
        [_called(interpreter, call, _row(value, 0), _indices(call, 0, None))] if count else []
    )
    batched = is_true(call.keywords.get("batched"))
    limit = (
        0
        if not count or batched
        else _number_of_calls(interpreter, start - interpreter.left, count)
    )
    for index in range(1, min(limit, MOST_ITEMS)):
        row, more = _row(value, index), _indices(call, index, None)
        verdicts.append(_called(interpreter, call, row, more))
    known = len(verdicts) == count and all(isinstance(item.data, (bool, int)) for item in verdicts)
    if known and not batched:
        chosen = [i for i, item in enumerate(verdicts) if item.data]
        parts = {name: _picked(column, chosen) for name, column in columns.items()}
        return _with(value, parts, Value(len(chosen), value.origins | {call.place}), call)
    rows = Value(UNKNOWN, value.origins | {call.place})
    return _with(value, {n: _loose(c, rows) for n, c in columns.items()}, rows, call)


# --- other data sets of the same ------------------------------------------------------------------


@MODELS.method("ArrowDataset", "select", "take", "skip", "shard")
def _selected(interpreter: Interpreter, call: Call) -> Value:
    value, asked = call.receiver, call.given(0, "indices", "n", "num_shards")
    columns = columns_of(value)
    if value is None or columns is None or asked is None:
        return call.unknown()
    count, number = size(rows_of(value)), size(asked)
    chosen: list[int] | None = None
    if call.name == "select":
        chosen = _chosen(interpreter, asked, count)
    elif call.name in ("take", "skip") and count is not None and number is not None:
        chosen = list(range(count)[:number] if call.name == "take" else range(count)[number:])
    if chosen is None:
        data = asked.data
        length = data.length if isinstance(data, Lazy) else Value(UNKNOWN)
        if isinstance(data, Array) and data.shape:
            length = data.shape[0]
        return _with(value, {n: _loose(c, length) for n, c in columns.items()}, length, call)
    if count is not None and any(not -count <= i < count for i in chosen):
        beyond = next(i for i in chosen if not -count <= i < count)
        message = f"Index {beyond} out of range for dataset of size {count}."
        raise Raised("index", message, Value(beyond, asked.origins), rows_of(value))
    rows = Value(len(chosen), merged(value, asked))
    return _with(value, {n: _picked(c, chosen) for n, c in columns.items()}, rows, call)


@MODELS.method("ArrowDataset", "shuffle", "sort", "flatten_indices", "with_transform", "cast")
@MODELS.method("ArrowDataset", "cast_column", "class_encode_column", "flatten", "repeat")
@MODELS.method("ArrowDataset", "to_iterable_dataset")
def _same(_: Interpreter, call: Call) -> Value:
    value = call.receiver
    columns = columns_of(value)
    if value is None or columns is None:
        return call.unknown()
    rows = rows_of(value)
    if call.name == "repeat":
        rows = Value(UNKNOWN, rows.origins)
    if call.name in ("flatten_indices", "with_transform", "cast", "cast_column"):
        return _with(value, columns, rows, call)
    return _with(value, {n: _loose(c, rows) for n, c in columns.items()}, rows, call)


@MODELS.method("ArrowDataset", "rename_column", "rename_columns")
def _renamed(_: Interpreter, call: Call) -> Value:
    value, first, second = call.receiver, call.given(0), call.given(1, "new_column_name")
    columns = columns_of(value)
    first = first or call.keywords.get("original_column_name", call.keywords.get("column_mapping"))
    if value is None or columns is None or first is None:
        return call.unknown()
    changes: dict[object, Value] = {first.data: second or Value(UNKNOWN)}
    if isinstance(first.data, dict):
        changes = dict(first.data)
    for name in changes:
        if name not in columns:
            raise Raised("key", f"Original column name {name} not in the dataset.", first, value)
    place = frozenset({call.place})
    renamed: dict[object, Value] = {}
    for name, column in columns.items():
        if name not in changes:
            renamed[name] = column
        elif isinstance(changes[name].data, str):
            renamed[changes[name].data] = _renamed_column(column, place | changes[name].origins)
        else:
            return unknown(value, changes[name])
    return _with(value, renamed, rows_of(value), call)


def _renamed_column(column: Value, how: Origins) -> Value:
    """Return a column whose cells, too, stand there because of its new name."""
    data = column.data
    if isinstance(data, list):
        cells = [Value(cell.data, cell.origins | how) for cell in data]
        return Value(cells, column.origins | how)
    if isinstance(data, Lazy):
        item = Value(data.item.data, data.item.origins | how)
        return Value(Lazy(item, data.length), column.origins | how)
    return Value(data, column.origins | how)


@MODELS.method("ArrowDataset", "remove_columns", "select_columns")
def _fewer(interpreter: Interpreter, call: Call) -> Value:
    value, asked = call.receiver, call.given(0, "column_names")
    columns = columns_of(value)
    if value is None or columns is None or asked is None:
        return call.unknown()
    names = [asked] if isinstance(asked.data, str) else listed(interpreter, asked)
    if names is None:
        return call.unknown()
    for name in names:
        if name.known and name.data not in columns:
            raise Raised("key", f"Column name {name.data!r} not in the dataset.", name, value)
    names_told = {name.data for name in names}
    keeps = call.name == "select_columns"
    kept = {n: c for n, c in columns.items() if (n in names_told) is keeps}
    return _with(value, kept, rows_of(value), call)


@MODELS.method("ArrowDataset", "add_column")
def _added(interpreter: Interpreter, call: Call) -> Value:
    value, name, column = call.receiver, call.given(0, "name"), call.given(1, "column")
    columns = columns_of(value)
    if value is None or columns is None or name is None or column is None:
        return call.unknown()
    own, _rows = _as_column(interpreter, column)
    return _with(value, {**columns, name.data: own}, rows_of(value), call)


@MODELS.method("ArrowDataset", "set_format", "with_format", "reset_format", "set_transform")
def _format(_: Interpreter, call: Call) -> Value:
    value = call.receiver
    if value is None or not isinstance(value.data, LibraryObject):
        return call.unknown()
    how, shown = call.given(0, "type"), call.given(1, "columns")
    own = {"format": how or Value(None), "shown": shown or Value(None)}
    if call.name.endswith("transform"):
        own = {"format": Value(UNKNOWN), "shown": Value(None)}
    if call.name == "with_format":
        held = value.data
        kept = LibraryObject(held.name, held.args, held.keywords, held.made, {**held.state, **own})
        return Value(kept, value.origins)
    value.data.state.update(own)
    return Value(None)


@MODELS.method("ArrowDataset", "unique")
def _unique(_: Interpreter, call: Call) -> Value:
    columns, name = columns_of(call.receiver), call.given(0, "column")
    if columns is None or name is None or name.data not in columns:
        return call.unknown()
    held = columns[name.data].data
    cells = [item.data for item in held] if isinstance(held, list) else [UNKNOWN]
    if not all(isinstance(cell, (bool, int, float, str)) for cell in cells):
        return Value(Lazy(Value(UNKNOWN), Value(UNKNOWN)), merged(*call.args))
    return Value([Value(cell) for cell in dict.fromkeys(cells)], merged(*call.args))


@MODELS.method("ArrowDataset", "to_pandas")
def _to_pandas(interpreter: Interpreter, call: Call) -> Value:
    columns = columns_of(call.receiver)
    if columns is None or not all(isinstance(c.data, list) for c in columns.values()):
        if columns is None:
            return call.unknown()
        return Value(Table(dict.fromkeys(columns), rows_of(call.receiver)))
    inner_call = Call("pandas.DataFrame", (Value(dict(columns)),), {}, call.place)
    return MODELS.functions["pandas.DataFrame"](interpreter, inner_call)


@MODELS.method("ArrowDataset", "to_dict", "to_list")
def _to_dict(interpreter: Interpreter, call: Call) -> Value:
    columns = columns_of(call.receiver)
    if columns is None:
        return call.unknown()
    return Value(dict(columns)) if call.name == "to_dict" else _iterated(interpreter, call)


@MODELS.method("ArrowDataset", "train_test_split")
def _split(_: Interpreter, call: Call) -> Value:
    """Return two parts: which rows are in which, chance decides."""
    value = call.receiver
    columns = columns_of(value)
    if value is None or columns is None:
        return call.unknown()
    count = size(rows_of(value))
    test, train = call.given(0, "test_size"), call.given(1, "train_size")
    share = test.data if test is not None else 0.25 if train is None else None
    other = train.data if train is not None else None
    numbers: list[int | None] = [None, None]
    if count is not None:
        second = math.ceil(share * count) if isinstance(share, float) else share
        first = math.floor(other * count) if isinstance(other, float) else other
        if first is None and isinstance(second, int):
            first = count - second
        if second is None and isinstance(first, int):
            second = count - first
        numbers = [n if isinstance(n, int) else None for n in (first, second)]
    ordered = call.given(2, "shuffle")
    in_order = ordered is not None and ordered.data is False and None not in numbers
    parts: Columns = {}
    for number, name in zip(numbers, ("train", "test"), strict=True):
        rows = Value(UNKNOWN if number is None else number, merged(value, *call.args))
        if in_order and number is not None and count is not None:
            chosen = list(range(number) if name == "train" else range(count - number, count))
            own = {n: _picked(c, chosen) for n, c in columns.items()}
        else:
            own = {n: _loose(c, rows) for n, c in columns.items()}
        parts[name] = _with(value, own, rows, call)
    return _dict_of(parts, call)


@MODELS.function("datasets.concatenate_datasets", "datasets.interleave_datasets")
def _joined(interpreter: Interpreter, call: Call) -> Value:
    parts = listed(interpreter, call.given(0, "dsets", "datasets"))
    columns = [columns_of(part) for part in parts or ()]
    if not parts or any(item is None for item in columns):
        return call.unknown()
    numbers = [size(rows_of(part)) for part in parts]
    total = None if None in numbers else sum(n for n in numbers if n is not None)
    if call.name.endswith("interleave_datasets"):
        total = None
    rows = Value(UNKNOWN if total is None else total, merged(*parts))
    first = columns[0] or {}
    return made({name: _loose(column, rows) for name, column in first.items()}, rows, call)


# --- several splits -------------------------------------------------------------------------------


def _dict_of(parts: Mapping[object, Value], call: Call) -> Value:
    state = {"splits": Value(dict(parts))}
    return Value(LibraryObject(SPLITS, (), {}, call.place, state), merged(*parts.values()))


@MODELS.function("datasets.DatasetDict")
def _dataset_dict(_: Interpreter, call: Call) -> Value:
    given = call.given(0)
    parts: Columns = {}
    if given is not None and not isinstance(given.data, dict):
        return call.unknown()
    parts.update(given.data if given is not None and isinstance(given.data, dict) else {})
    parts.update(call.keywords)
    return _dict_of(parts, call)


def _splits(value: Value | None) -> Columns:
    held = state_of(value, "splits").data
    return held if isinstance(held, dict) else {}


@MODELS.method("DatasetDict", "__getitem__", "get", "pop")
def _one_split(_: Interpreter, call: Call) -> Value:
    parts, key = _splits(call.receiver), call.given(0)
    if key is None or not isinstance(key.data, str):
        return call.unknown()
    if key.data not in parts and call.name == "__getitem__" and parts:
        raise Raised("key", f"{key.data!r}", key, call.receiver or Value(UNKNOWN))
    split = parts.get(key.data) or call.given(1) or Value(None)
    if call.name == "pop":
        parts.pop(key.data, None)
    return split


@MODELS.method("DatasetDict", "__setitem__")
def _set_split(_: Interpreter, call: Call) -> Value:
    key, value = call.given(0), call.given(1)
    if key is not None and value is not None and isinstance(key.data, str):
        _splits(call.receiver)[key.data] = value
    return Value(None)


@MODELS.method("DatasetDict", "keys", "values", "items", "__iter__", "__len__")
def _of_splits(interpreter: Interpreter, call: Call) -> Value:
    parts = Value(_splits(call.receiver))
    if call.name == "__len__":
        return Value(len(_splits(call.receiver)))
    name = "keys" if call.name == "__iter__" else call.name
    return interpreter.call(interpreter.attribute(parts, name, call.place), (), {}, call.place)


_EACH = (
    *("map", "filter", "shuffle", "sort", "rename_column", "rename_columns", "remove_columns"),
    *("select_columns", "cast_column", "with_format", "set_format", "cast", "flatten"),
    *("class_encode_column", "with_transform", "set_transform", "reset_format"),
)


@MODELS.method("DatasetDict", *_EACH)
def _each_split(interpreter: Interpreter, call: Call) -> Value:
    splits: Columns = {}
    for name, part in _splits(call.receiver).items():
        if not isinstance(part.data, (LibraryObject, Instance)):
            return call.unknown()
        method = interpreter.attribute(part, call.name, call.place)
        splits[name] = interpreter.call(method, call.args, call.keywords, call.place)
    if all(part.data is None for part in splits.values()):
        return Value(None)
    return _dict_of(splits, call)


@MODELS.attribute("DatasetDict", "column_names", "num_rows", "shape", "num_columns")
def _of_each_split(interpreter: Interpreter, call: Call) -> Value:
    parts = _splits(call.receiver)
    return Value({n: interpreter.attribute(p, call.name, call.place) for n, p in parts.items()})


@MODELS.method("DatasetDict", "save_to_disk", "push_to_hub")
@MODELS.method("ArrowDataset", "save_to_disk", "push_to_hub", "to_csv", "to_json", "to_parquet")
@MODELS.method("ArrowDataset", "set_epoch", "cleanup_cache_files")
def _saved(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)
