"""Models of pandas for tables of which no cells are known: summaries, pivots, bins, windows.

Each comes after the model of tables with cells: what that leaves unknown is outlined here by the
names and dtypes of columns and the number of rows.
Source: the pandas 2.2 reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import dl_bug_lsp.interpretation.libraries.numpy.known_cells
import dl_bug_lsp.interpretation.libraries.pandas.groups  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import words
from dl_bug_lsp.interpretation.libraries.numpy.functions import new, together
from dl_bug_lsp.interpretation.libraries.pandas.groups import groups_of
from dl_bug_lsp.interpretation.model_helpers import is_true, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.table_values import (
    Frame,
    Series,
    column,
    dtype_of_cells,
    lacking,
    part_of,
    series_of,
    table_of,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    BoundMethod,
    FunctionValue,
    Library,
    LibraryObject,
    Origins,
    Table,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MEANS = ("mean", "median", "std", "var", "sem", "skew", "kurt", "quantile")
COUNTS = ("count", "nunique", "size")
TRUTHS = ("any", "all")
SAME = ("sum", "min", "max", "prod", "first", "last", "nth")
REDUCING = (*MEANS, *COUNTS, *TRUTHS, *SAME)


def otherwise(kind: str, *names: str) -> Callable[[Model], Model]:
    """Register a model for what the one that is there leaves unknown."""

    def keep(model: Model) -> Model:
        for name in names:
            MODELS.methods[kind, name] = _after(MODELS.methods.get((kind, name)), model)
        return model

    return keep


def _after(before: Model | None, model: Model) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        result = call.unknown() if before is None else before(interpreter, call)
        return result if result.known else model(interpreter, call)

    return run


def reduced_dtype(name: str, dtype: str | None) -> str | None:
    """Return the dtype of what reduces a column of a dtype, None where it is not known."""
    if name.startswith("idx"):
        return None  # That of the labels.
    if name in COUNTS:
        return "int64"
    if name in TRUTHS:
        return "bool"
    if name in MEANS:
        return dtype if dtype in ("float32", None) else "float64"
    return "int64" if dtype == "bool" and name in ("sum", "prod") else dtype


def _number(call: Call, dtype: str | None) -> Value:
    origins = merged(*([call.receiver] if call.receiver is not None else [])) | {call.place}
    return Value(Array((), dtype, "numpy"), origins)


def _column(
    rows: Value,
    dtype: str | None,
    name: object,
    levels: tuple[object, ...] | None,
    labels: Sequence[object] = (),
    *parts: Value,
) -> Value:
    made = Series((rows,), dtype, "numpy", index=labels)
    made.name, made.index_names = name, levels
    return Value(made, merged(*parts))


def _numeric(table: Table) -> list[object] | None:
    """Return the columns of numbers, None where a dtype is not known."""
    if any(dtype is None for dtype in table.columns.values()):
        return None
    kinds = ("int", "float", "uint")
    return [n for n, dtype in table.columns.items() if (dtype or "").startswith(kinds)]


# --- tables ---------------------------------------------------------------------------------------


@otherwise("table", *REDUCING, "idxmax", "idxmin")
def _reduced(_: Interpreter, call: Call) -> Value:
    """Reduce each column, or with ``axis=1`` each row."""
    table, axis = table_of(call.receiver), call.keywords.get("axis")
    if table is None or call.receiver is None:
        return call.unknown()
    if axis is None and call.args and call.name != "quantile":
        axis = call.args[0]
    names = list(table.columns)
    if is_true(call.keywords.get("numeric_only")):
        numeric = _numeric(table)
        if numeric is None:
            return call.unknown()
        names = numeric
    dtypes = [reduced_dtype(call.name, table.columns[name]) for name in names]
    dtype = together(dtypes) if dtypes else None
    if call.name.startswith("idx"):
        dtype = None
    if axis is not None and axis.data in (1, "columns"):
        levels = table.index_names
        return _column(table.rows, dtype, None, levels, (), call.receiver)
    if axis is not None and axis.data not in (0, "index", "rows"):
        return call.unknown()
    asked = call.given(0, "q") if call.name == "quantile" else None
    if asked is not None and not isinstance(asked.data, (int, float)):
        if not isinstance(asked.data, (list, tuple)):
            return call.unknown()
        made = Table(dict.fromkeys(names, dtype), Value(len(asked.data)))
        return Value(made, merged(call.receiver))
    count = Value(len(names), call.receiver.origins)
    return _column(count, dtype, None, (), tuple(names), call.receiver)


@otherwise("table", "describe")
def _described(_: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None or call.keywords.keys() - {"include"}:
        return call.unknown()
    asked = call.keywords.get("include")
    numeric = _numeric(table)
    if asked is not None and asked.data == "all":
        names, rows = list(table.columns), 11
        if numeric == names:
            rows = 8
    elif asked is None and numeric:
        names, rows = numeric, 8
    else:
        return call.unknown()
    labels = ("count", "mean", "std", "min", "25%", "50%", "75%", "max") if rows == 8 else ()
    dtype = "float64" if rows == 8 else None
    result = Frame(dict.fromkeys(names, dtype), Value(rows), index=labels)
    return Value(result, call.receiver.origins)


@otherwise("array", "describe")
def _described_column(_: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    if data is None or data.dtype in (None, "object", "bool") or call.receiver is None:
        return call.unknown()
    labels = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")
    name = data.name if isinstance(data, Series) else UNKNOWN
    return _column(Value(8), "float64", name, (), labels, call.receiver)


@otherwise("table", "corr", "cov")
def _correlated(_: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    numeric = None if table is None else _numeric(table)
    if table is None or call.receiver is None or numeric is None:
        return call.unknown()
    names = numeric if is_true(call.keywords.get("numeric_only")) else list(table.columns)
    if "object" in [table.columns[name] for name in names]:
        return call.unknown()
    result = Frame(dict.fromkeys(names, "float64"), Value(len(names)), index=tuple(names))
    return Value(result, call.receiver.origins)


@MODELS.attribute("table", "T")
@MODELS.method("table", "transpose")
def _turned(_: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    labels = table.index if isinstance(table, Frame) else ()
    if not labels or len(labels) != size(table.rows) or len(labels) > 2_000:
        return call.unknown()
    dtype = together(list(table.columns.values()))
    rows = Value(len(table.columns), call.receiver.origins)
    result = Frame(dict.fromkeys(labels, dtype), rows, index=tuple(table.columns))
    return Value(result, call.receiver.origins)


@MODELS.attribute("table", "dtypes")
def _dtypes(_: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    count = Value(len(table.columns), call.receiver.origins)
    return _column(count, "object", None, (), tuple(table.columns), call.receiver)


@MODELS.method("table", "memory_usage")
def _memory(_: Interpreter, call: Call) -> Value:
    table, index = table_of(call.receiver), call.given(0, "index")
    if table is None:
        return call.unknown()
    more = 0 if index is not None and index.data is False else 1
    return _column(Value(len(table.columns) + more), "int64", None, ())


@otherwise("table", "duplicated")
def _duplicated(_: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    return _column(table.rows, "bool", None, table.index_names, (), call.receiver)


_ROW_BY_ROW = words(
    "cumsum cumprod cummax cummin pct_change rank add sub mul div truediv floordiv mod pow radd "
    "rsub rmul rdiv where mask isin eq ne lt gt le ge map applymap transform combine_first "
    "tz_localize"
)
_TESTING = ("isin", "eq", "ne", "lt", "gt", "le", "ge")


@otherwise("table", *_ROW_BY_ROW)
def _row_by_row(_: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    if call.name == "rank" and "numeric_only" in call.keywords:
        return call.unknown()
    dtype = "bool" if call.name in _TESTING else None
    result = Table(dict.fromkeys(table.columns, dtype), table.rows, dict(table.origins_of))
    if call.name.startswith("cum") or call.name in ("where", "mask"):
        result.columns = {
            n: d if d and d.startswith("float") else None for n, d in table.columns.items()
        }
    result.index_names = table.index_names
    return Value(result, merged(call.receiver, *call.args))


@MODELS.method("table", "insert")
def _inserted(interpreter: Interpreter, call: Call) -> Value:
    """Put a column before the one at a position."""
    table, at, name = table_of(call.receiver), call.given(0, "loc"), call.given(1, "column")
    value = call.given(2, "value")
    if table is None or name is None or value is None or call.receiver is None:
        return Value(None)
    model = MODELS.methods["table", "__setitem__"]
    model(interpreter, Call("__setitem__", (name, value), {}, call.place, call.receiver))
    names = [item for item in table.columns if item != name.data]
    number = size(at)
    if number is not None and isinstance(name.data, (str, int)):
        names.insert(number, name.data)
        ordered = {item: table.columns[item] for item in names}
        kept = dict(table.cells) if isinstance(table, Frame) else {}
        for item in list(table.columns):
            del table.columns[item]
        table.columns.update(ordered)
        if isinstance(table, Frame):
            table.cells.update(kept)
    return Value(None)


@otherwise("table", "melt")
def _melted(interpreter: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    sides = []
    for position, name in ((0, "id_vars"), (1, "value_vars")):
        given = call.given(position, name)
        single = given is not None and isinstance(given.data, str)
        items = [given] if single else listed(interpreter, given)
        if given is not None and given.data is not None and items is None:
            return call.unknown()
        sides.append([item.data for item in items or () if item is not None])
    kept, melted = sides
    melted = melted or [name for name in table.columns if name not in kept]
    named = [call.given(2, "var_name"), call.given(3, "value_name")]
    names = [
        item.data if item is not None and isinstance(item.data, str) else default
        for item, default in zip(named, ("variable", "value"), strict=True)
    ]
    dtype = together([table.columns.get(name) for name in melted]) if melted else None
    columns: dict[object, str | None] = {name: table.columns.get(name) for name in kept}
    columns.update({names[0]: "object", names[1]: dtype})
    count = size(table.rows)
    rows = Value(UNKNOWN if count is None else count * len(melted), table.rows.origins)
    return Value(Table(columns, rows), call.receiver.origins)


@MODELS.method("table", "filter")
def _filtered(interpreter: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    items, like = call.given(0, "items"), call.given(1, "like")
    if table is None or call.receiver is None or "axis" in call.keywords:
        return call.unknown()
    wanted = listed(interpreter, items)
    if wanted is not None:
        asked = [item.data for item in wanted]
        return Value(
            part_of(table, [n for n in asked if n in table.columns]), call.receiver.origins
        )
    if like is None or not isinstance(like.data, str):
        return call.unknown()
    names = [name for name in table.columns if like.data in str(name)]
    return Value(part_of(table, names), call.receiver.origins)


@MODELS.method("table", "set_axis", "add_prefix", "add_suffix", "rename_axis")
def _renamed(interpreter: Interpreter, call: Call) -> Value:
    table, given = table_of(call.receiver), call.given(0, "labels", "prefix", "suffix", "mapper")
    if table is None or call.receiver is None:
        return call.unknown()
    result = part_of(table, list(table.columns))
    if call.name == "rename_axis":
        axis = call.keywords.get("axis")
        named = call.keywords.get("index", given)
        if axis is None and named is not None and isinstance(named.data, (str, type(None))):
            result.index_names = () if named.data is None else (named.data,)
        return Value(result, call.receiver.origins)
    if call.name == "set_axis":
        axis, names = call.given(1, "axis"), listed(interpreter, given)
        if axis is None or axis.data not in (1, "columns"):
            if isinstance(result, Frame):
                result.index = ()
            result.index_names = ()
            return Value(result, call.receiver.origins)
        if names is None or len(names) != len(table.columns):
            return call.unknown()
        changes = [item.data for item in names]
    else:
        text = given.data if given is not None else None
        if not isinstance(text, str):
            return call.unknown()
        front = call.name == "add_prefix"
        changes = [f"{text}{n}" if front else f"{n}{text}" for n in table.columns]
    columns = Value([Value(name) for name in changes], call.receiver.origins)
    whole = Value(result, call.receiver.origins)
    inner_call = Call("columns", (columns,), {}, call.place, whole)
    MODELS.methods["table", "__setattr__"](interpreter, inner_call)
    return whole


@otherwise("table", "apply")
def _applied(interpreter: Interpreter, call: Call) -> Value:
    """Call a function with a row, or with each column; what it gives is reduced or as long."""
    table, function = table_of(call.receiver), call.given(0, "func")
    axis = call.given(1, "axis")
    callable_ = function is not None and isinstance(
        function.data, (FunctionValue, BoundMethod, Library)
    )
    if table is None or call.receiver is None or function is None or not callable_:
        return call.unknown()
    more = {
        k: v for k, v in call.keywords.items() if k not in ("func", "axis", "result_type", "raw")
    }
    if axis is not None and axis.data in (1, "columns"):
        row = _first_row(interpreter, call)
        if "result_type" in call.keywords:
            return call.unknown()
        made = interpreter.call(function, (row,), more, call.place)
        dtype = _scalar_dtype(made)
        if dtype is None:
            return call.unknown()
        return _column(table.rows, dtype, None, table.index_names, (), call.receiver)
    if axis is not None and axis.data not in (0, "index", "rows"):
        return call.unknown()
    given = {
        n: interpreter.call(function, (column(table, n),), more, call.place) for n in table.columns
    }
    arrays_by_name = {n: arrays.array(item) for n, item in given.items()}
    if given and all(item is not None and item.shape for item in arrays_by_name.values()):
        columns = {n: item.dtype for n, item in arrays_by_name.items() if item is not None}
        rows = [
            item.shape[0] for item in arrays_by_name.values() if item is not None and item.shape
        ]
        return Value(Table(columns, rows[0]), call.receiver.origins)
    dtypes = [_scalar_dtype(item) for item in given.values()]
    if not given or None in dtypes:
        return call.unknown()
    count = Value(len(given), call.receiver.origins)
    return _column(count, together(dtypes), None, (), tuple(given), call.receiver)


def _first_row(interpreter: Interpreter, call: Call) -> Value:
    rows = MODELS.methods["table", "iterrows"]
    made = interpreter.iterate(
        rows(interpreter, Call("iterrows", (), {}, call.place, call.receiver))
    )
    item = made[0] if isinstance(made, list) and made else getattr(made, "item", Value(UNKNOWN))
    return item.data[1] if isinstance(item.data, tuple) else Value(UNKNOWN)


def _scalar_dtype(value: Value) -> str | None:
    data = value.data
    if isinstance(data, Array):
        return data.dtype if data.shape == () else None
    for kind, dtype in ((bool, "bool"), (int, "int64"), (float, "float64"), (str, "object")):
        if isinstance(data, kind):
            return dtype
    return None


def _function_names(interpreter: Interpreter, value: Value | None) -> list[str] | None:
    """Return the names under which ``agg`` shows a list of functions."""
    names = []
    for item in listed(interpreter, value) or ():
        data = item.data
        if isinstance(data, str):
            names.append(data)
        elif isinstance(data, Library):
            names.append(data.name.rpartition(".")[2])
        elif isinstance(data, FunctionValue):
            names.append(getattr(data.node, "name", "<lambda>"))
        else:
            return None
    return names or None


@otherwise("table", "agg", "aggregate")
def _aggregated(interpreter: Interpreter, call: Call) -> Value:
    table, how = table_of(call.receiver), call.given(0, "func")
    if table is None or call.receiver is None or how is None:
        return call.unknown()
    if isinstance(how.data, str) and how.data in REDUCING:
        return MODELS.methods["table", how.data](
            interpreter, Call(how.data, (), call.keywords, call.place, call.receiver)
        )
    names = _function_names(interpreter, how) if isinstance(how.data, (list, tuple)) else None
    if names is None:
        return call.unknown()
    result = Frame(dict.fromkeys(table.columns), Value(len(names)), index=tuple(names))
    return Value(result, call.receiver.origins)


@otherwise("table", "pivot_table", "pivot")
def _pivoted(interpreter: Interpreter, call: Call) -> Value:
    """Return the columns of a pivot without ``columns``: its values, by its index."""
    table, names = table_of(call.receiver), {}
    if table is None or call.receiver is None:
        return call.unknown()
    order = ("values", "index", "columns") if call.name == "pivot_table" else ()
    for position, name in enumerate(order or ("columns", "index", "values")):
        given = call.given(position, name) if order else call.keywords.get(name)
        single = given is not None and isinstance(given.data, str)
        items = [given] if single else listed(interpreter, given)
        if given is not None and given.data is not None and items is None:
            return call.unknown()
        names[name] = [item.data for item in items or () if item is not None]
        for item in items or ():
            if item is not None and isinstance(item.data, str) and item.data not in table.columns:
                raise lacking(table, item.data, item, call.receiver)
    if not names["columns"]:
        kept = sorted(names["values"], key=str) if names["values"] else None
        if kept is None or not names["index"]:
            return call.unknown()
        columns: dict[object, str | None] = dict.fromkeys(kept)
        rows = Value(UNKNOWN, call.receiver.origins | {call.place})
        result = Table(columns, rows, index_names=tuple(names["index"]))
        return Value(result, call.receiver.origins)
    return _crossed(table, names, call)


def _crossed(table: Table, names: dict[str, list[object]], call: Call) -> Value:
    single = all(len(names[part]) == 1 for part in ("columns", "index", "values"))
    cells = table.cells if isinstance(table, Frame) else {}
    across = cells.get(names["columns"][0]) if single else None
    down = cells.get(names["index"][0]) if single else None
    origins = merged(*([call.receiver] if call.receiver is not None else []))
    if across is None or down is None or not single:
        return call.unknown()
    columns = sorted({cell for cell in across if cell is not None}, key=lambda o: (str(type(o)), o))
    rows = len({cell for cell in down if cell is not None})
    result = Frame(dict.fromkeys(columns), Value(rows, origins | {call.place}))
    result.index_names = (names["index"][0],)
    return Value(result, origins)


@MODELS.function("pandas.pivot_table", "pandas.melt")
def _function(interpreter: Interpreter, call: Call) -> Value:
    whole = call.given(0, "data", "frame")
    name = call.name.rpartition(".")[2]
    if table_of(whole) is None:
        return call.unknown()
    keywords = {k: v for k, v in call.keywords.items() if k not in ("data", "frame")}
    inner_call = Call(name, call.args[1:], keywords, call.place, whole)
    return MODELS.methods["table", name](interpreter, inner_call)


@MODELS.function("pandas.crosstab")
def _crosstab(_: Interpreter, call: Call) -> Value:
    down, across = series_of(call.given(0, "index")), series_of(call.given(1, "columns"))
    if down is None or across is None or call.keywords.keys() - {"index", "columns", "normalize"}:
        return call.unknown()
    names = sorted({cell for cell in across.cells or () if cell is not None}, key=str)
    rows = len({cell for cell in down.cells or () if cell is not None})
    dtype = "float64" if "normalize" in call.keywords else "int64"
    result = Frame(dict.fromkeys(names, dtype), Value(rows, merged(*call.args)))
    result.index_names = () if down.name in (None, UNKNOWN) else (down.name,)
    return Value(result, merged(*call.args))


@MODELS.function("pandas.cut", "pandas.qcut")
def _cut(interpreter: Interpreter, call: Call) -> Value:
    given, labels = call.given(0, "x"), call.keywords.get("labels")
    data = arrays.array(given)
    if data is None or given is None or not data.shape or "retbins" in call.keywords:
        return call.unknown()
    codes = labels is not None and labels.data is False
    made = Series(data.shape, "int64" if codes else "category", "numpy", index=())
    if isinstance(data, Series):
        made.name, made.index_names, made.index = data.name, data.index_names, data.index
        made.gaps = data.gaps
    if call.name.endswith("pandas.cut"):
        made.gaps |= _outside(interpreter, call, data)
    return Value(made, merged(*call.args))


def _outside(interpreter: Interpreter, call: Call, data: Array) -> Origins:
    """Return what makes cells missing that lie in none of the bins, which are given by edges.

    An interval has its right edge (``right=True``); the lowest edge is in none
    (``include_lowest=False``).
    """
    bins = call.given(1, "bins")
    if bins is None or not isinstance(bins.data, (list, tuple, Array)):
        return NOWHERE
    edges = listed(interpreter, bins)
    if edges is None:
        return NOWHERE
    numbers = [edge.data for edge in edges if isinstance(edge.data, (int, float))]
    held = data.cells if isinstance(data, Series) else None
    if held is None or len(numbers) != len(edges) or not numbers:
        return NOWHERE
    made = merged(bins, *edges) | {call.place}
    cells = [cell for cell in held if isinstance(cell, (int, float))]
    low, high = min(numbers), max(numbers)
    option = call.keywords.get("right")
    right = option is None or option.data is not False
    with_lowest = is_true(call.keywords.get("include_lowest")) or not right
    outside = [
        cell
        for cell in cells
        if not low <= cell <= high
        or (cell == low and not with_lowest)
        or (cell == high and not right)
    ]
    if not outside:
        return NOWHERE
    why = f"{len(outside)} of {len(cells)} values, as {outside[0]:g}, lie in none of the bins"
    for origin in made:
        arrays.note_reason(origin, f"{why} from {low:g} to {high:g}")
    return made


@MODELS.method("table", "equals")
@MODELS.method("array", "equals")
def _equal(_: Interpreter, call: Call) -> Value:
    return _number(call, "bool")


@MODELS.method(
    "table", "to_string", "to_markdown", "to_html", "to_latex", "hist", "boxplot", "plot"
)
def _shown(_: Interpreter, call: Call) -> Value:
    return call.unknown()


# --- columns --------------------------------------------------------------------------------------


@MODELS.attribute("array", "name")
def _name(_: Interpreter, call: Call) -> Value:
    data = None if call.receiver is None else call.receiver.data
    if isinstance(data, Series) and data.name is not UNKNOWN and call.receiver is not None:
        return Value(data.name, call.receiver.origins)
    return call.unknown()


@MODELS.method("array", "to_frame")
def _to_frame(_: Interpreter, call: Call) -> Value:
    data, given = arrays.array(call.receiver), call.given(0, "name")
    if not isinstance(data, Series) or not data.shape or call.receiver is None:
        return call.unknown()
    name = data.name if given is None else given.data
    if name is UNKNOWN:
        return call.unknown()
    name = 0 if name is None else name
    result = Frame({name: data.dtype}, data.shape[0], index=data.index or ())
    if data.cells is not None:
        result.cells[name] = data.cells
        result.lines = data.lines
    result.index_names = data.index_names or ()
    return Value(result, call.receiver.origins)


@otherwise("array", "nlargest", "nsmallest")
def _most(_: Interpreter, call: Call) -> Value:
    data, count = arrays.array(call.receiver), call.given(0, "n") or Value(5)
    if data is None or not data.shape or call.receiver is None:
        return call.unknown()
    whole, wanted = size(data.shape[0]), size(count)
    number = UNKNOWN if whole is None or wanted is None else min(whole, wanted)
    name = data.name if isinstance(data, Series) else UNKNOWN
    levels = data.index_names if isinstance(data, Series) else None
    return _column(Value(number, count.origins), data.dtype, name, levels, (), call.receiver)


@otherwise("array", "corr", "cov", "autocorr", "skew", "kurt", "kurtosis", "sem", "mad")
def _one_number(_: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    if data is None or data.shape is None or len(data.shape) != 1:
        return call.unknown()
    return _number(call, "float64")


_mode_of_tensors = MODELS.methods.get(("array", "mode"))


@MODELS.method("array", "mode")
def _mode(interpreter: Interpreter, call: Call) -> Value:
    """Return the most frequent cells of a column, in order; of tensors what PyTorch gives."""
    data = arrays.array(call.receiver)
    if data is None or data.library != "numpy" or call.receiver is None:
        model = _mode_of_tensors
        return call.unknown() if model is None else model(interpreter, call)
    held = series_of(call.receiver)
    cells = [cell for cell in held.cells or () if cell is not None] if held is not None else []
    if cells and not call.args and not call.keywords and len({type(cell) for cell in cells}) == 1:
        counts = Counter(cells)
        most = sorted(c for c in counts if counts[c] == max(counts.values()))  # type: ignore[type-var]
        made = Series((Value(len(most), call.receiver.origins),), data.dtype, "numpy")
        made.cells, made.index = tuple(most), range(len(most))
        return Value(made, call.receiver.origins)
    # There is one at least, and their labels are their positions.
    return new((Value(UNKNOWN, call.receiver.origins),), data.dtype, call.receiver.origins)


@otherwise("array", "agg", "aggregate")
def _aggregated_column(interpreter: Interpreter, call: Call) -> Value:
    data, how = arrays.array(call.receiver), call.given(0, "func")
    if data is None or how is None or data.library != "numpy" or call.receiver is None:
        return call.unknown()
    if isinstance(how.data, str):
        return (
            _number(call, reduced_dtype(how.data, data.dtype))
            if how.data in REDUCING
            else call.unknown()
        )
    names = _function_names(interpreter, how) if isinstance(how.data, (list, tuple)) else None
    if names is None:
        return call.unknown()
    name = data.name if isinstance(data, Series) else UNKNOWN
    dtypes = [reduced_dtype(n, data.dtype) if n in REDUCING else None for n in names]
    dtype = together(dtypes) if None not in dtypes else None
    return _column(Value(len(names)), dtype, name, (), tuple(names), call.receiver)


@otherwise("array", "drop")
def _dropped(interpreter: Interpreter, call: Call) -> Value:
    data, labels = arrays.array(call.receiver), call.given(0, "labels", "index")
    if data is None or not data.shape or data.library != "numpy" or call.receiver is None:
        return call.unknown()
    single = labels is not None and isinstance(labels.data, (str, int))
    gone = 1 if single else len(listed(interpreter, labels) or ()) or None
    count = size(data.shape[0])
    number = UNKNOWN if count is None or gone is None else count - gone
    if not isinstance(number, int) or number < 0:
        number = UNKNOWN
    name = data.name if isinstance(data, Series) else UNKNOWN
    return _column(Value(number), data.dtype, name, None, (), call.receiver)


@otherwise("array", "where", "mask", "clip", "interpolate", "cumsum", "cumprod")
def _same_rows(_: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    if data is None or data.library != "numpy" or call.receiver is None:
        return call.unknown()
    return new(
        data.shape,
        data.dtype if data.dtype in ("float32", "float64") else None,
        call.receiver.origins,
    )


@MODELS.attribute("cat_accessor", "categories")
def _categories(_: Interpreter, call: Call) -> Value:
    whole = state_of(call.receiver, "of")
    held = series_of(whole)
    if held is None or held.cells is None:
        return new((Value(UNKNOWN, whole.origins),), None, whole.origins)
    values = sorted(
        {cell for cell in held.cells if cell is not None}, key=lambda o: (str(type(o)), o)
    )
    count = Value(len(values), whole.origins)
    dtype = dtype_of_cells(values)
    return Value(Series((count,), dtype, "numpy", cells=tuple(values)), whole.origins)


# --- groups, rows by time and windows -------------------------------------------------------------


def _rows_of_groups(call: Call) -> Value:
    groups = groups_of(call.receiver)
    origins = merged(*([call.receiver] if call.receiver is not None else [])) | {call.place}
    return Value(UNKNOWN if groups is None else len(groups[1]), origins)


def _parts(call: Call) -> tuple[Table | Array | None, list[object], tuple[object, ...]]:
    """Return what groups are made of, the columns that are reduced, and the index's names."""
    whole, by = state_of(call.receiver, "of"), state_of(call.receiver, "by").data
    keys = tuple(item.data for item in by) if isinstance(by, list) else ()
    data = whole.data
    if isinstance(data, Array):
        return data, [], data.index_names or () if isinstance(data, Series) else ()
    if not isinstance(data, Table):
        return None, [], ()
    chosen = state_of(call.receiver, "column")
    if isinstance(chosen.data, (list, tuple)):
        return data, [item.data for item in chosen.data], keys
    if isinstance(chosen.data, str):
        return data, [chosen.data], keys
    return data, [name for name in data.columns if name not in keys], keys or data.index_names


