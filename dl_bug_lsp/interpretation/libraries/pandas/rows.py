"""Models of pandas: single rows of tables, and functions that are called with rows or columns.

Source: the pandas 2.2 reference (``DataFrame.iterrows``, ``itertuples``, ``apply``, ``explode``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

# These register the model that is followed by others here.
import dl_bug_lsp.interpretation.libraries.pandas.unknown_cells  # noqa: F401
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array
from dl_bug_lsp.interpretation.libraries.pandas.columns import can_call, labelled
from dl_bug_lsp.interpretation.libraries.pandas.tables import row_at
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, is_true, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import value_of
from dl_bug_lsp.interpretation.table_values import (
    Frame,
    affords,
    as_cell,
    cell_at,
    column,
    dtype_of_cells,
    is_cell,
    part_of,
    remade,
    rows_taken,
    series_of,
    table_of,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    Raised,
    Table,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

_SURE_CALLS = 50
"""Calls of a function with rows that are followed whatever they take of the steps of the run."""
_PART_OF_STEPS = 8


# A row of ``iterrows`` or ``iloc``.


@MODELS.method("Row", "to_dict", "tolist", "to_list", "to_numpy", "__array__", "copy")
@MODELS.method("Row", "keys", "items", "__iter__", "__len__", "max", "min", "sum")
@MODELS.attribute("Row", "values", "index", "shape", "size")
def _of_row(interpreter: Interpreter, call: Call) -> Value:
    """Return the cells of a row, or its labels."""
    held = state_of(call.receiver, "cells")
    if not isinstance(held.data, dict) or call.receiver is None:
        return call.unknown()
    origins = call.receiver.origins
    if call.name == "copy":
        return call.receiver
    if call.name == "to_dict":
        return Value(dict(held.data), origins)
    if call.name in ("keys", "index"):
        return value_of(list(held.data), origins)
    if call.name == "items":
        pairs = [Value((value_of(key, origins), cell), origins) for key, cell in held.data.items()]
        return Value(pairs, origins)
    if call.name in ("__len__", "size"):
        return Value(len(held.data), origins)
    if call.name == "shape":
        return Value((Value(len(held.data), origins),), origins)
    cells = Value(list(held.data.values()), origins)
    if call.name in ("tolist", "to_list", "__iter__"):
        return cells
    made = as_array(cells)
    if call.name in ("max", "min", "sum"):
        model = MODELS.methods["array", call.name]
        return model(interpreter, Call(call.name, (), {}, call.place, made))
    return made


# A row of ``itertuples``.


@MODELS.method("Pandas", "__iter__", "__getitem__", "__len__", "_asdict", "count", "index")
@MODELS.attribute("Pandas", "_fields")
def _of_named_row(_: Interpreter, call: Call) -> Value:
    """Return the parts of a named tuple."""
    held = call.state
    origins = NOWHERE if call.receiver is None else call.receiver.origins
    if call.name == "__len__":
        return Value(len(held), origins)
    if call.name == "_asdict":
        return Value(dict(held), origins)
    if call.name == "_fields":
        return value_of(tuple(held), origins)
    items = list(held.values())
    if call.name == "__iter__":
        return Value(items, origins)
    key = call.given(0)
    number = size(key)
    if call.name != "__getitem__" or key is None:
        return call.unknown()
    if number is None:
        bounds = [] if call.given(0) is None else _bounds_of(key)
        return Value(tuple(items[slice(*bounds)]), origins) if bounds else call.unknown()
    if not -len(items) <= number < len(items):
        raise Raised("index", "tuple index out of range", key, Value(len(items), origins))
    return items[number]


def _bounds_of(key: Value) -> list[int | None]:
    """Return the bounds of a slice, none where they are not known."""
    data = getattr(key.data, "args", ())
    if getattr(key.data, "name", "") != "builtins.slice" or not data:
        return []
    known = [bound.data for bound in data if bound.data is None or type(bound.data) is int]
    return known if len(known) == len(data) else []


# Functions of rows and columns.


_outlined_apply = MODELS.methods.get(("table", "apply"))


@MODELS.method("table", "apply")
def _apply(interpreter: Interpreter, call: Call) -> Value:
    """Call a function with each row or each column; where that is not known give the outline."""
    table, by = table_of(call.receiver), call.given(0, "func")
    made: Value | None = None
    if table is not None and by is not None and can_call(by):
        axis = call.given(1, "axis")
        by_row = axis is not None and axis.data in (1, "columns")
        follow = _apply_to_rows if by_row else _apply_to_columns
        made = follow(interpreter, call, table, by)
    if made is not None:
        return made
    return call.unknown() if _outlined_apply is None else _outlined_apply(interpreter, call)


def _apply_to_columns(
    interpreter: Interpreter, call: Call, table: Table, by: Value
) -> Value | None:
    """Return what a function reduces each column to, None where it gives another column."""
    if call.keywords.keys() - {"func", "axis"} or len(table.columns) > _SURE_CALLS:
        return None
    cells: list[object] = []
    for name in table.columns:
        made = interpreter.call(by, (column(table, name),), {}, call.place)
        if not is_cell(made) or isinstance(made.data, Array):
            return None
        cells.append(as_cell(made))
    parts = [] if call.receiver is None else [call.receiver]
    return labelled(list(table.columns), cells, call, *parts)


def _apply_to_rows(interpreter: Interpreter, call: Call, table: Table, by: Value) -> Value | None:
    """Return what a function gives for each row, None where one is not known."""
    count = None if not isinstance(table, Frame) else size(table.rows)
    if not isinstance(table, Frame) or count is None or not table.cells or not count:
        return None
    if count > MOST_ITEMS or not affords(count * len(table.cells)):
        return None
    given = call.keywords.get("args")
    more = listed(interpreter, given) if given is not None else []
    named = {n: v for n, v in call.keywords.items() if n not in ("func", "axis", "args", "raw")}
    if more is None or is_true(call.keywords.get("raw")) or "result_type" in named:
        return None
    cells: list[object] = []
    start = interpreter.left
    for at in range(count):
        row = row_at(table, at, call)
        made = interpreter.call(by, (row, *more), named, call.place)
        if not is_cell(made) or isinstance(made.data, Array):
            return None
        cells.append(as_cell(made))
        used = (start - interpreter.left) * count // len(cells)
        if count > _SURE_CALLS and used > start // _PART_OF_STEPS:
            return None
    like = next(name for name in table.columns if name in table.cells)
    made_of = Value(None, frozenset({call.place}))
    assert call.receiver is not None
    result = remade(column(table, like, call.receiver), cells, by, made_of)
    result.data.name = None  # type: ignore[attr-defined]
    return result


@MODELS.method("table", "explode")
def _explode(interpreter: Interpreter, call: Call) -> Value:
    """Give each item of a column's lists a row of its own."""
    table, key = table_of(call.receiver), call.given(0, "column")
    if table is None or key is None or call.receiver is None:
        return call.unknown()
    rows = Value(UNKNOWN, table.rows.origins | {call.place})
    unknown_rows = part_of(table, list(table.columns), rows)
    cells = table.cells.get(key.data) if isinstance(table, Frame) else None
    if cells is None or not isinstance(table, Frame):
        return Value(unknown_rows, call.receiver.origins)
    positions: list[int] = []
    items: list[object] = []
    for at, cell in enumerate(cells):
        given = listed(interpreter, cell) if isinstance(cell, Value) else None
        if given is None and isinstance(cell, Value):
            return Value(unknown_rows, call.receiver.origins)
        parts = [cell] if given is None else [as_cell(item) for item in given] or [None]
        if not all(is_cell(item) for item in given or ()):
            return Value(unknown_rows, call.receiver.origins)
        positions.extend([at] * len(parts))
        items.extend(parts)
        if len(items) > MOST_ITEMS:
            return Value(unknown_rows, call.receiver.origins)
    result = rows_taken(table, positions, rows.origins)
    if isinstance(result, Frame):
        result.columns[key.data] = dtype_of_cells(items)
        result.cells[key.data] = tuple(items)
        if is_true(call.keywords.get("ignore_index")):
            result.index = range(len(items))
    return Value(result, merged(call.receiver, key))


@MODELS.method("array", "explode")
def _explode_column(interpreter: Interpreter, call: Call) -> Value:
    """Give each item of a column's lists a cell of its own."""
    held = series_of(call.receiver)
    if held is None or held.cells is None or call.receiver is None:
        return call.unknown()
    labels: list[object] = []
    items: list[object] = []
    for at, cell in enumerate(held.cells):
        given = listed(interpreter, cell_at(call.receiver, at)) if isinstance(cell, Value) else None
        known = given is not None and all(is_cell(item) for item in given)
        if isinstance(cell, Value) and not known:
            return call.unknown()
        parts: Sequence[object] = [as_cell(item) for item in given or ()] if known else [cell]
        labels.extend([held.labels[at] if held.labels is not None else at] * len(parts))
        items.extend(parts)
        if len(items) > MOST_ITEMS:
            return call.unknown()
    return labelled(labels, items, call, call.receiver)
