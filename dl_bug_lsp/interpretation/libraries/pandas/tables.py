"""Models of pandas: making tables, their rows and columns.

Source: the pandas 2.2 reference.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.interpretation import arrays, matrix_values
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array, dtype_name, new, together
from dl_bug_lsp.interpretation.libraries.pandas.unknown_columns import selected
from dl_bug_lsp.interpretation.libraries.python.files import csv_form, keep, note_written
from dl_bug_lsp.interpretation.model_helpers import (
    MOST_CALLS,
    MOST_ITEMS,
    is_true,
    listed,
    nothing,
    state_of,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import PLAIN, value_of
from dl_bug_lsp.interpretation.table_values import (
    NUMERIC,
    Draws,
    Frame,
    Series,
    affords,
    bounds_of,
    cell_at,
    cells_of,
    check_text,
    column,
    converted,
    distinct,
    dtype_of_cells,
    from_cell,
    labels_of,
    lacking,
    note_kept,
    part_of,
    rows_taken,
    series_of,
    table_of,
    taken,
    truths,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    Environment,
    Lazy,
    LibraryObject,
    Origin,
    Origins,
    Raised,
    Table,
    Value,
    merged,
    of_dtype,
    unknown,
)
from dl_bug_lsp.workspace.elements import expression_of

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

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
        return data if columns is None else _columns_of(interpreter, data, columns)
    orient = call.keywords.get("orient")
    if orient is not None and orient.data != "columns":
        return call.unknown()
    if isinstance(data.data, dict):
        return _with_labels(_of_dict(data, data.data), call.given(1, "index"), data.data)
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
    result = Frame({c.data: dtype for c in columns}, made.shape[0], origins)
    labels = call.given(1, "index")
    if labels is None or labels.data is None:
        result.index = range(size(result.rows) or 0)
        result.numbered = frozenset({call.place})
    else:
        held = series_of(labels)
        cells = None if held is None else held.cells
        result.index = cells if cells is not None and len(cells) == size(result.rows) else ()
    return Value(result, merged(*call.args))


def _with_labels(value: Value, labels: Value | None, data: dict[object, Value]) -> Value:
    """Return a table of a dict's columns with the labels that its rows are given."""
    table = value.data
    if labels is None or labels.data is None or not isinstance(table, Frame):
        return value
    rows = labels.data.shape[0] if isinstance(labels.data, Array) and labels.data.shape else None
    if isinstance(labels.data, (list, tuple)):
        rows = Value(len(labels.data), labels.origins)
    if any(isinstance(part.data, (Series, dict)) for part in data.values()):
        # They are aligned by their own labels.
        columns = dict.fromkeys(table.columns)
        return Value(Table(dict(columns), rows or Value(UNKNOWN)), value.origins)
    held = series_of(labels)
    cells = None if held is None else held.cells
    if isinstance(labels.data, (list, tuple)):
        cells = tuple(item.data for item in labels.data)
    table.index = cells if cells is not None and len(cells) == size(table.rows) else ()
    return value


def _as_column(value: Value) -> Value:
    """Return what pandas makes of a column's items: numbers with gaps are floats."""
    items = value.data
    if isinstance(items, (list, tuple)) and len(items) <= MOST_ITEMS:
        held = [item.data for item in items]
        kinds = {type(element) for element in held}
        if type(None) in kinds and kinds <= {int, float, type(None)} and len(kinds) > 1:
            cells = tuple(float(n) if isinstance(n, (int, float)) else None for n in held)
            origins = value.origins or merged(*items[:24])
            count = Value(len(items), origins)
            return Value(Series((count,), "float64", "numpy", None, None, None, cells), origins)
    return as_array(value)


def _of_dicts(value: Value, data: dict[object, Value]) -> Value:
    """Return a table of dicts by column: the keys of all are its labels."""
    labels: dict[object, None] = {}
    for part in data.values():
        labels.update(dict.fromkeys(part.data if isinstance(part.data, dict) else ()))
    result = Frame({}, Value(len(labels), value.origins))
    for name, part in data.items():
        held = part.data if isinstance(part.data, dict) else {}
        cells = [held[label].data if label in held else None for label in labels]
        plain = all(isinstance(cell, (bool, int, float, str, type(None))) for cell in cells)
        dtypes = {cell.dtype if isinstance(cell, Array) else None for cell in cells}
        result.columns[name] = (
            dtype_of_cells(cells) if plain else dtypes.pop() if len(dtypes) == 1 else None
        )
        if plain:
            result.cells[name] = tuple(cells)
        result.origins_of[name] = merged(part)
    result.index = tuple(labels)
    return Value(result, value.origins)


def _of_dict(value: Value, data: dict[object, Value]) -> Value:
    if data and all(isinstance(part.data, dict) for part in data.values()):
        return _of_dicts(value, data)
    rows: Value | None = None
    result = Frame({}, Value(UNKNOWN, value.origins))
    for name, part in data.items():
        column = _as_column(part)
        made = column.data
        dtype = made.dtype if isinstance(made, Array) else None
        result.columns[name] = dtype
        result.origins_of[name] = merged(part)
        if isinstance(made, Array) and made.shape:
            message = "All arrays must be of the same length"
            length = made.shape[0]
            if isinstance(part.data, Series) and size(length) != size(rows or length):
                # Columns are aligned by their labels; what one lacks is missing there.
                rows = Value(UNKNOWN, merged(length, rows or length))
                continue
            rows = length if rows is None else arrays.same(rows, length, message)
            held = series_of(column)
            if held is not None and held.cells is not None and held.index is None:
                result.cells[name], result.derived[name] = held.cells, merged(part)
    result.rows = rows if rows is not None else result.rows
    _settle(result)
    return Value(result, value.origins)


def _settle(table: Frame) -> None:
    """Forget cells that are not as many as the rows, and number the rows."""
    count = size(table.rows)
    for name, cells in list(table.cells.items()):
        if len(cells) != count:
            del table.cells[name]
    table.index = range(count) if count is not None else ()


def _of_records(value: Value, items: Sequence[Value]) -> Value:
    result = Frame({}, Value(len(items), value.origins or merged(*items[:24])))
    names: dict[object, None] = {}
    for item in items:
        if not isinstance(item.data, dict):
            return unknown(value)
        for name, cell in item.data.items():
            names[name] = None
            result.origins_of.setdefault(name, merged(cell))
    if not affords(len(names) * len(items)):
        return unknown(value)
    lines = [_line_of(item) for item in items]
    if all(line is not None for line in lines):
        result.lines = tuple(line for line in lines if line is not None)
    for name in names:
        cells = [item.data.get(name) for item in items if isinstance(item.data, dict)]
        plain = [None if cell is None else cell.data for cell in cells]
        if all(cell is None or isinstance(cell, (bool, int, float, str)) for cell in plain):
            result.columns[name] = dtype_of_cells(plain)
            result.cells[name] = tuple(plain)
            if not result.lines:
                result.derived[name] = result.origins_of[name]
            continue
        own = [as_array(cell).data for cell in cells if cell is not None]
        dtypes = [
            word.dtype if isinstance(word, Array) and word.shape == () else None for word in own
        ]
        result.columns[name] = together(dtypes)
    result.index = range(len(items))
    return Value(result, value.origins)


def _line_of(item: Value) -> Origin | None:
    """Return the line of a record that stands on one line of a file, None for others."""
    held = item.data.values() if isinstance(item.data, dict) else ()
    origins = merged(item, *(cell for cell in held if isinstance(cell, Value)))
    return next(iter(origins)) if len(origins) == 1 else None