def _is_single(call: Call) -> bool:
    return isinstance(state_of(call.receiver, "column").data, str)


def _outlined_groups(
    call: Call, columns: Mapping[Any, str | None], keys: tuple[object, ...]
) -> Value:
    """Return a table with a row for each group."""
    rows = _rows_of_groups(call)
    flat = state_of(call.receiver, "as_index").data is False
    data = state_of(call.receiver, "of").data
    if flat and isinstance(data, Table):
        columns = {**{key: data.columns.get(key) for key in keys}, **columns}
    result = Table(dict(columns), rows, index_names=() if flat else keys)
    return Value(result, rows.origins)


@otherwise("GroupBy", *REDUCING, "ohlc", "idxmax", "idxmin")
@otherwise("Resampler", *REDUCING, "ffill", "bfill", "interpolate", "asfreq")
def _reduced_groups(_: Interpreter, call: Call) -> Value:
    data, names, keys = _parts(call)
    if data is None or call.receiver is None:
        return call.unknown()
    rows = _rows_of_groups(call)
    if isinstance(data, Array):
        name = data.name if isinstance(data, Series) else UNKNOWN
        return _column(rows, reduced_dtype(call.name, data.dtype), name, keys, (), call.receiver)
    if is_true(call.keywords.get("numeric_only")):
        numeric = _numeric(data)
        if numeric is None:
            return call.unknown()
        names = [name for name in names if name in numeric]
    if call.name == "size":
        if state_of(call.receiver, "as_index").data is False:
            return _outlined_groups(call, {"size": "int64"}, keys)
        return _column(rows, "int64", None, keys, (), call.receiver)
    dtypes = {name: reduced_dtype(call.name, data.columns.get(name)) for name in names}
    if _is_single(call) and state_of(call.receiver, "as_index").data is not False:
        return _column(rows, dtypes[names[0]], names[0], keys, (), call.receiver)
    return _outlined_groups(call, dtypes, keys)


