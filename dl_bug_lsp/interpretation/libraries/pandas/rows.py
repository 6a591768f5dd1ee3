"""Models of pandas: single rows, and functions that are called with rows, columns or groups.

What groups come to is told cell by cell, where the rows are known. Source: the pandas 2.2 reference
(``DataFrame.iterrows``, ``itertuples``, ``apply``, ``explode``; ``GroupBy.apply``, ``agg``,
``filter``, ``head``, ``groups``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.pandas.unknown_cells  # noqa: F401
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array
from dl_bug_lsp.interpretation.libraries.pandas.columns import can_call, counted, labelled
from dl_bug_lsp.interpretation.libraries.pandas.groups import groups_of, reduced
from dl_bug_lsp.interpretation.libraries.pandas.tables import row_at
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, is_true, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.operators import value_of
from dl_bug_lsp.interpretation.table_values import (
    Frame,
    Series,
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
    taken,
)
from dl_bug_lsp.interpretation.values import NOWHERE, UNKNOWN, Array, Raised, Table, Value, merged

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


# --- groups ---------------------------------------------------------------------------------------

_MOST_GROUPS = 2_000
Groups = dict[object, list[int]]


def _first(*names: str) -> Callable[[Callable[[Interpreter, Call], Value | None]], Model]:
    """Register a model of groups before the one that is there, which has what it leaves."""

    def keep(model: Callable[[Interpreter, Call], Value | None]) -> Model:
        last: Model | None = None
        for name in names:
            last = MODELS.methods["GroupBy", name] = _before(
                model, MODELS.methods.get(("GroupBy", name))
            )
        assert last is not None
        return last

    return keep


def _before(model: Callable[[Interpreter, Call], Value | None], other: Model | None) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        made = model(interpreter, call)
        if made is not None:
            return made
        return call.unknown() if other is None else other(interpreter, call)

    return run


@_first("apply", "agg", "aggregate", "progress_apply")
def _called(interpreter: Interpreter, call: Call) -> Value | None:
    """Return what functions give for each group.

    ``progress_apply`` is the ``apply`` that tqdm adds (tqdm, "Pandas Integration").
    """
    if call.name == "progress_apply":
        call = Call("apply", call.args, call.keywords, call.place, call.receiver)
    grouped = groups_of(call.receiver)
    if grouped is None or len(grouped[1]) > _MOST_GROUPS:
        return None
    frame, groups = grouped
    chosen = state_of(call.receiver, "column").data
    how = call.given(0, "func")
    if how is None:
        return _named(interpreter, call, frame, groups)
    if isinstance(how.data, dict) and call.name != "apply":
        parts: dict[object, tuple[object, Value]] = {
            name: (name, item) for name, item in how.data.items()
        }
        return _columns(interpreter, call, frame, groups, parts)
    if isinstance(how.data, list) and isinstance(chosen, str) and call.name != "apply":
        named: dict[object, tuple[object, Value]] = {
            _name_of(item): (chosen, item) for item in how.data
        }
        return _columns(interpreter, call, frame, groups, named) if None not in named else None
    if isinstance(chosen, str):
        cells = _cells(interpreter, call, frame, groups, chosen, how)
        return None if cells is None else _result(call, groups, {chosen: cells}, chosen)
    if call.name != "apply" or not can_call(how):
        return None
    return _of_tables(interpreter, call, frame, groups, how)


def _name_of(how: Value) -> str | None:
    """Return the name that a column gets of what makes it, None where that is not known."""
    if isinstance(how.data, str):
        return how.data
    node = getattr(how.data, "node", None)
    name = getattr(node, "name", None) or getattr(how.data, "short", None)
    return name if isinstance(name, str) else None


def _named(interpreter: Interpreter, call: Call, frame: Frame, groups: Groups) -> Value | None:
    """Follow named aggregations, ``new=("column", "how")``."""
    parts: dict[object, tuple[object, Value]] = {}
    chosen = state_of(call.receiver, "column").data
    for name, item in call.keywords.items():
        pair = item.data if isinstance(item.data, tuple) else (Value(chosen), item)
        if len(pair) != 2:
            return None
        parts[name] = (pair[0].data, pair[1])
    return _columns(interpreter, call, frame, groups, parts) if parts else None


def _columns(
    interpreter: Interpreter,
    call: Call,
    frame: Frame,
    groups: Groups,
    parts: dict[object, tuple[object, Value]],
) -> Value | None:
    """Return a table with a column for each name, of a column of the groups and what reduces it."""
    made: dict[object, list[object]] = {}
    for name, (source, how) in parts.items():
        cells = _cells(interpreter, call, frame, groups, source, how)
        if cells is None:
            return None
        made[name] = cells
    return _result(call, groups, made, None)


def _cells(
    interpreter: Interpreter, call: Call, frame: Frame, groups: Groups, source: object, how: Value
) -> list[object] | None:
    """Return what a function or a named reduction gives for a column of each group."""
    held = frame.cells.get(source)
    if held is None:
        return None
    if isinstance(how.data, str):
        named = [reduced(how.data, [held[row] for row in rows]) for rows in groups.values()]
        return None if any(cell is UNKNOWN for cell in named) else named
    if not can_call(how):
        return None
    whole = column(frame, source)
    return _followed(interpreter, call, how, [(taken(whole, rows),) for rows in groups.values()])


def _followed(
    interpreter: Interpreter, call: Call, how: Value, given: Sequence[tuple[Value, ...]]
) -> list[object] | None:
    """Return the cells that a function gives, None where one is not known or it takes too long."""
    cells: list[object] = []
    start = interpreter.left
    for args in given:
        made = interpreter.call(how, args, {}, call.place)
        if not is_cell(made) or isinstance(made.data, Series):
            return None
        cells.append(as_cell(made))
        used = (start - interpreter.left) * len(given) // len(cells)
        if len(given) > _SURE_CALLS and used > start // _PART_OF_STEPS:
            return None
    return cells


def _of_tables(
    interpreter: Interpreter, call: Call, frame: Frame, groups: Groups, how: Value
) -> Value | None:
    """Return what a function gives for the table of each group, where it gives no table."""
    tables = [(Value(rows_taken(frame, rows, frame.rows.origins)),) for rows in groups.values()]
    cells = _followed(interpreter, call, how, tables)
    return None if cells is None else _result(call, groups, {None: cells}, None)


def _result(
    call: Call, groups: Groups, cells: dict[object, list[object]], single: object
) -> Value | None:
    """Return what groups come to by their keys: a column, or a table."""
    receiver, by = call.receiver, state_of(call.receiver, "by").data
    if receiver is None or not isinstance(by, list):
        return None
    keys = [key.data for key in by]
    flat = state_of(receiver, "as_index").data is False
    if len(cells) == 1 and not flat and (single is not None or None in cells):
        made = labelled(list(groups), next(iter(cells.values())), call, receiver)
        if isinstance(made.data, Series):
            made.data.name, made.data.index_names = single, tuple(keys)
        return made
    count = counted(len(groups), call, receiver)
    table = Frame({}, count)
    if flat:
        for at, key in enumerate(keys):
            own = [label[at] if isinstance(label, tuple) else label for label in groups]
            table.columns[key], table.cells[key] = dtype_of_cells(own), tuple(own)
        table.index = range(len(groups))
    else:
        table.index, table.index_names = tuple(groups), tuple(keys)
    for name, items in cells.items():
        table.columns[name], table.cells[name] = dtype_of_cells(items), tuple(items)
        table.origins_of[name] = merged(receiver)
    return Value(table, merged(receiver))


@_first("head", "tail", "filter", "nth")
def _chosen_rows(interpreter: Interpreter, call: Call) -> Value | None:
    """Return the rows of groups by their place in them, or of the groups that a function keeps."""
    grouped = groups_of(call.receiver)
    if grouped is None or call.receiver is None:
        return None
    frame, groups = grouped
    positions: list[int] = []
    if call.name == "filter":
        how = call.given(0, "func")
        if how is None or not can_call(how) or len(groups) > _MOST_GROUPS:
            return None
        tables = [(Value(rows_taken(frame, rows, frame.rows.origins)),) for rows in groups.values()]
        kept = _followed(interpreter, call, how, tables)
        if kept is None or not all(isinstance(flag, bool) for flag in kept):
            return None
        for flag, rows in zip(kept, groups.values(), strict=True):
            positions.extend(rows if flag else ())
    else:
        number = size(call.given(0, "n") or Value(5))
        if number is None:
            return None
        for rows in groups.values():
            positions.extend(_at(rows, call.name, number))
    positions.sort()
    chosen = state_of(call.receiver, "column").data
    origins = call.receiver.origins | {call.place}
    result = rows_taken(frame, positions, frame.rows.origins | origins)
    if isinstance(chosen, str):
        return column(result, chosen, call.receiver)
    return Value(result, origins)


def _at(rows: list[int], name: str, number: int) -> list[int]:
    """Return the rows of a group that ``head``, ``tail`` or ``nth`` gives."""
    if name == "nth":
        return [rows[number]] if -len(rows) <= number < len(rows) else []
    if name == "head":
        return rows[:number]
    return rows[-number:] if number > 0 else []


@_first("rank")
def _ranked(_: Interpreter, call: Call) -> Value | None:
    """Return the place of each row in its group in the order of a column."""
    grouped, chosen = groups_of(call.receiver), state_of(call.receiver, "column").data
    if grouped is None or not isinstance(chosen, str) or call.receiver is None:
        return None
    frame, groups = grouped
    cells, how = frame.cells.get(chosen), call.given(0, "method")
    numbers = [cell for cell in cells or () if isinstance(cell, (int, float))]
    if cells is None or how is None or how.data != "first" or len(numbers) != len(cells):
        return None
    falling = call.keywords.get("ascending", Value(data=True)).data is False
    made: list[object] = [None] * len(cells)
    for rows in groups.values():
        ordered = sorted(rows, key=lambda row: numbers[row], reverse=falling)
        for rank, row in enumerate(ordered, start=1):
            made[row] = float(rank)
    return Value(remade(column(frame, chosen), made).data, merged(call.receiver))


@MODELS.attribute("GroupBy", "groups", "indices")
def _labels_by_group(interpreter: Interpreter, call: Call) -> Value:
    """Return the labels, or the positions, of the rows of each group."""
    grouped = groups_of(call.receiver)
    if grouped is None or call.receiver is None:
        return call.unknown()
    frame, groups = grouped
    labels = frame.index if len(frame.index) == size(frame.rows) else None
    if call.name == "groups" and labels is None:
        return call.unknown()
    held: dict[object, Value] = {}
    for key, rows in groups.items():
        own = [labels[row] for row in rows] if labels and call.name == "groups" else rows
        items = value_of(list(own), call.receiver.origins)
        model = MODELS.functions["numpy.array"]
        held[key] = model(interpreter, Call("numpy.array", (items,), {}, call.place))
    return Value(held, call.receiver.origins)