def _columns_of(interpreter: Interpreter, value: Value, keys: Sequence[Value]) -> Value:
    table = value.data
    assert isinstance(table, Table)
    for key in keys:
        if key.known and not isinstance(key.data, (list, tuple)) and key.data not in table.columns:
            raise lacking(table, key.data, key, value)
    if not all(key.known for key in keys):
        return unknown(value, *keys)
    chosen = part_of(table, [key.data for key in keys])
    if isinstance(chosen, Frame) and isinstance(table, Frame):
        chosen.owner = table
    first: dict[object, Value] = {}
    for key in keys:
        before = first.setdefault(key.data, key)
        if before is not key and isinstance(key.data, str):
            again = RepeatedName(key.data)
            chosen.columns[again] = table.columns.get(key.data)
            chosen.origins_of[again] = table.origins_of.get(key.data, NOWHERE) | key.origins
            for at in key.origins | before.origins:
                if ADDING.search(interpreter.workspace.source_line(*at)):
                    why = f"`{key.data}` is put again into a list of columns that holds it already"
                    arrays.note_reason(at, why)
    return Value(chosen, merged(value, *keys))


ADDING = re.compile(r"\.(insert|append)\(")


class RepeatedName(str):
    """The name of a column that a table has once more: asked for by name, it has the first."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


@MODELS.function("pandas.Series")
def _series(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    given = call.given(0, "data")
    if given is not None and isinstance(given.data, dict):
        if "index" in call.keywords or "dtype" in call.keywords:
            return call.unknown()
        values = Value(list(given.data.values()), given.origins)
        labels = Value([Value(label) for label in given.data])
        named = {**call.keywords, "index": labels}
        call = Call(call.name, (values,), named, call.place)
        given = values
    if given is None or call.keywords.keys() - {"data", "index", "name"}:
        asked = call.keywords.get("dtype")
        made = as_array(given)
        known = isinstance(made.data, Array) and asked is not None and given is not None
        if not known or not isinstance(made.data, Array):
            return call.unknown()
        return new(made.data.shape, dtype_name(asked), made.origins)
    if isinstance(given.data, list) and any(isinstance(v.data, (list, tuple)) for v in given.data):
        return _series_of_lists(call, given.data, given)
    made = as_array(given)
    data = made.data
    if not isinstance(data, Array) or not data.shape or len(data.shape) != 1:
        return call.unknown()
    return _labelled_series(call, made, data)


def _series_of_lists(call: Call, items: list[Value], given: Value) -> Value:
    """Return a column whose cells are lists."""
    rows = Value(len(items), given.origins)
    made = Series((rows,), "object", "numpy", index=range(len(items)))
    if all(isinstance(item.data, (list, tuple)) for item in items) and len(items) <= MOST_ITEMS:
        made.cells = tuple(items)
    name = call.given(3, "name")
    made.name, made.index_names = None if name is None else name.data, ()
    if "index" in call.keywords:
        made.index, made.cells = (), None
    return Value(made, given.origins)


def _labelled_series(call: Call, made: Value, data: Array) -> Value:
    """Return a column of its own: with the cells of a list, and with its name and labels."""
    rows = (data.shape or (Value(UNKNOWN),))[0]
    series = Series((rows,), data.dtype, "numpy", None, data.lowest, data.highest)
    name = call.given(3, "name")
    series.name = None if name is None else name.data
    series.index_names = ()
    given, labels, count = call.given(0, "data"), call.given(1, "index"), size(rows)
    items = given.data if given is not None and isinstance(given.data, (list, tuple)) else ()
    plain = tuple(item.data for item in items)
    held = series_of(given)
    if plain and all(isinstance(item, (bool, int, float, str, type(None))) for item in plain):
        series.cells, series.dtype = _as_cells(plain), dtype_of_cells(_as_cells(plain))
    elif held is not None:
        series.cells, series.lines, series.derived = held.cells, held.lines, held.derived
    if series.cells is not None and len(series.cells) != count:
        series.cells = None
    series.index = range(count) if count is not None else ()
    if labels is not None and labels.data is not None:
        own = series_of(labels)
        cells = own.cells if own is not None else None
        if isinstance(labels.data, (list, tuple)):
            cells = tuple(item.data for item in labels.data)
        known = cells is not None and len(cells) == count
        series.index = cells or () if known else ()
        if isinstance(given.data if given is not None else None, (Table, LibraryObject)):
            return call.unknown()
        if held is not None and held.index is not None:
            series.cells = None
    return Value(series, made.origins)


def _as_cells(items: tuple[object, ...]) -> tuple[object, ...]:
    """Return items as pandas keeps them: numbers with gaps are floats."""
    cells = tuple(None if isinstance(n, float) and n != n else n for n in items)  # noqa: PLR0124
    kinds = {type(cell) for cell in cells}
    if float in kinds and kinds <= {int, float, type(None)}:
        return tuple(float(n) if isinstance(n, int) else n for n in cells)
    return cells


@MODELS.method("table", "__getitem__")
def _getitem(interpreter: Interpreter, call: Call) -> Value:
    """Select a column, columns by a list, or rows by a mask."""
    table, key = table_of(call.receiver), call.given(0)
    if table is None or key is None or call.receiver is None:
        return call.unknown()
    if isinstance(key.data, (str, int, float)) and not isinstance(key.data, bool):
        if key.data not in table.columns:
            if table.has_level(key.data):
                return unknown(call.receiver, key)
            raise lacking(table, key.data, key, call.receiver)
        return column(table, key.data, key)
    if isinstance(key.data, list):
        chosen = _columns_of(interpreter, call.receiver, key.data)
        if isinstance(chosen.data, Table):
            note_removed(chosen.data, table.columns.keys() - chosen.data.columns.keys(), call.place)
        return chosen
    if isinstance(key.data, Array) and key.data.dtype == "bool":
        if key.data.shape:
            arrays.same(key.data.shape[0], table.rows, "Item wrong length")
        return Value(masked(table, key, call.place), call.receiver.origins)
    bounds = _slice(key)
    if bounds is not None and bounds[2] != 0 and size(table.rows) is not None:
        positions = range(*slice(*bounds).indices(size(table.rows) or 0))
        return Value(rows_taken(table, positions, merged(table.rows, key)), call.receiver.origins)
    if isinstance(key.data, Series) and key.data.cells is not None:
        if len(key.data.cells) > MOST_ITEMS:
            return unknown(call.receiver, key)
        cells = [Value(cell, key.origins) for cell in key.data.cells]
        return _columns_of(interpreter, call.receiver, cells)
    return unknown(call.receiver, key)


def masked(table: Table, mask: Value, place: Origin) -> Table:
    """Return the rows for which a mask is true; the line that selects them makes their number."""
    count = merged(table.rows, mask) | {place}
    positions = truths(mask)
    data = series_of(mask)
    whole = size(table.rows)
    if positions is None or data is None or len(data.cells or ()) != whole:
        return part_of(table, list(table.columns), Value(UNKNOWN, count))
    labels = data.labels
    known = labels is not None and isinstance(table, Frame) and len(table.index) == whole
    if known and not _same_labels(labels, table.index if isinstance(table, Frame) else ()):
        return part_of(table, list(table.columns), Value(UNKNOWN, count))
    comparisons = arrays.COMPARISONS.get()
    if comparisons is not None and whole:
        comparisons.select(place, len(positions), whole)
    if not positions and whole:
        # That nothing is selected has to do with the mask, whatever the number of rows.
        count = mask.origins | {place}
    return rows_taken(table, positions, count)


def _same_labels(labels: Sequence[object] | None, other: Sequence[object] | None) -> bool:
    if labels is None or other is None:
        return False
    return labels is other or list(labels) == list(other)


@MODELS.method("table", "__setitem__")
def _setitem(interpreter: Interpreter, call: Call) -> Value:
    """Set a column, or several by a list; what a mask selects is not followed."""
    del interpreter
    table, key, value = table_of(call.receiver), call.given(0), call.given(1)
    if table is None or key is None or value is None:
        return Value(None)
    if isinstance(key.data, (str, int)):
        set_column(table, key.data, value, key, place=call.place)
    elif isinstance(key.data, list):
        names: list[object] = [o.data for o in key.data if isinstance(o.data, (str, int))]
        for name in names:
            other = table_of(value)
            if other is None:
                dtype = value.data.dtype if isinstance(value.data, Array) else None
                table.columns[name] = dtype
            elif name in other.columns:
                set_column(table, name, column(other, name), key, place=call.place)
            else:
                table.columns[name] = None
            table.origins_of[name] = merged(value, key)
    else:
        for name in table.columns:
            table.columns[name] = None
    return Value(None)


def set_column(
    table: Table, name: object, value: Value, *parts: Value, place: Origin | None = None
) -> None:
    """Give a table a column: a column's cells, a list's items, or one value for all rows.

    ``place`` is the line that does so.

    Raises `Raised` ("size") where a list or an array has another length.
    """
    data, count = value.data, size(table.rows)
    given = isinstance(data, (list, tuple))
    if given:
        value = _as_column(value)
        data = value.data
    made = series_of(value)
    labelled = isinstance(data, Series) and data.index is not None
    positional = given or (isinstance(data, Array) and not labelled)
    if positional and isinstance(data, Array) and data.shape and table.columns:
        arrays.same(data.shape[0], table.rows, "Length of values does not match length of index")
    table.columns[name] = data.dtype if isinstance(data, Array) else _dtype_of(value)
    table.origins_of[name] = merged(value, *parts)
    if not table.columns.keys() - {name} and isinstance(data, Array) and data.shape:
        table.rows = data.shape[0]
        count = size(table.rows)
    if not isinstance(table, Frame) or count is None:
        return
    plain = isinstance(data, (bool, int, float, str)) and count <= MOST_ITEMS
    if plain:
        table.cells[name] = (data,) * count
        table.derived[name] = value.origins
    elif made is not None and made.cells is not None and len(made.cells) == count:
        own = table.index if len(table.index) == count else None
        if made.index is None or _same_labels(made.labels, own):
            table.cells[name] = made.cells
            lined = made.lines is table.lines or made.lines == table.lines
            table.derived[name] = made.derived if lined else merged(value)
            table.gaps[name] = made.gaps
        elif own is not None:
            _set_by_labels(table, name, made, value, place)
    elif isinstance(data, Series) and data.cells is None and data.gaps:
        table.gaps[name] = data.gaps
    elif labelled and made is not None and len(table.index) == count:
        _set_by_labels(table, name, made, value, place)


def _set_by_labels(
    table: Frame, name: object, made: Series, value: Value, place: Origin | None
) -> None:
    """Give a table the cells of a column with other labels; rows whose label it lacks have none."""
    labels = made.labels
    if labels is None or made.cells is None or not affords(len(table.index)):
        return
    where = {label: i for i, label in enumerate(labels)}
    if len(where) != len(labels):
        return
    rows = [where.get(label) for label in table.index]
    cells = [None if row is None else made.cells[row] for row in rows]
    table.columns[name] = dtype_of_cells(cells)
    if table.columns[name] == "float64":
        cells = [float(cell) if isinstance(cell, int) else cell for cell in cells]
    table.cells[name], table.derived[name] = tuple(cells), merged(value)
    missing = rows.count(None)
    table.gaps[name] = made.gaps
    if missing and place is not None:
        table.gaps[name] = frozenset({place})
        why = f"the column is put in by its labels: {missing} of {len(rows)} rows get none of it"
        arrays.note_reason(place, why)


# Methods of tables.


@MODELS.method("table", "drop")
def _drop(interpreter: Interpreter, call: Call) -> Value:
    table, labels = table_of(call.receiver), call.given(0, "labels", "columns", "index")
    axis = call.given(1, "axis")
    if table is None or labels is None or call.receiver is None:
        return call.unknown()
    by_name = "columns" in call.keywords or (axis is not None and axis.data in (1, "columns"))
    if not by_name:
        return placed(call, _without_rows(table, labels, call))
    single = isinstance(labels.data, (str, int))
    names = [labels] if single else listed(interpreter, labels)
    if names is None:
        return unknown(call.receiver, labels)
    forgiving = "errors" in call.keywords
    gone = {name.data for name in names if isinstance(name.data, (str, int, float))}
    for name in names:
        if name.known and name.data not in table.columns and not forgiving:
            raise lacking(table, name.data, name, call.receiver)
    result = part_of(table, [n for n in table.columns if n not in gone])
    note_removed(result, gone, call.place)
    return placed(call, result)


def _without_rows(table: Table, labels: Value, call: Call) -> Table:
    """Return a table without the rows of some labels; no other row has one of them."""
    count, kept = merged(table.rows, labels), None
    known, whole = labels_of(table), size(table.rows)
    if known is not None and whole is not None and "errors" not in call.keywords:
        gone = _positions(labels, whole, known, positions=False)
        if gone is not None:
            left_out = {known[i] for i in ([gone] if isinstance(gone, int) else gone)}
            kept = [i for i, label in enumerate(known) if label not in left_out]
    if kept is None:
        return part_of(table, list(table.columns), Value(UNKNOWN, count))
    return rows_taken(table, kept, count)


def note_removed(table: Table, names: Iterable[object], place: Origin) -> None:
    """Note at which line columns were taken away from a table."""
    table.removed.update({name: frozenset({place}) for name in names})


def placed(call: Call, result: Table) -> Value:
    """Return a new table, or put it in the place of the old one (``inplace=True``)."""
    receiver, table = call.receiver, table_of(call.receiver)
    assert receiver is not None and table is not None
    if is_true(call.keywords.get("inplace")):
        if isinstance(table, Frame) and table.owner is not None:
            own = table.owner.columns
            note_kept(table.owner, [name for name in table.columns if name in own], call.place)
            table.owner = None
        _replace(table, result)
        return Value(None)
    return Value(result, merged(receiver, *call.args))


def _replace(table: Table, other: Table) -> None:
    """Put the columns and rows of a table in the place of another's."""
    table.columns, table.rows, table.origins_of = other.columns, other.rows, other.origins_of
    table.index_names, table.removed = other.index_names, other.removed
    if isinstance(table, Frame):
        table.cells = other.cells if isinstance(other, Frame) else {}
        table.lines = other.lines if isinstance(other, Frame) else ()
        table.index = other.index if isinstance(other, Frame) else ()
        table.derived = other.derived if isinstance(other, Frame) else {}
        table.bounds = other.bounds if isinstance(other, Frame) else {}
        table.set_columns(table.columns)