@otherwise("GroupBy", "agg", "aggregate")
@otherwise("Resampler", "agg", "aggregate")
def _aggregated_groups(interpreter: Interpreter, call: Call) -> Value:
    data, names, keys = _parts(call)
    how = call.given(0, "func")
    if data is None or call.receiver is None:
        return call.unknown()
    if how is not None and isinstance(how.data, str) and how.data in REDUCING:
        model = MODELS.methods[getattr(call.receiver.data, "short", ""), how.data]
        return model(interpreter, Call(how.data, (), {}, call.place, call.receiver))
    if how is None and call.keywords:
        columns = {n: _named_dtype(v, data, names) for n, v in call.keywords.items()}
        return _outlined_groups(call, dict(columns), keys)
    if how is not None and isinstance(how.data, dict) and isinstance(data, Table):
        if not all(isinstance(item.data, (str, FunctionValue)) for item in how.data.values()):
            return call.unknown()
        for name in how.data:
            if name not in data.columns:
                raise lacking(data, name, how, state_of(call.receiver, "of"))
        columns = {
            name: reduced_dtype(str(item.data), data.columns.get(name))
            if isinstance(item.data, str)
            else None
            for name, item in how.data.items()
        }
        return _outlined_groups(call, columns, keys)
    functions = (
        _function_names(interpreter, how) if how and isinstance(how.data, (list, tuple)) else None
    )
    alone = isinstance(data, Array) or _is_single(call)
    if functions is None or not alone:
        return call.unknown()
    dtype = data.dtype if isinstance(data, Array) else data.columns.get(names[0])
    kinds = {n: reduced_dtype(n, dtype) if n in REDUCING else None for n in functions}
    return _outlined_groups(call, dict(kinds), keys)


