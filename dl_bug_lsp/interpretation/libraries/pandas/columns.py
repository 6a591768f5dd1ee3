"""Models of pandas: columns and their dtypes.

Source: the pandas 2.2 reference, also "Data type introspection" (``pandas.api.types``).
"""

from __future__ import annotations

import ast
import difflib
import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.array_functions  # noqa: F401
from dl_bug_lsp.interpretation import arrays, matrix_values, operators
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import (
    as_array,
    dtype_name,
    is_object_type,
    new,
)
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, is_true, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import value_of
from dl_bug_lsp.interpretation.table_values import (
    NUMERIC,
    WITHOUT_NUMBER,
    Frame,
    Series,
    affords,
    are_views,
    as_cell,
    as_column,
    bounds_of,
    cell_at,
    cells_of,
    check_text,
    converted,
    distinct,
    dtype_of_cells,
    is_cell,
    number_in,
    remade,
    series_of,
    taken,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    BoundMethod,
    FunctionValue,
    Library,
    LibraryObject,
    Method,
    Origin,
    Origins,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# Methods that only columns have.


def counted(number: object, call: Call, *parts: Value) -> Value:
    """Return a number that counts or reduces data: the call that does so is among its origins."""
    return Value(number, merged(*parts) | {call.place})


@MODELS.method("array", "nunique")
def _nunique(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = series_of(call.receiver)
    if data is None or data.cells is None or call.receiver is None:
        return call.unknown()
    return counted(len(distinct(data.cells)), call, call.receiver)


_unique_of_tensors = MODELS.methods.get(("array", "unique"))


@MODELS.method("array", "unique")
def _unique(interpreter: Interpreter, call: Call) -> Value:
    data = series_of(call.receiver)
    if data is not None and data.cells is not None and call.receiver is not None:
        cells = dict.fromkeys(data.cells)
        if len(cells) <= MOST_ITEMS:
            count = counted(len(cells), call, call.receiver)
            low, high = data.lowest, data.highest
            made = Series((count,), data.dtype, "numpy", None, low, high, tuple(cells))
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
    if call.name == "values" and data.library == "torch":
        # That of a sparse tensor is a method.
        return call.unknown()
    asked = call.given(0, "dtype")
    asked = None if asked is not None and asked.data is None else asked
    held = series_of(call.receiver)
    if held is not None and held.cells is not None:
        dtype = held.dtype if asked is None else dtype_name(asked)
        cells = held.cells if asked is None else converted(held.cells, dtype)
        if cells is not None:
            result = remade(call.receiver, cells, dtype=dtype)
            assert isinstance(result.data, Series)
            result.data.index = None
            return result
    if asked is None and not isinstance(data, Series):
        return call.receiver
    dtype = data.dtype if asked is None else dtype_name(asked)
    return new(data.shape, dtype, call.receiver.origins, (data.lowest, data.highest))


_EXACT: dict[str, Callable[[list[float]], float]] = {
    "max": max,
    "min": min,
    "sum": sum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "count": len,
    "argmax": lambda numbers: numbers.index(max(numbers)),
    "argmin": lambda numbers: numbers.index(min(numbers)),
    "any": any,
    "all": all,
}
_of_tensors = {name: MODELS.methods.get(("array", name)) for name in _EXACT}


@MODELS.method("array", *_EXACT)
def _exact(interpreter: Interpreter, call: Call) -> Value:
    """Return what known cells come to, without the missing ones; of all else what tensors give."""
    data = series_of(call.receiver)
    cells = [c for c in (data.cells or () if data is not None else ()) if c is not None]
    if data is not None and call.receiver is not None and not call.args and not call.keywords:
        if call.name == "count":
            return counted(len(cells), call, call.receiver)
        numbers = [cell for cell in cells if isinstance(cell, (int, float))]
        exact = numbers and len(numbers) == len(cells) and not any(map(_is_huge, numbers))
        if exact and (call.name[:3] != "arg" or len(cells) == len(data.cells or ())):
            return counted(_EXACT[call.name](numbers), call, call.receiver)
        texts = [cell for cell in cells if isinstance(cell, str)]
        if call.name in ("max", "min") and texts and len(texts) == len(cells):
            chosen = max(texts) if call.name == "max" else min(texts)
            return counted(chosen, call, call.receiver)
        if call.name in ("mean", "median") and data.dtype == "object":
            where = next((i for i, c in enumerate(data.cells or ()) if isinstance(c, str)), None)
            if where is not None and call.name == "median":
                place = Value(UNKNOWN, call.receiver.origins)
                raise Raised("type", "Cannot convert to numeric", place)
    of_grid = _exact_of_grid(interpreter, call)
    if of_grid is not None:
        return of_grid
    model = _of_tensors[call.name]
    return call.unknown() if model is None else model(interpreter, call)


def _exact_of_grid(interpreter: Interpreter, call: Call) -> Value | None:
    """Return what the known cells of an array of two axes come to, of all or along one axis."""
    columns, axis = matrix_values.grid_of(call.receiver), call.given(0, "axis")
    if columns is None or call.receiver is None or call.keywords.keys() - {"axis"}:
        return None
    if axis is None or axis.data is None:
        whole = matrix_values.flattened(call.receiver)
        lines: Sequence[Value] | None = None if whole is None else [whole]
    elif axis.data in (0, -2):
        lines = columns
    else:
        lines = matrix_values.rows_of(call.receiver) if axis.data in (1, -1) else None
    if lines is None:
        return None
    made = [_exact(interpreter, Call(call.name, (), {}, call.place, line)) for line in lines]
    if axis is None or axis.data is None:
        return Value(made[0].data, merged(call.receiver, made[0]))
    if not all(isinstance(number.data, (int, float)) for number in made):
        return None
    result = as_array(Value(made, merged(call.receiver)))
    given, data = arrays.array(call.receiver), arrays.array(result)
    dtype = "" if given is None else given.dtype or ""
    if data is not None and call.name in OF_SAME_TYPE and dtype.startswith("float"):
        data.dtype = dtype
    return result


OF_SAME_TYPE = ("max", "min", "sum", "mean", "median")
"""What keeps the precision of an array's floats (NumPy, "numpy.mean", "numpy.sum")."""


def _is_huge(number: float) -> bool:
    return number != number or abs(number) > _LARGEST  # noqa: PLR0124


_LARGEST = 1 << 62


_tolist_of_arrays = MODELS.methods.get(("array", "tolist"))


@MODELS.method("array", "tolist", "to_list")
def _tolist(interpreter: Interpreter, call: Call) -> Value:
    data = series_of(call.receiver)
    rows = None if call.receiver is None else matrix_values.rows_of(call.receiver)
    if rows is not None and call.receiver is not None:
        return Value([Value(cells_of(row), row.origins) for row in rows], call.receiver.origins)
    if data is None or data.cells is None or call.receiver is None:
        model = _tolist_of_arrays
        return call.unknown() if model is None else model(interpreter, call)
    return Value(cells_of(call.receiver), call.receiver.origins)


@MODELS.method("array", "__iter__")
def _iterate(interpreter: Interpreter, call: Call) -> Value:
    """Return the cells of a column where they are known, unknown otherwise."""
    del interpreter
    if series_of(call.receiver) is None or call.receiver is None:
        rows = None if call.receiver is None else matrix_values.rows_of(call.receiver)
        return Value(UNKNOWN) if rows is None else Value(rows)
    return Value(cells_of(call.receiver), call.receiver.origins)


@MODELS.method("array", "map", "apply", "replace", "progress_apply", "progress_map")
def _map(interpreter: Interpreter, call: Call) -> Value:
    """Map a column by a dict or a function; a value that a dict lacks is missing."""
    data, by = arrays.array(call.receiver), call.given(0, "arg", "func", "to_replace")
    if data is None or by is None or call.receiver is None or not data.shape:
        return call.unknown()
    origins = merged(call.receiver, by)
    column_ = series_of(call.receiver)
    keeps = call.name == "replace"
    if keeps and not isinstance(by.data, dict):
        value = call.given(1, "value")
        scalar = isinstance(by.data, (str, int, float)) and value is not None
        if not scalar or value is None or "regex" in call.keywords:
            return new(data.shape, None, merged(*call.args, call.receiver))
        by = Value({by.data: value}, merged(by, value))
    if isinstance(by.data, dict):
        held = by.data
        if column_ is not None and column_.cells is not None and affords(len(column_.cells)):
            mapped_to = [held.get(c) for c in column_.cells]
            if all(value is None or is_cell(value) for value in mapped_to):
                cells = tuple(
                    as_cell(value) if value is not None else (c if keeps else None)
                    for c, value in zip(column_.cells, mapped_to, strict=True)
                )
                mapped = _derived(call, cells, by, *_used(held, column_.cells))
                if isinstance(mapped.data, Series) and not keeps:
                    gaps = _gaps(column_, held, by, call.place)
                    mapped.data.gaps = gaps
                    # They are why whole numbers are floats from here on.
                    mapped = Value(mapped.data, mapped.origins | gaps)
                return mapped
        dtypes = {type(value.data) for value in held.values()}
        dtype = None if dtypes <= {int, float} else "object" if dtypes == {str} else None
        return new(data.shape, None if keeps else dtype, origins)
    if column_ is not None and not keeps and can_call(by):
        made = _called(interpreter, by, call)
        if made is not None:
            return _derived(call, made, by)
    return new(data.shape, None, origins)


def _gaps(column_: Series, held: dict[object, Value], by: Value, place: Origin) -> Origins:
    """Return what leaves cells without a value in a dict: a key that is spelt otherwise, or rows.

    Where the dict has none of the cells, it is the line that maps.
    """
    cells = column_.cells or ()
    lost = [cell for cell in dict.fromkeys(cells) if cell is not None and cell not in held]
    if not lost:
        return NOWHERE
    if not any(cell in held for cell in cells):
        why = "no cell of the column is a key of this dict, so all of them become missing"
        arrays.note_reason(place, why)
        return frozenset({place})
    twins = [(key, c) for c in lost for key in held if _is_spelt_alike(key, c)]
    rows = [line for line, cell in zip(column_.lines, cells, strict=False) if cell in lost]
    if 0 < len(rows) <= _FEW_ROWS:
        for row in rows:
            arrays.note_reason(row, f"`{str(lost[0])[:_MOST_SHOWN]}` is no key of what maps it")
        return frozenset(rows)
    for key, cell in twins[:_MOST_USED]:
        for origin in held[key].origins - by.origins:
            why = f"`{key}` is a key here, and the data have `{str(cell)[:_MOST_SHOWN]}`"
            arrays.note_reason(origin, why)
    if twins:
        return merged(*(held[key] for key, _ in twins[:_MOST_USED]))
    return frozenset({place}) | by.origins | frozenset(rows[:1])


def _is_spelt_alike(key: object, cell: object) -> bool:
    """Whether a key and a cell differ in case, blanks, type or a slip alone."""
    own, other = str(key).strip().casefold(), str(cell).strip().casefold()
    if own == other:
        return True
    ratio = difflib.SequenceMatcher(None, own, other).ratio()
    return isinstance(key, str) and isinstance(cell, str) and ratio >= _ALIKE


_FEW_ROWS = 2
"""Rows with a value that no key has which are rather wrong themselves than the keys."""
_ALIKE = 0.8
_MOST_SHOWN = 40


def _used(by: dict[object, Value], cells: Sequence[object]) -> list[Value]:
    """Return the first values of a dict that a column is mapped to."""
    return [by[cell] for cell in dict.fromkeys(cells) if cell in by][:_MOST_USED]


_MOST_USED = 8
_MOST_SMALL = 128
"""Categories whose codes have 8 bits."""
_MOST_CALLS = 2_000
"""Distinct cells that a function may be called with."""
_SURE_CALLS = 200
"""Calls that are followed whatever they take of the steps of the run."""
_PART_OF_STEPS = 8
"""More calls are followed where they take less than this part of the steps that are left."""


_OF_ONE_CELL = frozenset(
    {f"builtins.{name}" for name in ("int", "float", "str", "bool", "len", "eval", "list", "set")}
    | {f"builtins.{name}" for name in ("tuple", "sorted", "abs", "max", "min", "sum", "round")}
    | {"ast.literal_eval", "json.loads", "numpy.array", "numpy.asarray", "os.path.basename"}
)
"""Functions of libraries that give something of a cell alone."""


def can_call(by: Value) -> bool:
    """Whether what a function gives for a cell or a row can be followed."""
    if isinstance(by.data, Library):
        return by.data.name in _OF_ONE_CELL
    return isinstance(by.data, (FunctionValue, BoundMethod, Method))


def _called(interpreter: Interpreter, by: Value, call: Call) -> list[object] | None:
    """Return what a function gives for each cell, None where one is not known.

    It is called once for each distinct cell, so it must be a function of the cell alone.
    """
    held = series_of(call.receiver)
    if held is None or held.cells is None or call.receiver is None:
        return None
    firsts = {cell: i for i, cell in reversed(list(enumerate(held.cells)))}
    if len(firsts) > _MOST_CALLS:
        return None
    results: dict[object, object] = {}
    start = interpreter.left
    for cell, where in firsts.items():
        made = interpreter.call(by, (cell_at(call.receiver, where),), {}, call.place)
        if not is_cell(made):
            return None
        results[cell] = as_cell(made)
        used = (start - interpreter.left) * len(firsts) // len(results)
        if len(firsts) > _SURE_CALLS and used > start // _PART_OF_STEPS:
            return None
    return [results[cell] for cell in held.cells]


def _derived(call: Call, cells: Sequence[object], *parts: Value) -> Value:
    """Return a column of cells that a call makes of its receiver's."""
    assert call.receiver is not None
    return remade(call.receiver, cells, *parts, Value(None, frozenset({call.place})))


_astype_of_arrays = MODELS.methods.get(("array", "astype"))


@MODELS.method("array", "astype")
def _astype_column(interpreter: Interpreter, call: Call) -> Value:
    column_, wanted = series_of(call.receiver), call.given(0, "dtype")
    dtype = dtype_name(wanted)
    if column_ is not None and wanted is not None and column_.cells is not None:
        made = Frame({"": column_.dtype}, Value(0), {}, {"": column_.cells}, column_.lines)
        made.gaps[""] = column_.gaps
        if is_object_type(wanted) and call.receiver is not None:
            return remade(call.receiver, column_.cells, dtype="object")
        check_text(made, "", dtype, wanted)
        same = dtype == column_.dtype or (wanted.data in ("category", "string"))
        if same and call.receiver is not None:
            return call.receiver
        cast = converted(column_.cells, dtype)
        if cast is not None and call.receiver is not None:
            return remade(call.receiver, cast, dtype=dtype)
    lacking = arrays.array(call.receiver) if column_ is None else None
    if wanted is not None and isinstance(lacking, Series) and lacking.gaps and "int" in str(dtype):
        raise Raised("value", WITHOUT_NUMBER, Value(None, lacking.gaps), wanted)
    columns = matrix_values.grid_of(call.receiver)
    if columns is not None and call.receiver is not None and isinstance(call.receiver.data, Array):
        rows, width = call.receiver.data.shape or (Value(UNKNOWN), Value(UNKNOWN))
        cast_grid = matrix_values.of_columns(columns, rows, width, dtype, call.receiver)
        if cast_grid is not None and dtype != "object":
            return cast_grid
    model = _astype_of_arrays
    return call.unknown() if model is None else model(interpreter, call)


@MODELS.method("array", "fillna", "ffill", "bfill", "reset_index", "sort_values", "sort_index")
@MODELS.method("array", "rename", "to_frame_column", "infer_objects")
def _same_column(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = arrays.array(call.receiver)
    if data is None or call.receiver is None:
        return call.unknown()
    if call.name == "reset_index" and not is_true(call.keywords.get("drop")):
        return _as_table(call, data)
    held = series_of(call.receiver)
    if held is not None and held.cells is not None:
        made = _same_cells(held, held.cells, call)
        if made is not None:
            return made
    bounds = (data.lowest, data.highest)
    if call.name.startswith("sort_") and isinstance(data, Series) and data.index is not None:
        # The labels go with their cells.
        ordered = Series(data.shape, data.dtype, "numpy", None, *bounds, index=())
        ordered.name, ordered.index_names = data.name, data.index_names
        if is_true(call.keywords.get("ignore_index")):
            ordered.index = range(size(data.shape[0]) or 0) if data.shape else ()
        return Value(ordered, call.receiver.origins)
    return new(data.shape, data.dtype, call.receiver.origins, bounds)


def _as_table(call: Call, data: Array) -> Value:
    """Return a column with its labels beside it as a table (``reset_index``)."""
    known = isinstance(data, Series) and data.index_names is not None and data.shape
    if not known or not isinstance(data, Series) or not data.shape or call.args:
        return call.unknown()
    given = call.keywords.get("name")
    name = data.name if given is None else given.data
    if name is UNKNOWN or call.keywords.keys() - {"name"}:
        return call.unknown()
    levels = data.index_names or ("index",)
    name = 0 if name is None else name
    table = Frame({**dict.fromkeys(levels), name: data.dtype}, data.shape[0])
    count = size(data.shape[0])
    if data.cells is not None and len(data.cells) == count:
        table.cells[name] = data.cells
    labels = data.labels
    plain = labels is not None and all(
        isinstance(label, (bool, int, float, str)) for label in labels
    )
    if labels is not None and plain and len(levels) == 1:
        table.columns[levels[0]] = dtype_of_cells(labels)
        table.cells[levels[0]] = tuple(labels)
    table.index = range(count) if count is not None else ()
    return Value(table, merged(*([] if call.receiver is None else [call.receiver])))


def _same_cells(held: Series, cells: Sequence[object], call: Call) -> Value | None:
    """Return a column with its missing cells filled, its cells sorted, or other labels."""
    receiver = call.receiver
    assert receiver is not None
    if call.name == "reset_index":
        result = remade(receiver, cells, dtype=held.dtype)
        assert isinstance(result.data, Series)
        result.data.index = range(len(cells))
        return result
    if call.name == "fillna":
        by = call.given(0, "value")
        if by is not None and (given := _aligned(held, by)) is not None:
            pairs = zip(cells, given, strict=True)
            return remade(receiver, [b if a is None else a for a, b in pairs], by)
        if by is None or not isinstance(by.data, (bool, int, float, str)):
            return None if None in cells else receiver
        filled = [by.data if cell is None else cell for cell in cells]
        if held.dtype == "float64" and not isinstance(by.data, str):
            filled = [float(cell) if isinstance(cell, int) else cell for cell in filled]
        return remade(receiver, filled, by)
    if call.name in ("ffill", "bfill") and not call.keywords:
        return remade(receiver, _carried(cells, backwards=call.name == "bfill"))
    if call.name in ("sort_values", "sort_index"):
        return _in_order(held, cells, call, receiver)
    return receiver if call.name in ("rename", "infer_objects") else None


def _in_order(held: Series, cells: Sequence[object], call: Call, receiver: Value) -> Value | None:
    """Return a column sorted by its cells or labels, None where the order is not known."""
    upwards = call.keywords.get("ascending") or Value(True)
    keys = cells if call.name == "sort_values" else held.labels
    if call.args or call.keywords.keys() - {"ascending"} or type(upwards.data) is not bool:
        return None
    if keys is None or not all(isinstance(key, (bool, int, float, str)) for key in keys):
        return None
    if len({isinstance(key, str) for key in keys}) > 1:
        return None
    ranks = {key: rank for rank, key in enumerate(distinct(keys))}
    sign = 1 if upwards.data else -1
    return taken(receiver, sorted(range(len(keys)), key=lambda i: sign * ranks[keys[i]]))


def _aligned(held: Series, by: Value) -> Sequence[object] | None:
    """Return the cells of another column that has a column's labels, None of others."""
    other = series_of(by)
    if other is None or other.cells is None or other.labels is None or held.labels is None:
        return None
    alike = other.labels is held.labels or list(other.labels) == list(held.labels)
    return other.cells if alike and affords(len(other.cells)) else None


def _carried(cells: Sequence[object], *, backwards: bool) -> list[object]:
    """Return cells of which a missing one is as the last one before it, or the first one after."""
    result: list[object] = []
    for cell in reversed(cells) if backwards else cells:
        result.append(cell if cell is not None or not result else result[-1])
    return result[::-1] if backwards else result


_COMPARED: dict[str, type[ast.cmpop]] = {
    "eq": ast.Eq,
    "ne": ast.NotEq,
    "lt": ast.Lt,
    "le": ast.LtE,
    "gt": ast.Gt,
    "ge": ast.GtE,
}
_compared_tensors = {name: MODELS.methods.get(("array", name)) for name in _COMPARED}


@MODELS.method("array", *_COMPARED)
def _compared(interpreter: Interpreter, call: Call) -> Value:
    """Compare a column with a value as the operator does (``column.eq(1)``)."""
    other = call.given(0, "other")
    if call.receiver is not None and other is not None and isinstance(call.receiver.data, Series):
        return operators.compare(_COMPARED[call.name], call.receiver, other)
    model = _compared_tensors[call.name]
    return call.unknown() if model is None else model(interpreter, call)


@MODELS.method("array", "isna", "isnull", "notna", "notnull", "between", "duplicated", "isin")
def _tests(interpreter: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    if data is None or call.receiver is None:
        return call.unknown()
    held = series_of(call.receiver)
    if held is not None and held.cells is not None and affords(len(held.cells)):
        tests = _tested(interpreter, held.cells, call)
        if tests is not None:
            return remade(call.receiver, tests, *call.args, dtype="bool")
    return new(data.shape, "bool", merged(call.receiver, *call.args))


def _tested(
    interpreter: Interpreter, cells: Sequence[object], call: Call
) -> Sequence[object] | None:
    if call.name in ("isna", "isnull"):
        return [cell is None for cell in cells]
    if call.name in ("notna", "notnull"):
        return [cell is not None for cell in cells]
    if call.name == "isin":
        wanted = call.given(0, "values")
        items = None if wanted is None else listed(interpreter, wanted)
        if items is None or not all(isinstance(i.data, (int, float, str)) for i in items):
            return None
        plain = {item.data for item in items}
        return [cell in plain for cell in cells]
    if call.name == "between":
        bounds = [call.given(0, "left"), call.given(1, "right")]
        low, high = (None if b is None else b.data for b in bounds)
        numbers = all(isinstance(n, (int, float)) for n in (low, high))
        if "inclusive" in call.keywords or not numbers:
            return None
        return [isinstance(c, (int, float)) and low <= c <= high for c in cells]  # type: ignore[operator]
    if call.name == "duplicated" and not call.args and not call.keywords:
        seen: set[object] = set()
        tests = []
        for cell in cells:
            tests.append(cell in seen)
            seen.add(cell)
        return tests
    return None


@MODELS.method("array", "dropna", "drop_duplicates", "head", "tail", "sample")
def _fewer_cells(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = arrays.array(call.receiver)
    if data is None or not data.shape or call.receiver is None:
        return call.unknown()
    held = series_of(call.receiver)
    if held is not None and held.cells is not None and call.name != "sample":
        positions = _kept_cells(held.cells, call)
        if positions is not None:
            origins = frozenset({call.place}) if len(positions) != len(held.cells) else NOWHERE
            return taken(call.receiver, positions, *call.args, at=origins)
    return new((Value(UNKNOWN, call.receiver.origins),), data.dtype, call.receiver.origins)


def _kept_cells(cells: Sequence[object], call: Call) -> Sequence[int] | None:
    everything = range(len(cells))
    if call.name in ("head", "tail"):
        asked = call.given(0, "n") or Value(5)
        number = size(asked)
        if number is None:
            return None
        return (
            everything[:number]
            if call.name == "head"
            else everything[max(0, len(cells) - number) :]
        )
    if call.keywords:
        return None
    if call.name == "dropna":
        return [i for i, cell in enumerate(cells) if cell is not None]
    firsts = {cell: i for i, cell in reversed(list(enumerate(cells)))}
    return sorted(firsts.values())


@MODELS.method("array", "value_counts", "groupby_size")
def _value_counts(interpreter: Interpreter, call: Call) -> Value:
    """Count the cells of each value, the most frequent first."""
    del interpreter
    data = arrays.array(call.receiver)
    if data is None or call.receiver is None:
        return call.unknown()
    held = series_of(call.receiver)
    share = is_true(call.keywords.get("normalize"))
    name = data.name if isinstance(data, Series) else UNKNOWN
    if held is None or held.cells is None or call.keywords.keys() - {"normalize"}:
        dtype = "float64" if share else "int64"
        rows = Value(UNKNOWN, call.receiver.origins)
        made = Series((rows,), dtype, "numpy", index=())
        made.name = "proportion" if share else "count"
        made.index_names = None if name is UNKNOWN else (name,)
        return Value(made, call.receiver.origins)
    counted_found = Counter(cell for cell in held.cells if cell is not None)
    values = [value for value, _ in counted_found.most_common()]
    counts: list[object] = [counted_found[value] for value in values]
    if share:
        counts = [counted_found[value] / max(counted_found.total(), 1) for value in values]
    found_ = labelled(values, counts, call, call.receiver)
    assert isinstance(found_.data, Series)
    found_.data.name = "proportion" if share else "count"
    found_.data.index_names = None if name is UNKNOWN else (name,)
    return found_


def labelled(labels: Sequence[object], cells: Sequence[object], call: Call, *parts: Value) -> Value:
    """Return a column whose labels are values of data: what counts or groups makes their number."""
    count = counted(len(labels), call, *parts)
    dtype = dtype_of_cells(cells) if cells else "int64"
    low, high = bounds_of(cells) if dtype == "int64" else (None, None)
    made = Series((count,), dtype, "numpy", None, low, high, tuple(cells), (), tuple(labels))
    made.name, made.index_names = None, ()
    return Value(made, count.origins)


@MODELS.attribute("array", "index")
def _labels(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    held = series_of(call.receiver)
    data = None if call.receiver is None else call.receiver.data
    if isinstance(data, Series) and data.index is not None and data.shape:
        known = len(data.index) == size(data.shape[0])
        if call.receiver is not None and (held is None or held.labels is None):
            if known and all(isinstance(label, (bool, int, float, str)) for label in data.index):
                cells = tuple(data.index)
                series = Series(data.shape, dtype_of_cells(cells), "numpy", cells=cells)
                return Value(series, call.receiver.origins)
            return new(data.shape, None, call.receiver.origins)
    if held is None or held.labels is None or call.receiver is None or not held.shape:
        return call.unknown()
    cells = tuple(held.labels)
    bounds = bounds_of(cells)
    made = Series(held.shape, dtype_of_cells(cells), "numpy", None, *bounds, cells)
    return Value(made, call.receiver.origins)


@MODELS.method("array", "to_dict", "idxmax", "idxmin", "items", "iteritems")
def _by_label(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    held = series_of(call.receiver)
    labels = None if held is None else held.labels
    if held is None or labels is None or call.receiver is None or call.args or call.keywords:
        return call.unknown()
    cells = cells_of(call.receiver)
    if call.name == "to_dict":
        return Value(dict(zip(labels, cells, strict=True)), call.receiver.origins)
    if call.name in ("items", "iteritems"):
        pairs = zip(labels, cells, strict=True)
        held_pairs = [Value((value_of(k, cell.origins), cell), cell.origins) for k, cell in pairs]
        return Value(held_pairs, call.receiver.origins)
    numbers = [cell for cell in held.cells or () if isinstance(cell, (int, float))]
    if not numbers or len(numbers) != len(cells):
        return call.unknown()
    best = max(numbers) if call.name == "idxmax" else min(numbers)
    return counted(labels[numbers.index(best)], call, call.receiver)


@MODELS.attribute("array", "str", "dt", "cat")
def _accessor(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    assert call.receiver is not None
    _check_accessor(call.name, call.receiver)
    made = LibraryObject(f"pandas.{call.name}_accessor", (), {}, call.place, {"of": call.receiver})
    return Value(made, call.receiver.origins)


def _check_accessor(name: str, whole: Value) -> None:
    """Raise for dates of a column of text or numbers, and for texts of one of numbers."""
    held = series_of(whole)
    dtype = "" if held is None or held.dtype is None else held.dtype
    is_number = dtype == "bool" or dtype.startswith(("int", "uint", "float"))
    cells = () if held is None or held.cells is None else held.cells
    is_text = dtype == "object" and any(isinstance(cell, str) for cell in cells)
    if name == "dt" and (is_number or is_text):
        raise Raised("accessor", "Can only use .dt accessor with datetimelike values", whole)
    if name == "str" and is_number:
        raise Raised("accessor", "Can only use .str accessor with string values", whole)


_TEXT_METHODS = ("lower", "upper", "strip", "title", "lstrip", "rstrip", "capitalize", "zfill")


@MODELS.method("str_accessor", *_TEXT_METHODS, "replace", "slice")
@MODELS.method("str_accessor", "contains", "startswith", "endswith", "len", "isdigit", "get")
@MODELS.method("str_accessor", "split", "rsplit")
def _text_column(interpreter: Interpreter, call: Call) -> Value:
    """Apply a method of texts to each cell; patterns are followed where they are plain text."""
    del interpreter
    whole = state_of(call.receiver, "of")
    data, held = arrays.array(whole), series_of(whole)
    if data is None:
        return call.unknown()
    if held is not None and held.cells is not None and affords(len(held.cells)):
        apply = _of_text(call)
        if apply is not None and all(c is None or isinstance(c, str) for c in held.cells):
            missing = False if is_false(call.keywords.get("na")) else None
            cells = [apply(c) if isinstance(c, str) else missing for c in held.cells]
            return remade(whole, cells, *call.args)
    if held is not None and held.cells is not None and call.name in ("len", "get"):
        parts = [_of_list(call, cell) for cell in cells_of(whole)]
        if all(part is not None and is_cell(part) for part in parts):
            return remade(whole, [as_cell(part) for part in parts if part is not None])
    if is_true(call.keywords.get("expand")):
        return call.unknown()
    kind = {"len": None, "contains": "bool", "startswith": "bool", "endswith": "bool"}
    dtype = kind.get(call.name, "bool" if call.name == "isdigit" else "object")
    return new(data.shape, dtype, merged(whole, *call.args))


def _of_list(call: Call, cell: Value) -> Value | None:
    """Return the length or an item of a cell that is a list, None where that is not known."""
    if not isinstance(cell.data, (list, tuple)):
        return None
    if call.name == "len":
        return Value(len(cell.data), cell.origins)
    number = size(call.given(0, "i"))
    if number is None:
        return None
    inside = -len(cell.data) <= number < len(cell.data)
    return cell.data[number] if inside else Value(math.nan, cell.origins)


def is_false(value: Value | None) -> bool:
    """Whether a value is certainly False."""
    return value is not None and value.data is False


def _of_text(call: Call) -> Callable[[str], object] | None:
    """Return what a method of a column of texts does to each, None where that is not known."""
    given = [arg.data for arg in call.args]
    named = call.keywords
    if call.name == "len":
        return len
    if call.name in ("split", "rsplit"):
        return _splitting(call)
    if call.name in ("contains", "replace"):
        literal = is_false(named.get("regex")) or call.name == "replace"
        if not given or not isinstance(given[0], str) or is_true(named.get("regex")):
            return None
        if named.keys() - {"regex", "na"} or not (literal or _is_plain(given[0])):
            return None
        wanted = given[0]
        if call.name == "contains":
            options = wanted.split("|") if not literal else [wanted]
            return lambda text: any(option in text for option in options)
        if len(given) != 2 or not isinstance(given[1], str) or len(given[1]) > _MOST_TEXT:
            return None
        other = given[1]
        return lambda text: text[:_MOST_TEXT].replace(wanted, other)
    if call.name in ("startswith", "endswith"):
        if len(given) != 1 or not isinstance(given[0], str):
            return None
        edge = given[0]
        return lambda text: getattr(text, call.name)(edge)
    if call.name in ("slice", "get"):
        numbers = [number for number in given if isinstance(number, (int, type(None)))]
        if len(numbers) != len(given) or named or not numbers:
            return None
        if call.name == "get":
            at = numbers[0] or 0
            return lambda text: text[at] if -len(text) <= at < len(text) else None
        return lambda text: text[slice(*numbers)]
    if named or (given and call.name == "zfill"):
        return None
    plain = [text for text in given if isinstance(text, str)]
    if len(plain) != len(given):
        return None
    return lambda text: getattr(text, call.name)(*plain)


def _splitting(call: Call) -> Callable[[str], object] | None:
    """Return what splits a text into a list, None where the parts are not known."""
    separator, limit = call.given(0, "pat"), call.given(1, "n") or Value(-1)
    if call.keywords.keys() - {"pat", "n"} or type(limit.data) is not int:
        return None
    wanted = None if separator is None else separator.data
    most = limit.data or -1
    if wanted is None or (isinstance(wanted, str) and wanted and _is_separator(wanted)):
        return lambda text: value_of(getattr(text, call.name)(wanted, most), NOWHERE)
    return None


def _is_separator(pattern: str) -> bool:
    """Whether pandas splits at a text as it stands: a single character, or no pattern."""
    return len(pattern) == 1 or _is_plain(pattern)


def _is_plain(pattern: str) -> bool:
    """Whether a regular expression is text, or such texts with ``|`` between them."""
    return not set(pattern) & set("\\.^$*+?{}[]()")


_MOST_TEXT = 2_000


@MODELS.method("str_accessor", "__getitem__")
def _part_of_text(interpreter: Interpreter, call: Call) -> Value:
    number = call.given(0)
    if number is not None and isinstance(number.data, LibraryObject):
        bounds = [item.data for item in number.data.args]
        if all(isinstance(item, (int, type(None))) for item in bounds):
            inner_call = Call("slice", number.data.args, {}, call.place, call.receiver)
            return _text_column(interpreter, inner_call)
    if number is None or not isinstance(number.data, int):
        return call.unknown()
    return _text_column(interpreter, Call("get", (number,), {}, call.place, call.receiver))


@MODELS.function("pandas.Categorical", "pandas.CategoricalIndex")
def _categorical(interpreter: Interpreter, call: Call) -> Value:
    """Return categories of the rows of data; their order is that of the sorted values."""
    del interpreter
    given = call.given(0, "values", "data")
    data = as_array(given).data
    if given is None or not isinstance(data, Array) or not data.shape:
        return call.unknown()
    made = Series(data.shape, "category", "numpy", index=())
    held = series_of(given)
    if held is not None and len(call.args) < 2 and not call.keywords:
        made.cells, made.lines, made.derived = held.cells, held.lines, held.derived
        made.index = None
    return Value(made, merged(*call.args))


@MODELS.attribute("array", "codes", "categories")
def _of_categorical(interpreter: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    if data is None or data.dtype != "category" or call.receiver is None:
        return call.unknown()
    held = LibraryObject("pandas.cat_accessor", (), {}, call.place, {"of": call.receiver})
    model = MODELS.attributes["cat_accessor", call.name]
    return model(interpreter, Call(call.name, (), {}, call.place, Value(held)))


@MODELS.attribute("cat_accessor", "codes")
def _codes(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    whole = state_of(call.receiver, "of")
    data, column_ = arrays.array(whole), series_of(whole)
    if data is None:
        return call.unknown()
    if column_ is not None and column_.cells is not None:
        codes = {cell: code for code, cell in enumerate(distinct(column_.cells))}
        dtype = "int8" if len(codes) <= _MOST_SMALL else "int16"
        return remade(whole, [codes.get(cell, -1) for cell in column_.cells], dtype=dtype)
    return new(data.shape, None, whole.origins)


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
        check_text(made, "", "float64", given)
    held = column_.cells if column_ is not None else None
    if (held is not None and errors is None) or (errors is not None and errors.data == "coerce"):
        numbers = [number_in(c.strip()) if isinstance(c, str) else c for c in held or ()]
        if held is not None:
            return remade(given, numbers)
    dtype = data.dtype if data.dtype in NUMERIC else None
    return new(data.shape, dtype, given.origins, (data.lowest, data.highest))


@MODELS.function("pandas.factorize")
def _factorize(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    given = as_array(call.given(0, "values"))
    data, column_ = arrays.array(given), series_of(given)
    if data is None:
        return call.unknown()
    if column_ is None or column_.cells is None:
        codes = new(data.shape, "int64", given.origins)
        return Value((codes, new((Value(UNKNOWN, given.origins),), data.dtype)), given.origins)
    values = list(dict.fromkeys(cell for cell in column_.cells if cell is not None))
    if is_true(call.keywords.get("sort")):
        values = distinct(values)
    order = {value: code for code, value in enumerate(values)}
    result = remade(given, [order.get(cell, -1) for cell in column_.cells], dtype="int64")
    assert isinstance(result.data, Series)
    result.data.index = None
    count = counted(len(values), call, given)
    bounds = bounds_of(values)
    named = Series((count,), data.dtype, "numpy", None, *bounds, tuple(values))
    return Value((result, Value(named, count.origins)), given.origins)


@MODELS.method("array", "factorize")
def _factorize_column(interpreter: Interpreter, call: Call) -> Value:
    given = () if call.receiver is None else (call.receiver,)
    return _factorize(interpreter, Call("factorize", given, call.keywords, call.place))


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


@MODELS.method("int", "item", "tolist", "copy", "astype")
@MODELS.method("float", "item", "tolist", "copy", "astype")
@MODELS.method("bool", "item", "tolist", "copy", "astype")
def _scalar(interpreter: Interpreter, call: Call) -> Value:
    """Return a cell of an array as Python's number."""
    del interpreter
    if call.receiver is None or not isinstance(call.receiver.data, (int, float)):
        return call.unknown()
    if call.name != "astype":
        return call.receiver
    dtype, number = dtype_name(call.given(0, "dtype")), call.receiver.data
    if dtype is None or not math.isfinite(number):
        return call.unknown()
    kind = int if "int" in dtype else float if dtype.startswith("float") else None
    return call.unknown() if kind is None else Value(kind(number), call.receiver.origins)


@MODELS.method("array", "shift", "pct_change", "rank")
def _shifted(_: Interpreter, call: Call) -> Value:
    """Return as many rows as before; gaps make whole numbers floats."""
    data = None if call.receiver is None else call.receiver.data
    if not isinstance(data, Array) or data.library != "numpy" or call.receiver is None:
        return call.unknown()
    whole = data.dtype in ("int64", "int32", "bool")
    return new(data.shape, "float64" if whole else data.dtype, call.receiver.origins)


_WINDOW = "pandas.Window"


@MODELS.method("array", "rolling", "expanding", "ewm")
def _window(_: Interpreter, call: Call) -> Value:
    if call.receiver is None or not isinstance(call.receiver.data, Array):
        return call.unknown()
    made = LibraryObject(_WINDOW, (), {}, call.place, {"of": call.receiver})
    return Value(made, merged(call.receiver, *call.args))


@MODELS.method("Window", "mean", "sum", "std", "var", "min", "max", "median", "count")
def _of_window(_: Interpreter, call: Call) -> Value:
    held = call.held
    of = held.state.get("of") if held is not None else None
    data = None if of is None else of.data
    if not isinstance(data, Array) or call.receiver is None:
        return call.unknown()
    return as_column(new(data.shape, "float64", call.receiver.origins), of)


# --- kinds of dtypes ------------------------------------------------------------------------------

_INTEGERS = ("int", "uint")
_FLOATS = ("float", "bfloat")
_KINDS: dict[str, Callable[[str], bool]] = {
    "is_numeric_dtype": lambda dtype: dtype == "bool" or dtype.startswith((*_INTEGERS, *_FLOATS)),
    "is_any_real_numeric_dtype": lambda dtype: dtype.startswith((*_INTEGERS, *_FLOATS)),
    "is_integer_dtype": lambda dtype: dtype.startswith(_INTEGERS),
    "is_signed_integer_dtype": lambda dtype: dtype.startswith("int"),
    "is_unsigned_integer_dtype": lambda dtype: dtype.startswith("uint"),
    "is_int64_dtype": lambda dtype: dtype == "int64",
    "is_float_dtype": lambda dtype: dtype.startswith(_FLOATS),
    "is_bool_dtype": lambda dtype: dtype == "bool",
    "is_categorical_dtype": lambda dtype: dtype == "category",
    "is_datetime64_dtype": lambda dtype: dtype.startswith("datetime"),
    "is_timedelta64_dtype": lambda dtype: dtype.startswith("timedelta"),
}
_OF_TEXTS = ("is_string_dtype", "is_object_dtype")
_FOLDERS = ("pandas.api.types", "pandas.core.dtypes.common")


def _is_of_kind(_: Interpreter, call: Call) -> Value:
    """Return whether a column or a dtype is of a kind."""
    given, short = call.given(0, "arr_or_dtype"), call.name.rpartition(".")[2]
    if given is None:
        return call.unknown()
    data = given.data
    dtype = data.dtype if isinstance(data, Array) else dtype_name(given)
    if dtype is None:
        return call.unknown()
    if short in _KINDS:
        return Value(_KINDS[short](dtype), merged(given))
    if dtype not in ("object", "str"):
        return Value(data=False, origins=merged(given))
    holds = _holds_texts(data)
    if holds is None:
        return call.unknown()
    # A column of texts has a dtype of its own since pandas 3.0.
    result = holds if short == "is_string_dtype" else not holds or are_views()
    return Value(result, merged(given))


def _holds_texts(data: object) -> bool | None:
    """Whether all cells of a column are texts, None where they are not known."""
    if not isinstance(data, Series) or data.cells is None:
        return None
    return all(isinstance(cell, str | None) for cell in data.cells)


for _short in (*_KINDS, *_OF_TEXTS):
    MODELS.function(*(f"{folder}.{_short}" for folder in _FOLDERS))(_is_of_kind)