@MODELS.method("table", "dropna", "drop_duplicates", "query", "filter_rows")
def _fewer_rows(interpreter: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None:
        return call.unknown()
    axis = call.given(0, "axis")
    if call.name == "dropna" and axis is not None and axis.data in (1, "columns"):
        return call.unknown()
    if isinstance(table, Frame) and size(table.rows) is not None:
        positions = _kept_rows(interpreter, table, call)
        if positions is not None:
            count = table.rows.origins | merged(*call.args, *call.keywords.values())
            if len(positions) != size(table.rows):
                count |= {call.place}
            if not positions and size(table.rows) and call.name == "dropna":
                count = _emptied(table) or count
            result = rows_taken(table, positions, count)
            if is_true(call.keywords.get("ignore_index")) and isinstance(result, Frame):
                result.index = range(len(positions))
            return placed(call, result)
    rows = Value(UNKNOWN, table.rows.origins | {call.place})
    return placed(call, part_of(table, list(table.columns), rows))


def _is_there(cell: object) -> bool:
    return cell is not None


def _emptied(table: Frame) -> Origins:
    """Return what left columns without any cell, else what left cells missing."""
    empty = [name for name, cells in table.cells.items() if all(cell is None for cell in cells)]
    origins: Origins = NOWHERE
    for name in empty or table.gaps:
        origins |= table.gaps.get(name) or table.derived.get(name, NOWHERE)
    return origins


def _kept_rows(interpreter: Interpreter, table: Frame, call: Call) -> list[int] | None:
    """Return the rows that ``dropna``, ``drop_duplicates`` or ``query`` keep, None if not known."""
    if call.name == "query":
        mask = _queried(interpreter, table, call)
        return truths(mask)
    if call.keywords.keys() - {"inplace", "axis", "subset", "ignore_index", "how", "keep"}:
        return None
    subset = call.keywords.get("subset")
    if subset is None and call.name == "drop_duplicates":
        subset = call.given(0)
    names: list[object] = list(table.columns)
    if subset is not None and subset.data is not None:
        keys = [subset] if isinstance(subset.data, str) else listed(interpreter, subset)
        if keys is None:
            return None
        for key in keys:
            if key.known and key.data not in table.columns:
                raise lacking(table, key.data, key, call.receiver or Value(UNKNOWN))
        names = [key.data for key in keys]
    emptied = [n for n in names if table.cells.get(n) and not any(map(_is_there, table.cells[n]))]
    if emptied and call.name == "dropna" and "how" not in call.keywords:
        return []
    if not names or any(name not in table.cells for name in names):
        return None
    count = size(table.rows) or 0
    if not affords(count * len(names)):
        return None
    rows = list(zip(*(table.cells[name] for name in names), strict=True))
    if call.name == "dropna":
        how = call.keywords.get("how")
        if how is not None and how.data == "all":
            return [i for i, row in enumerate(rows) if any(cell is not None for cell in row)]
        return [i for i, row in enumerate(rows) if None not in row]
    keep = call.keywords.get("keep")
    if call.name != "drop_duplicates" or (keep is not None and keep.data not in ("first", "last")):
        return None
    last = keep is not None and keep.data == "last"
    first = {row: i for i, row in (enumerate(rows) if last else reversed(list(enumerate(rows))))}
    return sorted(first.values())


class _Elementwise(ast.NodeTransformer):
    """Let ``and``, ``or`` and ``not`` of a query work row by row, as pandas has it."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        kind = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
        whole = node.values[0]
        for value in node.values[1:]:
            whole = ast.copy_location(ast.BinOp(whole, kind, value), node)
        return whole

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return ast.copy_location(ast.UnaryOp(ast.Invert(), node.operand), node)
        return node


_MOST_OF_QUERY = 300


def _queried(interpreter: Interpreter, table: Frame, call: Call) -> Value | None:
    """Return the mask that a query without names of the program around stands for."""
    text = call.given(0, "expr")
    if text is None or not isinstance(text.data, str) or len(text.data) > _MOST_OF_QUERY:
        return None
    if "@" in text.data or "`" in text.data or call.keywords.keys() - {"inplace", "expr"}:
        return None
    try:
        tree = _Elementwise().visit(ast.Expression(expression_of(text.data)))
    except (SyntaxError, ValueError, RecursionError):
        return None
    allowed = (ast.Compare, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.operator)
    known = (*allowed, ast.unaryop, ast.cmpop, ast.expr_context, ast.Expression)
    for node in ast.walk(tree):
        if not isinstance(node, known) or isinstance(node, (ast.In, ast.NotIn)):
            return None
        if isinstance(node, ast.Name) and node.id not in table.columns:
            return None
        if isinstance(node, ast.expr):
            node.lineno = call.place[1]
    names = {str(name): column(table, name, text) for name in table.columns}
    return interpreter.value(tree.body, Environment(names, None, call.place[0]))


_SAME_TABLE = (
    *("copy", "reset_index", "sort_values", "sort_index", "fillna", "ffill", "bfill", "round"),
    *("clip", "replace", "abs", "infer_objects", "convert_dtypes", "interpolate", "shift", "diff"),
)


@MODELS.method("table", *_SAME_TABLE)
def _same_table(interpreter: Interpreter, call: Call) -> Value:
    """Keep columns and rows; what may change a dtype leaves it unknown."""
    table = table_of(call.receiver)
    if table is None:
        return call.unknown()
    result = part_of(table, list(table.columns))
    keeps = call.name == "reset_index" and not is_true(call.keywords.get("drop"))
    levels = table.index_names or ("index",)
    if call.name == "reset_index" and ("level" in call.keywords or call.args):
        return call.unknown()
    if keeps and not set(levels) & result.columns.keys():
        columns = {**dict.fromkeys(levels), **result.columns}
        _set_columns(result, columns)
    if call.name == "reset_index":
        result.index_names = ()
    if call.name in ("replace", "convert_dtypes", "infer_objects", "shift", "diff"):
        _set_columns(result, dict.fromkeys(result.columns))
    if call.name == "reset_index" and isinstance(result, Frame):
        labels = result.index
        result.index = range(size(result.rows) or 0)
        alone = keeps and len(labels) == size(result.rows) and len(levels) == 1
        if alone and all(isinstance(label, (bool, int, float, str)) for label in labels):
            result.columns[levels[0]] = dtype_of_cells(labels)
            result.cells[levels[0]] = tuple(labels)
    elif call.name in ("sort_values", "sort_index"):
        order = None
        if call.name == "sort_values" and isinstance(result, Frame):
            order = _sorted_rows(interpreter, result, call)
        if order is not None:
            ordered = rows_taken(result, order, result.rows.origins)
            if is_true(call.keywords.get("ignore_index")) and isinstance(ordered, Frame):
                ordered.index = range(len(order))
            return placed(call, ordered)
        result = part_of(result, list(result.columns), result.rows)
    elif call.name == "fillna" and isinstance(result, Frame):
        _fill(result, call)
    elif call.name != "copy" and isinstance(result, Frame):
        _forget(result)
    return placed(call, result)


def _set_columns(table: Table, dtypes: dict[object, str | None]) -> None:
    if isinstance(table, Frame):
        table.set_columns(dtypes)
    else:
        table.columns = dtypes


def _forget(table: Frame) -> None:
    """Let no cell of a table be known, nor a label."""
    table.cells.clear()
    table.bounds.clear()
    table.index = ()


def _fill(table: Frame, call: Call) -> None:
    """Put a value, or one for each column by a dict, where cells are missing."""
    by = call.given(0, "value")
    values = dict.fromkeys(table.columns, by)
    if by is not None and isinstance(by.data, dict):
        values = {name: by.data.get(name) for name in table.columns}
    for name, held in list(table.cells.items()):
        if None not in held:
            continue
        value = values.get(name)
        if value is None and by is not None and isinstance(by.data, dict):
            continue
        if value is None or not isinstance(value.data, (bool, int, float, str)):
            del table.cells[name]
            continue
        filled = tuple(value.data if cell is None else cell for cell in held)
        dtype = table.columns[name]
        if dtype == "float64" and not isinstance(value.data, str):
            filled = tuple(float(cell) if isinstance(cell, int) else cell for cell in filled)
        table.columns[name] = "object" if isinstance(value.data, str) else dtype
        table.cells[name] = filled
        table.derived[name] = table.derived.get(name, NOWHERE) | value.origins


def _sorted_rows(interpreter: Interpreter, table: Frame, call: Call) -> list[int] | None:
    by, rising = call.given(0, "by"), call.keywords.get("ascending")
    known = {"by", "ascending", "inplace", "ignore_index", "kind", "na_position", "axis"}
    if by is None or call.keywords.keys() - known:
        return None
    if call.keywords.get("axis", Value(0)).data not in (0, "index"):
        return None
    keys = [by] if isinstance(by.data, str) else listed(interpreter, by)
    for key in keys or ():
        if key.known and key.data not in table.columns:
            raise lacking(table, key.data, key, call.receiver or Value(UNKNOWN))
    if keys is None or any(key.data not in table.cells for key in keys):
        return None
    directions = _directions(rising, len(keys))
    order: list[int] = list(range(size(table.rows) or 0))
    if directions is None or not affords(len(order) * 4):
        return None
    missing_first = call.keywords.get("na_position", Value("last")).data == "first"
    for key, rises in reversed(list(zip(keys, directions, strict=True))):
        held = table.cells[key.data]
        kinds = {type(cell) for cell in held if cell is not None}
        if len({kind is str for kind in kinds}) > 1 or Value in kinds:
            return None
        ranks = {cell: rank for rank, cell in enumerate(distinct(held))}
        present = [row for row in order if held[row] is not None]
        missing = [row for row in order if held[row] is None]
        present.sort(key=lambda row: ranks[held[row]], reverse=not rises)
        order = [*missing, *present] if missing_first else [*present, *missing]
    return order


def _directions(rising: Value | None, count: int) -> list[bool] | None:
    """Return for each key of a sort whether it rises, None where that is not known."""
    if rising is None:
        return [True] * count
    items = rising.data if isinstance(rising.data, list) else [rising] * count
    flags = [bool(item.data) for item in items if isinstance(item.data, (bool, int))]
    return flags if len(flags) == count == len(items) else None


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
            message = "Cannot take a larger sample than population when 'replace=False'"
            raise Raised("value", message, asked, table.rows)
        number = min(wanted, whole) if wanted >= 0 else max(0, whole + wanted)
    count = merged(table.rows, share or asked)
    if isinstance(number, int) and whole is not None:
        positions = _chosen_rows(call, number, whole)
        if positions is not None:
            return Value(rows_taken(table, positions, count), call.receiver.origins)
    rows = Value(number, count)
    return Value(part_of(table, list(table.columns), rows), call.receiver.origins)


def _chosen_rows(call: Call, number: int, whole: int) -> Sequence[int] | None:
    """Return the rows that ``head``, ``tail``, or ``sample`` with a seed choose."""
    if call.name == "head":
        return range(number)
    if call.name == "tail":
        return range(whole - number, whole)
    seed = size(call.keywords.get("random_state"))
    plain = not call.keywords.keys() - {"n", "frac", "random_state"}
    if call.name != "sample" or seed is None or seed < 0 or not plain or not affords(whole):
        return None
    return Draws(seed).permutation(whole)[:number]


@MODELS.method("table", "astype")
def _astype(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table, wanted = table_of(call.receiver), call.given(0, "dtype")
    if table is None or wanted is None or call.receiver is None:
        return call.unknown()
    changes = wanted.data if isinstance(wanted.data, dict) else dict.fromkeys(table.columns, wanted)
    result = part_of(table, list(table.columns))
    for name, dtype in changes.items():
        if name not in result.columns:
            raise lacking(table, name, wanted, call.receiver)
        asked = dtype_name(dtype)
        check_text(table, name, asked, dtype)
        cells = table.cells.get(name) if isinstance(table, Frame) else None
        result.columns[name] = asked
        cast = None if cells is None else converted(cells, asked)
        if cast is not None and isinstance(result, Frame):
            result.cells[name] = cast
    return Value(result, call.receiver.origins)


@MODELS.attribute("table", "columns")
def _column_names(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None:
        return call.unknown()
    origins = frozenset({call.place})
    if call.receiver is not None:
        origins |= call.receiver.origins
    arrays.note_listed(call.place)
    names = tuple(table.columns)
    count = Value(len(names), origins)
    return Value(Series((count,), "object", "numpy", None, None, None, names), origins)


@MODELS.method("array", "get_loc")
def _position_of(_: Interpreter, call: Call) -> Value:
    """Return the position of a label; raise where none is it (``Index.get_loc``)."""
    data, key = arrays.array(call.receiver), call.given(0, "key")
    cells = data.cells if isinstance(data, Series) else None
    if cells is None or key is None or not isinstance(key.data, (str, int)):
        return call.unknown()
    if key.data not in cells:
        raise Raised("key", repr(key.data), key, unknown(call.receiver or key))
    at = cells.index(key.data) if cells.count(key.data) == 1 else UNKNOWN
    origins = key.origins if call.receiver is None else merged(call.receiver, key)
    return Value(at, origins | {call.place})


@MODELS.method("table", "__setattr__")
def _set_attribute(interpreter: Interpreter, call: Call) -> Value:
    """Give a table other names of its columns, or a column that is there other values."""
    table, value = table_of(call.receiver), call.given(0)
    if table is None or value is None:
        return Value(None)
    if call.name in table.columns:
        set_column(table, call.name, value, place=call.place)
    if call.name == "index" and isinstance(table, Frame):
        table.index = ()
    names = listed(interpreter, value) if call.name == "columns" else None
    if names is None or not all(isinstance(name.data, (str, int)) for name in names):
        return Value(None)
    if len(names) != len(table.columns):
        sides = Value(len(table.columns), table.rows.origins), Value(len(names), value.origins)
        raise Raised("size", "Length mismatch", *sides)
    changes = dict(zip(table.columns, (name.data for name in names), strict=True))
    result = _renamed(table, changes)
    for name, new_name in zip(result.columns, names, strict=False):
        result.origins_of[name] = result.origins_of.get(name, NOWHERE) | new_name.origins
    _replace(table, result)
    return Value(None)


@MODELS.attribute("table", "shape", "values", "size", "ndim", "empty", "index")
@MODELS.method("table", "to_numpy", "__array__", "__len__")
def _outline(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    width = table.width(call.receiver.origins)
    if call.name in ("values", "to_numpy", "__array__"):
        return _matrix(table, call)
    rows = size(table.rows)
    if call.name == "size":
        return arrays.product([table.rows, width])
    if call.name == "empty":
        return Value(UNKNOWN if rows is None else not rows or not table.columns, width.origins)
    if call.name == "index":
        labels = labels_of(table)
        if labels is not None and affords(len(labels)):
            made = Series((table.rows,), dtype_of_cells(labels[:MOST_ITEMS]), cells=tuple(labels))
            return Value(made, table.rows.origins)
        return new((table.rows,), None, table.rows.origins)
    simple = {"shape": Value((table.rows, width), width.origins), "ndim": Value(2)}
    return simple.get(call.name, table.rows)


def _matrix(table: Table, call: Call) -> Value:
    asked = call.given(0, "dtype")
    asked = None if asked is not None and asked.data is None else asked
    dtype = dtype_name(asked) if asked is not None else _common(list(table.columns.values()))
    parts = list(table.columns)
    if asked is not None:
        for name in parts:
            check_text(table, name, dtype, asked)
    texts = [n for n, d in table.columns.items() if d == "object"]
    columns = [Value(None, table.origins_of.get(n, NOWHERE)) for n in texts[:6]]
    origins = merged(*([] if call.receiver is None else [call.receiver]), *columns)
    cells = [
        bounds_of(table.cells.get(name)) if isinstance(table, Frame) else (None, None)
        for name in parts
    ]
    if asked is not None or (not texts and len(set(table.columns.values())) > 1):
        # The dtype that all columns can be of is decided where they are put together.
        origins |= {of_dtype(call.place)}
    known = bool(cells) and all(low is not None for low, _ in cells)
    bounds = (
        (min(low for low, _ in cells if low is not None), max(h for _, h in cells if h is not None))
        if known
        else (None, None)
    )
    width = table.width(NOWHERE if call.receiver is None else call.receiver.origins)
    if isinstance(table, Frame) and len(table.cells) == len(table.columns):
        held = [column(table, name) for name in parts]
        grid = matrix_values.of_columns(held, table.rows, width, dtype)
        if grid is not None:
            return Value(grid.data, origins)
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
    kind = getattr(getattr(call.receiver, "data", None), "name", "")
    positions = kind.endswith(("_iloc", "_iat"))
    if rows is None:
        return call.unknown()
    if isinstance(whole.data, Array):
        return _of_column(whole, whole.data, rows, call.place, positions)
    table = table_of(whole)
    if table is None:
        return selected(interpreter, whole, call, positions=positions)
    part, single, is_single = table, None, False
    if columns is not None:
        names = _chosen(interpreter, table, columns, whole, positions)
        if names is None:
            return unknown(whole, columns)
        is_single = size(columns) is not None or isinstance(columns.data, str)
        single = names[0] if names else None
        part = part_of(table, names)
    if _is_one(rows, positions):
        return _one_row(whole, part, rows, call, (single,) if is_single else (), positions)
    kept = _kept(part, rows, call.place, positions)
    if is_single:
        return column(kept, single, whole, rows)
    return Value(kept, merged(whole, rows))


def _of_column(whole: Value, data: Array, rows: Value, place: Origin, positions: bool) -> Value:
    """Return what an indexer of a column selects."""
    held = series_of(whole)
    count = size(data.shape[0]) if data.shape else None
    if held is not None and count is not None:
        where = _positions(rows, count, held.labels, positions)
        if isinstance(where, int):
            cell = cell_at(whole, where)
            return Value(cell.data, merged(cell, rows))
        if where is not None:
            at = frozenset({place}) if truths(rows) is not None else NOWHERE
            return taken(whole, where, rows, at=at)
    if data.shape is None or _is_one(rows, positions):
        return Value(UNKNOWN, whole.origins)
    kept = Value(_length(data.shape[0], rows, positions), merged(whole, rows))
    return new((kept,), data.dtype, whole.origins, (data.lowest, data.highest))


def _positions(
    rows: Value, count: int, labels: Sequence[object] | None, positions: bool
) -> Sequence[int] | int | None:
    """Return the positions that an indexer's first part selects, a number for one row.

    It is None where that is not known; `Raised` ("index", "key") tells of what is not there.
    """
    mask = truths(rows)
    if mask is not None:
        held = series_of(rows)
        return mask if held is not None and len(held.cells or ()) == count else None
    bounds = _slice(rows)
    if bounds is not None:
        if bounds[2] == 0 or not (positions or bounds == (None, None, None)):
            return None
        return range(*slice(*bounds).indices(count))
    if _is_one(rows, positions):
        number = size(rows)
        if positions and number is not None:
            if not -count <= number < count:
                message = "single positional indexer is out-of-bounds"
                raise Raised("index", message, rows, Value(count))
            return number % count
        if labels is None:
            return None
        where = [i for i, label in enumerate(labels) if label == rows.data]
        if not where:
            raise Raised("key", f"{rows.data!r}", rows, Value(UNKNOWN))
        return where[0] if len(where) == 1 else where
    held = series_of(rows)
    asked = held.cells if held is not None else None
    if isinstance(rows.data, list):
        asked = tuple(item.data for item in rows.data)
    if asked is None:
        return None
    if positions or isinstance(labels, range):
        known = [n for n in asked if type(n) is int and -count <= n < count]
    else:
        at = _places_of_labels(labels or ())
        known = [at[n] for n in asked if isinstance(n, PLAIN) and n in at]
    return known if len(known) == len(asked) else None


def _places_of_labels(labels: Sequence[object]) -> dict[object, int]:
    """Return at which row each label stands; of labels that stand at several there is none."""
    known = [label for label in labels if isinstance(label, PLAIN)]
    at: dict[object, int] = {label: number for number, label in enumerate(known)}
    return at if len(at) == len(labels) else {}


def _one_row(
    whole: Value,
    result: Table,
    rows: Value,
    call: Call,
    single: tuple[object, ...],
    positions: bool,
) -> Value:
    """Return one row of a table, or one cell of it."""
    limit, number = size(result.rows), size(rows)
    if positions and None not in (limit, number) and not _is_within(number, limit):
        message = "single positional indexer is out-of-bounds"
        raise Raised("index", message, rows, result.rows)
    if isinstance(result, Frame) and limit is not None and result.cells:
        labels = result.index if len(result.index) == limit else None
        try:
            where = _positions(rows, limit, labels, positions)
        except Raised as raised:
            raise Raised(raised.what, raised.message, rows, result.rows) from None
        if isinstance(where, int):
            named = Call("iterrows", (), {}, call.place, whole)
            row = _row(result, where, named)
            cells = state_of(row, "cells").data
            if single and isinstance(cells, dict):
                cell = cells.get(single[0])
                return cell if isinstance(cell, Value) else unknown(whole, rows)
            return row
    if single:
        return unknown(whole, rows)
    return _unknown_row(result, whole.origins, Call("iterrows", (), {}, call.place, whole))


def _kept(table: Table, rows: Value, place: Origin, positions: bool) -> Table:
    """Return the rows of a table that an indexer's first part selects."""
    count = size(table.rows)
    if isinstance(rows.data, Array) and rows.data.dtype == "bool":
        return masked(table, rows, place)
    if count is not None:
        labels = table.index if isinstance(table, Frame) and len(table.index) == count else None
        where = _positions(rows, count, labels, positions)
        if where is not None and not isinstance(where, int):
            if where == range(count):
                return table
            return rows_taken(table, where, merged(table.rows, rows))
    kept = Value(_length(table.rows, rows, positions), merged(table.rows, rows))
    return part_of(table, list(table.columns), kept)


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
    between = _named_slice(key, names)
    if between is not None:
        return between
    if isinstance(key.data, LibraryObject) or not key.known or key.data is None:
        return None
    if isinstance(key.data, Array) and key.data.dtype == "bool":
        mask = truths(key)
        held = series_of(key)
        full = mask is not None and held is not None and len(held.cells or ()) == len(names)
        return [names[at] for at in mask or ()] if full else None
    keys = [key] if isinstance(key.data, (int, str)) else listed(interpreter, key)
    if keys is None:
        return None
    labels: list[object] = []
    for item in keys:
        if positions:
            number = size(item)
            if number is None:
                return None
            if not -len(names) <= number < len(names):
                count = Value(len(names), whole.origins)
                raise Raised("index", "positional indexers are out-of-bounds", item, count)
            labels.append(names[number])
        else:
            if item.known and item.data not in table.columns:
                raise lacking(table, item.data, item, whole)
            labels.append(item.data)
    return labels


def _named_slice(key: Value, names: Sequence[object]) -> list[object] | None:
    """Return the columns from one label to another, None of what is no such slice."""
    data = key.data
    if not isinstance(data, LibraryObject) or data.name != "builtins.slice":
        return None
    start, stop, step = (*(bound.data for bound in data.args), None, None, None)[:3]
    plain = all(
        bound is None or (isinstance(bound, str) and bound in names) for bound in (start, stop)
    )
    if not plain or step is not None:
        return None
    first = 0 if start is None else names.index(start)
    return list(names[first : len(names) if stop is None else names.index(stop) + 1])


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
    if number == 0:
        return Value([], merged(call.receiver, table.rows))
    if cells and isinstance(table, Frame) and number is not None and number <= 2_000:
        made = [_row(table, index, call) for index in range(number)]
        labels = labels_of(table)
        if call.name == "iterrows":
            firsts = [
                Value(UNKNOWN) if labels is None else from_cell(label, row.origins)
                for label, row in zip(labels or [None] * number, made, strict=True)
            ]
            pairs_ = list(zip(firsts, made, strict=True))
            return Value([Value(pair, merged(*pair)) for pair in pairs_], origins)
        return Value(made, origins)
    row = _unknown_row(table, origins, call)
    item = Value((Value(UNKNOWN), row)) if call.name == "iterrows" else row
    return Value(Lazy(item, table.rows), origins)


def row_at(table: Frame, index: int, call: Call) -> Value:
    """Return a row of a table by its position, as ``iterrows`` gives it."""
    return _row(table, index, Call("iterrows", (), {}, call.place, call.receiver))


def _row(table: Frame, index: int, call: Call) -> Value:
    origins = frozenset({table.lines[index]}) if index < len(table.lines) else NOWHERE
    held: dict[object, Value] = {}
    if _shows_label(call):
        labels = labels_of(table)
        held["Index"] = Value(UNKNOWN) if labels is None else from_cell(labels[index], origins)
    for name in table.columns:
        cells = table.cells.get(name)
        if cells is None:
            held[name] = _cell_like(table, name, call)
        else:
            cell = cells[index] if index < len(cells) else UNKNOWN
            held[name] = from_cell(cell, origins)
    return _row_value(held, origins, call)


def _row_value(held: dict[object, Value], origins: Origins, call: Call) -> Value:
    """Return a row: a dict for ``iterrows``, an object with attributes for ``itertuples``."""
    if call.name == "iterrows":
        named = {name: cell for name, cell in held.items() if isinstance(name, str)}
        state = {**named, "cells": Value(held, origins)}
        return Value(LibraryObject("pandas.Row", (), {}, call.place, state), origins)
    name_of_class = call.given(1, "name")
    if name_of_class is not None and name_of_class.data is None:
        return Value(tuple(held.values()), origins)
    named = {
        name if isinstance(name, str) and name.isidentifier() else f"_{at}": value
        for at, (name, value) in enumerate(held.items())
    }
    return Value(LibraryObject("pandas.Pandas", (), {}, call.place, named), origins)


def _unknown_row(table: Table, origins: Origins, call: Call) -> Value:
    """Return a row whose cells are not known."""
    held = {name: _cell_like(table, name, call) for name in table.columns}
    if _shows_label(call):
        held = {"Index": Value(UNKNOWN), **held}
    return _row_value(held, origins, call)


def _cell_like(table: Table, name: object, call: Call) -> Value:
    """Return a cell of a column, nobody knows which: a whole number with the column's bounds.

    Where no column is one of objects a row has one dtype (pandas, ``DataFrame.iterrows``).
    """
    origins = table.origins_of.get(name, NOWHERE)
    dtypes = set(table.columns.values())
    is_own = call.name == "itertuples" or "object" in dtypes or dtypes == {"int64"}
    bounds = table.bounds.get(name) if isinstance(table, Frame) and is_own else None
    if bounds is None or table.columns[name] != "int64":
        dtype = table.columns[name] if is_own or dtypes == {"float64"} else None
        if dtype in ("int64", "float64"):
            return arrays.number(dtype, Value(None, origins))
        return Value(UNKNOWN, origins)
    return arrays.number("int64", Value(None, origins), lowest=bounds[0], highest=bounds[1])


def _shows_label(call: Call) -> bool:
    """Whether rows begin with their label."""
    given = call.given(0, "index")
    return call.name == "itertuples" and (given is None or given.data is not False)


@MODELS.method("Row", "__getitem__", "get")
def _cell(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    cells, key = state_of(call.receiver, "cells"), call.given(0)
    if not isinstance(cells.data, dict) or key is None or not isinstance(key.data, (str, int)):
        return call.unknown()
    cell = cells.data.get(key.data)
    if cell is None:
        if call.name == "get" or isinstance(key.data, int):
            return unknown(cells, key)
        raise Raised("key", f"{key.data!r}", key, cells)
    return cell if isinstance(cell, Value) else unknown(cells)


@MODELS.method("table", "rename")
def _rename(interpreter: Interpreter, call: Call) -> Value:
    table, names = table_of(call.receiver), call.keywords.get("columns")
    if table is None or names is None or not names.known:
        return call.unknown()
    given = names.data if isinstance(names.data, dict) else _called_names(interpreter, table, call)
    changes = {old: new_.data for old, new_ in given.items() if isinstance(new_.data, (str, int))}
    if len(changes) != len(given):
        return call.unknown()
    found = _renamed(table, changes)
    found.removed = dict(table.removed)
    note_removed(found, [name for name in changes if name in table.columns], call.place)
    return placed(call, found)


def _called_names(interpreter: Interpreter, table: Table, call: Call) -> dict[object, Value]:
    """Return what a function makes of each column's name."""
    function = call.keywords["columns"]
    return {
        name: interpreter.call(function, (Value(name),), {}, call.place)
        for name in list(table.columns)[:MOST_CALLS]
    }


def _renamed(table: Table, changes: Mapping[Any, object]) -> Table:
    """Return a table with other names of some columns."""
    columns = {changes.get(name, name): dtype for name, dtype in table.columns.items()}
    origins = {changes.get(n, n): o for n, o in table.origins_of.items()}
    if not isinstance(table, Frame):
        return Table(columns, table.rows, origins, index_names=table.index_names)
    cells = {changes.get(n, n): c for n, c in table.cells.items()}
    result = Frame(columns, table.rows, origins, cells, table.lines, table.index)
    result.index_names = table.index_names
    result.derived = {changes.get(n, n): o for n, o in table.derived.items()}
    return result


@MODELS.method("table", "pop")
def _pop(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table, key = table_of(call.receiver), call.given(0, "item")
    if table is None or key is None or not isinstance(key.data, (str, int)):
        return call.unknown()
    assert call.receiver is not None
    if key.data not in table.columns:
        raise lacking(table, key.data, key, call.receiver)
    series = column(table, key.data, key)
    del table.columns[key.data]
    note_removed(table, [key.data], call.place)
    return series


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
        kinds_of_columns: set[str] = set()
        for item in items:
            if item.data == "number" or getattr(item.data, "name", "") == "numpy.number":
                kinds_of_columns.update(NUMERIC)
                kinds_of_columns.discard("bool")
                continue
            name = dtype_name(item)
            if item.data in ("category", "datetime64"):
                continue
            if name is None:
                return None
            kinds_of_columns.add(name)
        return kinds_of_columns

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


@MODELS.method("table", "to_csv", "to_json", "to_parquet", "to_pickle", "to_excel", "to_feather")
def _save(interpreter: Interpreter, call: Call) -> Value:
    path, table = call.given(0, "path_or_buf", "path"), table_of(call.receiver)
    form = call.name.removeprefix("to_")
    if form in ("csv", "json", "parquet") and (path is None or path.data is None):
        return call.unknown()  # The text, or the bytes.
    if call.name == "to_csv" and table is not None and call.receiver is not None:
        written = _as_text(table, call)
        kept = unknown(call.receiver) if written is None else Value(written)
        keep(interpreter, path, csv_form(call), kept)
    elif call.name == "to_csv" and call.receiver is not None and not call.receiver.known:
        keep(interpreter, path, csv_form(call), call.receiver)
    elif call.name in ("to_parquet", "to_pickle", "to_feather"):
        keep(interpreter, path, form, call.receiver)
    elif call.name == "to_json" and call.receiver is not None:
        # How a document is nested is decided here.
        keep(interpreter, path, form, Value(UNKNOWN, call.receiver.origins | {call.place}))
    else:
        note_written(interpreter, path)
    return Value(None)


SAVED_AS = {"category": "object", "float32": "float64", "int32": "int64", "float16": "float64"}
"""The dtypes that columns have after they were written as text and read again, where others."""
WITHOUT_INDEX = "Unnamed: 0"
"""The name that a column of labels without a name gets when it is read again."""
SAVING = {"path_or_buf", "index", "encoding", "float_format", "sep"}


def _as_text(table: Table, call: Call) -> Table | None:
    """Return a table as ``read_csv`` gives it back, None where that is not known."""
    if call.keywords.keys() - SAVING or len(call.args) > 1:
        return None
    if not all(isinstance(name, str) for name in table.columns):
        return None
    made = part_of(table, list(table.columns))
    for name, dtype in table.columns.items():
        is_date = (dtype or "").startswith(("datetime", "timedelta"))
        if is_date or dtype in SAVED_AS:
            cells = made.cells.get(name) if isinstance(made, Frame) else None
            made.columns[name] = "object" if is_date else SAVED_AS[dtype or ""]
            if isinstance(made, Frame) and cells is not None and not is_date:
                made.cells[name] = cells
    if call.keywords.get("index", Value(data=True)).data is not False:
        labels = [name for name in table.index_names if isinstance(name, str)] or [WITHOUT_INDEX]
        bare = Table({**dict.fromkeys(labels), **made.columns}, made.rows, dict(made.origins_of))
        held = labels_of(table) if len(labels) == 1 else None
        if held and affords(len(held)):
            written = dtype_of_cells(held[:MOST_ITEMS])
            bare.columns[labels[0]] = SAVED_AS.get(written, written)
        elif labels == [WITHOUT_INDEX]:
            bare.columns[WITHOUT_INDEX] = "int64"
        place = frozenset({call.place})
        bare.origins_of.update(dict.fromkeys(labels, place))
        if "index" not in call.keywords:
            # They are labels to whoever wrote them, and columns to whoever reads them again.
            bare.index_names = tuple(labels)
        return bare
    if isinstance(made, Frame):
        made.index = range(made.rows.data) if isinstance(made.rows.data, int) else ()
    return made


@MODELS.method("table", "to_dict")
def _to_dict(interpreter: Interpreter, call: Call) -> Value:
    """Return a table as containers (``orient``: by column, by row, or in parts)."""
    del interpreter
    table, how = table_of(call.receiver), call.given(0, "orient") or Value("dict")
    if table is None or call.receiver is None or not isinstance(how.data, str):
        return call.unknown()
    if how.data == "records":
        return Value(_rows_of_dict(table, call), call.receiver.origins)
    labels = labels_of(table)
    made: object = UNKNOWN
    if how.data in ("list", "series"):
        columns = {name: column(table, name, call.receiver) for name in table.columns}
        made = columns if how.data == "series" else _listed_columns(columns)
    elif how.data == "split":
        made = {
            "index": value_of(list(labels), call.receiver.origins) if labels else Value(UNKNOWN),
            "columns": value_of(list(table.columns), call.receiver.origins),
            "data": _matrix_rows(table, call),
        }
    elif how.data in ("dict", "index") and labels is not None:
        made = _by_labels(table, labels, call, by_row=how.data == "index")
    return Value(made, merged(call.receiver))


def _listed_columns(columns: Mapping[object, Value]) -> dict[object, Value]:
    """Return the items of columns as lists, as long as the columns where they are not known."""
    lists: dict[object, Value] = {}
    for name, value in columns.items():
        data = value.data
        if series_of(value) is not None:
            lists[name] = Value(cells_of(value), value.origins)
        elif isinstance(data, Array) and data.shape:
            lists[name] = Value(Lazy(_item_of(data, value), data.shape[0]), value.origins)
    return lists


def _item_of(data: Array, column_: Value) -> Value:
    """Return what stands for every item of a column whose cells are not known."""
    if data.dtype is not None and data.dtype in NUMERIC:
        kind = "float64" if "float" in data.dtype else "bool" if data.dtype == "bool" else "int64"
        return arrays.number(kind, column_, lowest=data.lowest, highest=data.highest)
    return Value(UNKNOWN, column_.origins)


def _matrix_rows(table: Table, call: Call) -> Value:
    """Return the rows of a table as lists of cells."""
    rows = _rows_of_dict(table, call)
    if not isinstance(rows, list):
        return Value(Lazy(Value(UNKNOWN), table.rows))
    lists = [Value(list(row.data.values()), row.origins) for row in rows]
    return Value(lists, merged(table.rows))


def _by_labels(
    table: Table, labels: Sequence[object], call: Call, *, by_row: bool
) -> dict[object, Value] | object:
    """Return a dict of rows by label, or of columns that are dicts by label.

    Raises `Raised` ("value") where a label stands for several rows, which pandas refuses by row.
    """
    if not isinstance(table, Frame) or len(labels) > MOST_LABELS:
        return UNKNOWN
    if by_row and len(set(labels)) != len(labels):
        again = next(label for label in labels if list(labels).count(label) > 1)
        message = "DataFrame index must be unique for orient='index'."
        raise Raised("value", message, Value(again), call.receiver or Value(UNKNOWN))
    named = Call("iterrows", (), {}, call.place, call.receiver)
    if by_row:
        rows = [state_of(_row(table, at, named), "cells") for at in range(len(labels))]
        return dict(zip(labels, rows, strict=True))
    held: dict[object, Value] = {}
    for name in table.columns:
        whole = column(table, name)
        known = series_of(whole) is not None
        items = cells_of(whole) if known else [Value(UNKNOWN, whole.origins)] * len(labels)
        held[name] = Value(dict(zip(labels, items, strict=True)), whole.origins)
    return held


MOST_LABELS = 5_000
"""Rows of which a dict is made."""


def _rows_of_dict(table: Table, call: Call) -> object:
    named = Call("iterrows", (), {}, call.place, call.receiver)
    number = size(table.rows)
    if isinstance(table, Frame) and len(table.cells) == len(table.columns) and number is not None:
        rows = [_row(table, index, named) for index in range(min(number, 2_000))]
        return [state_of(row, "cells") for row in rows] if number <= 2_000 else UNKNOWN
    held = {n: Value(UNKNOWN, table.origins_of.get(n, NOWHERE)) for n in table.columns}
    return Lazy(Value(held), table.rows)


MODELS.method("table", "info")(nothing)


def _dtype_of(value: Value) -> str | None:
    data = value.data
    if isinstance(data, bool):
        return "bool"
    if isinstance(data, int):
        return "int64"
    if isinstance(data, float):
        return "float64"
    return "object" if isinstance(data, str) else None