def _named_dtype(value: Value, data: Table | Array, names: list[object]) -> str | None:
    """Return the dtype of a column of a named aggregation, ``new=("column", "how")``."""
    parts = (
        value.data
        if isinstance(value.data, tuple)
        else (Value(names[0]) if names else Value(0), value)
    )
    if len(parts) != 2 or not isinstance(data, Table):
        return None
    name, how = parts[0].data, parts[1].data
    return reduced_dtype(how, data.columns.get(name)) if isinstance(how, str) else None


@otherwise("GroupBy", "transform", "cumcount", "cumsum", "rank", "shift", "diff", "ffill", "bfill")
@otherwise("GroupBy", "pct_change", "ngroup", "fillna", "cummax")
@otherwise("Resampler", "transform")
def _as_many_rows(_: Interpreter, call: Call) -> Value:
    """Return as many rows as were grouped."""
    data, names, _keys = _parts(call)
    if data is None or call.receiver is None:
        return call.unknown()
    if isinstance(data, Array):
        return new(data.shape, None, call.receiver.origins)
    if call.name in ("rank", "pct_change"):
        floats = words("int64 float64 bool")
        kinds = {n: "float64" if data.columns.get(n) in floats else None for n in names}
        if _is_single(call):
            return _column(
                data.rows, kinds[names[0]], names[0], data.index_names, (), call.receiver
            )
        if call.keywords:
            return call.unknown()
        whole = Table(dict(kinds), data.rows, index_names=data.index_names)
        return Value(whole, call.receiver.origins)
    if call.name in ("cumcount", "ngroup"):
        return _column(data.rows, "int64", None, data.index_names, (), call.receiver)
    how = call.given(0, "func")
    text = how.data if how is not None and isinstance(how.data, str) else ""

    def dtype(name: object) -> str | None:
        own = data.columns.get(name) if isinstance(data, Table) else None
        if call.name == "transform":
            return reduced_dtype(text, own) if text in REDUCING else None
        whole = call.name in ("cumsum", "cummax") and own == "int64"
        return own if own in ("float32", "float64") or whole else None

    if _is_single(call):
        levels = data.index_names
        return _column(data.rows, dtype(names[0]), names[0], levels, (), call.receiver)
    result = Table({name: dtype(name) for name in names}, data.rows, index_names=data.index_names)
    return Value(result, call.receiver.origins)


