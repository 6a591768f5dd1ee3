"""Models of pandas: what groups of rows come to cell by cell, where the rows are known.

Source: the pandas 2.2 reference (``GroupBy.apply``, ``agg``, ``filter``, ``head``, ``groups``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

# These register the models that know the outline alone.
import dl_bug_lsp.interpretation.libraries.pandas.unknown_cells  # noqa: F401
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.pandas.columns import can_call, counted, labelled
from dl_bug_lsp.interpretation.libraries.pandas.groups import groups_of, reduced
from dl_bug_lsp.interpretation.model_helpers import state_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.operators import value_of
from dl_bug_lsp.interpretation.table_values import (
    Frame,
    Series,
    as_cell,
    column,
    dtype_of_cells,
    is_cell,
    remade,
    rows_taken,
    taken,
)
from dl_bug_lsp.interpretation.values import UNKNOWN, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

_MOST_GROUPS = 2_000
_SURE_CALLS = 50
"""Groups for which a function is followed whatever it takes of the steps of the run."""
_PART_OF_STEPS = 8
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