@otherwise("GroupBy", "head", "tail", "sample", "filter", "nth")
def _some_rows(_: Interpreter, call: Call) -> Value:
    data, names, _keys = _parts(call)
    if not isinstance(data, Table) or call.receiver is None:
        return call.unknown()
    rows = Value(UNKNOWN, call.receiver.origins | {call.place})
    if _is_single(call):
        return _column(rows, data.columns.get(names[0]), names[0], data.index_names)
    return Value(part_of(data, list(data.columns), rows), call.receiver.origins)


@otherwise("table", "rolling", "expanding", "ewm")
def _window(_: Interpreter, call: Call) -> Value:
    if call.receiver is None:
        return call.unknown()
    made = LibraryObject("pandas.Window", (), {}, call.place, {"of": call.receiver})
    return Value(made, merged(call.receiver, *call.args))


@otherwise("Window", *MEANS, "sum", "min", "max", "count", "apply", "corr", "cov", "rank")
def _of_window(_: Interpreter, call: Call) -> Value:
    whole = state_of(call.receiver, "of")
    table = table_of(whole)
    if table is not None:
        result = Table(dict.fromkeys(table.columns, "float64"), table.rows)
        result.index_names = table.index_names
        return Value(result, whole.origins)
    data = arrays.array(whole)
    return call.unknown() if data is None else new(data.shape, "float64", whole.origins)


@MODELS.function("pandas.unique")
def _unique(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "values")
    if arrays.array(given) is None:
        return call.unknown()
    model = MODELS.methods["array", "unique"]
    return model(interpreter, Call("unique", (), {}, call.place, given))
