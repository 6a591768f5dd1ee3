"""Models of pandas: counts, labels and tables of which the other models leave something unknown.

Source: the pandas 3.0 reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# The models of these are followed first.
import dl_bug_lsp.interpretation.libraries.pandas.rows  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array, new, together
from dl_bug_lsp.interpretation.libraries.pandas.columns import counted
from dl_bug_lsp.interpretation.libraries.pandas.groups import groups_of
from dl_bug_lsp.interpretation.libraries.pandas.unknown_cells import (
    REDUCING,
    otherwise,
    reduced_dtype,
)
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, is_true, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.operators import value_of
from dl_bug_lsp.interpretation.table_values import (
    Frame,
    Series,
    affords,
    dtype_of_cells,
    labels_of,
    part_of,
    series_of,
    table_of,
)
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, LibraryObject, Table, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

PLAIN = (bool, int, float, str)
FIVE_NUMBERS = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")


def _of_numpy(value: Value | None) -> Array | None:
    data = arrays.array(value)
    return data if data is not None and data.library == "numpy" else None


# --- numbers that count ---------------------------------------------------------------------------


@otherwise("array", "nunique", "count")
def _counted(_: Interpreter, call: Call) -> Value:
    """Return a number of Python's: how many cells there are, or different ones."""
    data = _of_numpy(call.receiver)
    if data is None or data.shape is None or len(data.shape) != 1 or call.receiver is None:
        return call.unknown()
    most = size(data.shape[0])
    return arrays.number("int64", call.receiver, lowest=0, highest=most)


def _unknown_first(model: Model, other: Model) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        result = model(interpreter, call)
        return result if result.known else other(interpreter, call)

    return run


def _number_of_groups(_: Interpreter, call: Call) -> Value:
    return arrays.number("int64", *([call.receiver] if call.receiver is not None else []))


_known_groups = MODELS.attributes["GroupBy", "ngroups"]
MODELS.attributes["GroupBy", "ngroups"] = _unknown_first(_known_groups, _number_of_groups)


@MODELS.attribute("array", "is_unique", "is_monotonic_increasing", "is_monotonic_decreasing")
@MODELS.attribute("array", "hasnans", "empty")
def _told(_: Interpreter, call: Call) -> Value:
    """Tell of a column or of labels whether something holds."""
    data, held = _of_numpy(call.receiver), series_of(call.receiver)
    if data is None or call.receiver is None:
        return call.unknown()
    if call.name == "empty" and data.shape and size(data.shape[0]) is not None:
        return Value(size(data.shape[0]) == 0, call.receiver.origins)
    cells = None if held is None else held.cells
    if cells is None or not affords(len(cells)):
        return call.unknown()
    if call.name == "hasnans":
        return Value(None in cells, call.receiver.origins)
    if call.name == "is_unique" and all(isinstance(cell, PLAIN) for cell in cells):
        return Value(len(set(cells)) == len(cells), call.receiver.origins)
    return call.unknown()


@otherwise("array", "memory_usage")
def _bytes(_: Interpreter, call: Call) -> Value:
    return arrays.number("int64") if _of_numpy(call.receiver) is not None else call.unknown()


# --- labels ---------------------------------------------------------------------------------------


@MODELS.function("pandas.Index", "pandas.RangeIndex")
def _index(interpreter: Interpreter, call: Call) -> Value:
    """Return labels as an array of them."""
    given, name = call.given(0, "data", "start"), call.keywords.get("name")
    if given is None:
        return call.unknown()
    if call.name.endswith("RangeIndex"):
        numbers = [size(part) for part in call.args]
        known = [number for number in numbers if number is not None]
        if len(known) != len(numbers) or not known or len(range(*known)) > MOST_ITEMS:
            return call.unknown()
        cells: tuple[object, ...] = tuple(range(*known))
        made = Series((Value(len(cells), merged(*call.args)),), "int64", "numpy", cells=cells)
        return Value(made, merged(*call.args))
    items = listed(interpreter, given) if isinstance(given.data, (list, tuple)) else None
    array = as_array(given)
    data = array.data
    if not isinstance(data, Array) or data.shape is None or len(data.shape) != 1:
        return call.unknown()
    if items is not None and all(isinstance(item.data, PLAIN) for item in items):
        cells = tuple(item.data for item in items)
        made = Series(data.shape, dtype_of_cells(cells), "numpy", cells=cells)
        made.name = None if name is None else name.data
        return Value(made, array.origins)
    return array


@MODELS.method("array", "difference", "intersection", "union", "symmetric_difference")
def _as_sets(interpreter: Interpreter, call: Call) -> Value:
    """Return labels that one of two indexes has, or both: sorted where they can be."""
    data, held = _of_numpy(call.receiver), series_of(call.receiver)
    given = call.given(0, "other")
    if data is None or given is None or call.receiver is None:
        return call.unknown()
    other = series_of(given)
    theirs = None if other is None else other.cells
    if isinstance(given.data, (list, tuple)):
        items = listed(interpreter, given)
        theirs = None if items is None else tuple(item.data for item in items)
    own = None if held is None else held.cells
    count = Value(UNKNOWN, merged(call.receiver, given))
    plain = own is not None and theirs is not None
    if not plain or not all(isinstance(cell, PLAIN) for cell in (*(own or ()), *(theirs or ()))):
        return new((count,), data.dtype, count.origins)
    left, right = dict.fromkeys(own or ()), dict.fromkeys(theirs or ())
    if call.name == "intersection":
        found = [cell for cell in left if cell in right]
        return _labels(found, count)
    if call.name == "difference":
        found = [cell for cell in left if cell not in right]
    elif call.name == "union":
        found = list(dict.fromkeys((*left, *right)))
    else:
        found = [c for c in left if c not in right] + [c for c in right if c not in left]
    kinds = {isinstance(cell, str) for cell in found}
    if len(kinds) > 1 or "sort" in call.keywords:
        return new((Value(len(found), count.origins),), data.dtype, count.origins)
    return _labels(sorted(found, key=lambda cell: cell), count)  # type: ignore[arg-type,return-value]


def _labels(cells: list[object], parts: Value) -> Value:
    count = Value(len(cells), parts.origins)
    dtype = dtype_of_cells(cells) if cells else "object"
    return Value(Series((count,), dtype, "numpy", cells=tuple(cells)), parts.origins)


_outline_of_table = MODELS.attributes["table", "index"]


@MODELS.attribute("table", "index")
def _index_of_table(interpreter: Interpreter, call: Call) -> Value:
    """Return the labels of the rows, with the name of their level."""
    result, table = _outline_of_table(interpreter, call), table_of(call.receiver)
    data = result.data
    if table is None or not isinstance(data, Array) or len(table.index_names) > 1:
        return result
    if not isinstance(data, Series):
        data = Series(data.shape, data.dtype, "numpy")
    data.name = table.index_names[0] if table.index_names else None
    return Value(data, result.origins)


@MODELS.attribute("array", "names", "levels", "nlevels")
def _levels(_: Interpreter, call: Call) -> Value:
    data = None if call.receiver is None else call.receiver.data
    if call.name == "names" and isinstance(data, Series) and data.name is not UNKNOWN:
        return value_of([data.name], call.receiver.origins if call.receiver else frozenset())
    return call.unknown()


# --- cells of rows --------------------------------------------------------------------------------


_indexed = MODELS.methods["_iloc", "__getitem__"]


def _cell(interpreter: Interpreter, call: Call) -> Value:
    """Return a number where one cell is asked for whose value is not known."""
    result = _indexed(interpreter, call)
    whole, row = state_of(call.receiver, "of"), call.given(0)
    held = call.held
    if result.known or held is None or row is None:
        return result
    positions = held.short in ("_iloc", "_iat")
    data = whole.data
    if not (positions or held.short == "_at" or _is_numbered(data)) or size(row) is None:
        return result
    if isinstance(data, Table):
        key = call.given(1)
        name = key.data if key is not None else None
        at = size(key)
        if positions and at is not None and -len(data.columns) <= at < len(data.columns):
            name = list(data.columns)[at]
        if key is None or not isinstance(name, PLAIN) or name not in data.columns:
            return result
        return _some_cell(data.columns[name], result)
    if isinstance(data, Array) and data.shape is not None and len(data.shape) == 1:
        return _some_cell(data.dtype, result)
    return result


def _is_numbered(data: object) -> bool:
    """Whether the labels are known, and each is there once."""
    labels = labels_of(data) if isinstance(data, Table) else None
    if isinstance(data, Series):
        labels = data.index if data.index is not None and data.shape else None
    return isinstance(labels, range) and len(labels) > 0


def _some_cell(dtype: str | None, like: Value) -> Value:
    if dtype in ("int64", "float64", "bool"):
        return arrays.number(dtype, like)
    return like


for _name in ("_iloc", "_loc", "_at", "_iat"):
    MODELS.methods[_name, "__getitem__"] = _cell


# --- tables ---------------------------------------------------------------------------------------


_dropped_rows = MODELS.methods["table", "dropna"]


@MODELS.method("table", "dropna")
def _without_gaps(interpreter: Interpreter, call: Call) -> Value:
    """Drop columns with missing cells; of rows the other model has them."""
    axis, table = call.given(0, "axis"), table_of(call.receiver)
    if axis is None or axis.data not in (1, "columns"):
        return _dropped_rows(interpreter, call)
    full = isinstance(table, Frame) and table.is_full and not call.keywords.keys() - {"axis"}
    if not full or not isinstance(table, Frame) or call.receiver is None:
        return call.unknown()
    names = [name for name in table.columns if None not in table.cells[name]]
    return Value(part_of(table, names), call.receiver.origins)


_merged_tables = MODELS.methods["table", "join"]


@MODELS.method("table", "join")
def _joined(interpreter: Interpreter, call: Call) -> Value:
    """Put the columns of another table beside, by the labels of the rows."""
    result = _merged_tables(interpreter, call)
    left, right = table_of(call.receiver), table_of(call.given(0, "other"))
    if result.known or left is None or right is None or call.receiver is None:
        return result
    if call.keywords.keys() - {"other", "how"} or len(call.args) > 1:
        return result
    if set(left.columns) & set(right.columns):
        return result
    how = call.keywords.get("how")
    numbered = _is_numbered(left) and _is_numbered(right)
    rows = Value(UNKNOWN, merged(left.rows, right.rows))
    if numbered and (how is None or how.data == "left"):
        rows = left.rows
    columns = {**left.columns, **right.columns}
    if rows is left.rows and (size(left.rows) or 0) > (size(right.rows) or 0):
        # What the other table lacks is missing: whole numbers become floats, truths objects.
        floats = {"int64": "float64", "float64": "float64", "object": "object"}
        columns.update({n: floats.get(d or "") for n, d in right.columns.items()})
    elif rows is not left.rows:
        columns = {n: d if d in ("float64", "object") else None for n, d in columns.items()}
    return Value(Table(columns, rows, index_names=left.index_names), merged(call.receiver))


@otherwise("GroupBy", "describe")
def _described_groups(_: Interpreter, call: Call) -> Value:
    """Describe one column of each group."""
    table, chosen = table_of(state_of(call.receiver, "of")), state_of(call.receiver, "column").data
    if table is None or not isinstance(chosen, str) or call.args or call.keywords:
        return call.unknown()
    dtype = table.columns.get(chosen)
    if dtype is None or not dtype.startswith(("int", "float", "uint")) or call.receiver is None:
        return call.unknown()
    groups = groups_of(call.receiver)
    rows = Value(UNKNOWN, call.receiver.origins | {call.place})
    if groups is not None:
        rows = counted(len(groups[1]), call, call.receiver)
    return Value(Table(dict.fromkeys(FIVE_NUMBERS, "float64"), rows), rows.origins)


@otherwise("table", "value_counts")
def _counts_of_rows(_: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None or call.keywords.keys() - {"ascending", "sort"}:
        return call.unknown()
    rows = Value(UNKNOWN, call.receiver.origins | {call.place})
    return new((rows,), "int64", rows.origins)


@otherwise("table", "stack")
def _stacked(_: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None or any(isinstance(n, tuple) for n in table.columns):
        return call.unknown()
    return new((Value(UNKNOWN, call.receiver.origins),), None, call.receiver.origins)


@MODELS.method("array", "unstack")
def _unstacked(_: Interpreter, call: Call) -> Value:
    """Turn the labels of the inner level into columns."""
    held = series_of(call.receiver)
    labels = None if held is None else held.labels
    if held is None or labels is None or call.receiver is None or call.args:
        return call.unknown()
    if call.keywords.keys() - {"fill_value"} or not labels:
        return call.unknown()
    pairs = [label for label in labels if isinstance(label, tuple) and len(label) == 2]
    if len(pairs) != len(labels) or len(set(pairs)) != len(pairs):
        return call.unknown()
    rows = list(dict.fromkeys(pair[0] for pair in pairs))
    names = list(dict.fromkeys(pair[1] for pair in pairs))
    for found in (rows, names):
        if len({isinstance(label, str) for label in found}) > 1:
            return call.unknown()
        found.sort()
    gaps = len(rows) * len(names) != len(pairs)
    floating = "float64" if held.dtype in ("int64", "float64") else None
    dtype = held.dtype if not gaps else None if "fill_value" in call.keywords else floating
    count = counted(len(rows), call, call.receiver)
    result = Frame(dict.fromkeys(names, dtype), count, index=tuple(rows))
    levels = held.index_names or ()
    result.index_names = levels[:1]
    return Value(result, count.origins)


_crossed = MODELS.functions["pandas.crosstab"]


@MODELS.function("pandas.crosstab")
def _crosstab(interpreter: Interpreter, call: Call) -> Value:
    """Count pairs; with ``margins`` there is a row and a column of all."""
    margins = call.keywords.get("margins")
    if margins is None or "normalize" in call.keywords:
        return _crossed(interpreter, call)
    keywords = {k: v for k, v in call.keywords.items() if k != "margins"}
    result = _crossed(interpreter, Call(call.name, call.args, keywords, call.place))
    table = table_of(result)
    if margins.data is False:
        return result
    rows = None if table is None else size(table.rows)
    if table is None or not is_true(margins) or rows is None:
        return call.unknown()
    columns: dict[object, str | None] = {**table.columns, "All": "int64"}
    made = Table(columns, Value(rows + 1, table.rows.origins), index_names=table.index_names)
    return Value(made, result.origins)


_asked_missing = MODELS.functions["pandas.isna"]


@MODELS.function("pandas.isna", "pandas.isnull", "pandas.notna", "pandas.notnull")
def _is_missing(interpreter: Interpreter, call: Call) -> Value:
    given, absent = call.given(0, "obj"), "isn" in call.name
    if given is not None and given.data is None:
        return Value(absent, given.origins)
    if table_of(given) is not None:
        model = MODELS.methods["table", "isna" if absent else "notna"]
        return model(interpreter, Call("isna" if absent else "notna", (), {}, call.place, given))
    return _asked_missing(interpreter, call)


# --- texts ----------------------------------------------------------------------------------------


@otherwise("str_accessor", "split", "rsplit", "partition")
def _split(_: Interpreter, call: Call) -> Value:
    """Split texts into as many columns as the longest has parts."""
    whole = state_of(call.receiver, "of")
    held, data = series_of(whole), _of_numpy(whole)
    if not is_true(call.keywords.get("expand")) or data is None or not data.shape:
        return call.unknown()
    separator, limit = call.given(0, "pat"), call.given(1, "n")
    wanted = None if separator is None else separator.data
    cells = None if held is None else held.cells
    if cells is None or call.name == "partition" or not affords(len(cells)):
        return call.unknown()
    most = size(limit) if limit is not None else -1
    simple = wanted is None or (isinstance(wanted, str) and len(wanted) == 1)
    if most is None or not simple or not all(isinstance(c, str) for c in cells):
        return call.unknown()
    texts = [str(cell) for cell in cells]
    split = [getattr(text, call.name)(wanted, most or -1) for text in texts]
    width = max(map(len, split), default=0)
    if not 0 < width <= MOST_COLUMNS:
        return call.unknown()
    result = Frame(dict.fromkeys(range(width), "object"), data.shape[0])
    result.index = held.index if held is not None and held.index is not None else ()
    for number in range(width):
        result.cells[number] = tuple(p[number] if number < len(p) else None for p in split)
    return Value(result, merged(whole, *call.args))


MOST_COLUMNS = 100


@MODELS.method("str_accessor", "cat")
def _put_together(_: Interpreter, call: Call) -> Value:
    whole, between = state_of(call.receiver, "of"), call.keywords.get("sep")
    held = series_of(whole)
    cells = None if held is None else held.cells
    word = "" if between is None or between.data is None else between.data
    if call.args or call.keywords.keys() - {"sep"} or cells is None or not isinstance(word, str):
        return call.unknown()
    texts = [cell for cell in cells if isinstance(cell, str)]
    if len(texts) + cells.count(None) != len(cells) or sum(map(len, texts)) > MOST_ITEMS:
        return call.unknown()
    return Value(word.join(texts), whole.origins)


_known_label = MODELS.methods["array", "idxmax"]


@MODELS.method("array", "idxmax", "idxmin")
def _label_of_most(interpreter: Interpreter, call: Call) -> Value:
    """Return a label: one of some numbers where the rows are numbered."""
    result = _known_label(interpreter, call)
    data = None if call.receiver is None else call.receiver.data
    if result.known or not isinstance(data, Series) or not isinstance(data.index, range):
        return result
    if not data.index:
        return result
    low, high = data.index[0], data.index[-1]
    return arrays.number("int64", result, lowest=min(low, high), highest=max(low, high))


# --- what tables have besides ---------------------------------------------------------------------


@MODELS.method("table", "get")
def _get(interpreter: Interpreter, call: Call) -> Value:
    """Return a column, or the default where there is none of its name."""
    table, key = table_of(call.receiver), call.given(0, "key")
    if table is None or key is None or not isinstance(key.data, PLAIN):
        return call.unknown()
    if key.data not in table.columns:
        return call.given(1, "default") or Value(None)
    selecting = MODELS.methods["table", "__getitem__"]
    return selecting(interpreter, Call("__getitem__", (key,), {}, call.place, call.receiver))


@MODELS.method("table", "keys")
def _keys(interpreter: Interpreter, call: Call) -> Value:
    model = MODELS.attributes["table", "columns"]
    return model(interpreter, Call("columns", (), {}, call.place, call.receiver))


@MODELS.attribute("table", "axes")
def _axes(interpreter: Interpreter, call: Call) -> Value:
    parts = [
        MODELS.attributes["table", name](interpreter, Call(name, (), {}, call.place, call.receiver))
        for name in ("index", "columns")
    ]
    return Value(parts, merged(*parts))


@MODELS.method("table", "pipe")
@otherwise("array", "pipe")
def _piped(interpreter: Interpreter, call: Call) -> Value:
    """Call a function with what it is a method of."""
    function = call.given(0, "func")
    if function is None or call.receiver is None or isinstance(function.data, (tuple, str)):
        return call.unknown()
    named = {name: value for name, value in call.keywords.items() if name != "func"}
    return interpreter.call(function, (call.receiver, *call.args[1:]), named, call.place)


@MODELS.method("table", "squeeze")
def _squeezed(interpreter: Interpreter, call: Call) -> Value:
    """Return the only column of a table; one with several rows and columns stays."""
    table = table_of(call.receiver)
    rows = None if table is None else size(table.rows)
    if table is None or rows is None or rows == 1 or call.args or call.keywords:
        return call.unknown()
    if len(table.columns) != 1:
        return call.receiver or call.unknown()
    name = Value(next(iter(table.columns)))
    selecting = MODELS.methods["table", "__getitem__"]
    return selecting(interpreter, Call("__getitem__", (name,), {}, call.place, call.receiver))


@MODELS.method("table", "take")
def _taken(interpreter: Interpreter, call: Call) -> Value:
    if len(call.args) != 1 or call.keywords or call.receiver is None:
        return call.unknown()
    made = LibraryObject("pandas.indexing._iloc", (), {}, call.place, {"of": call.receiver})
    inner = Call("__getitem__", call.args, {}, call.place, Value(made, call.receiver.origins))
    return MODELS.methods["_iloc", "__getitem__"](interpreter, inner)


@MODELS.method("table", "mode")
def _modes(_: Interpreter, call: Call) -> Value:
    """Return the most frequent cells of each column: as many rows as one has most of them."""
    table = table_of(call.receiver)
    if table is None or call.receiver is None or call.args or call.keywords:
        return call.unknown()
    kept = {n: d if d in ("float64", "object") else None for n, d in table.columns.items()}
    rows = Value(UNKNOWN, call.receiver.origins | {call.place})
    return Value(Table(dict(kept), rows), call.receiver.origins)


@otherwise("table", "agg", "aggregate")
def _by_columns(_: Interpreter, call: Call) -> Value:
    """Reduce columns by functions of their own, one for each."""
    table, how = table_of(call.receiver), call.given(0, "func")
    if table is None or how is None or not isinstance(how.data, dict) or call.receiver is None:
        return call.unknown()
    named = all(isinstance(item.data, str) for item in how.data.values())
    if not named or not how.data or not all(name in table.columns for name in how.data):
        return call.unknown()
    if any(str(item.data) not in REDUCING for item in how.data.values()):
        return call.unknown()
    dtypes = [reduced_dtype(str(i.data), table.columns[n]) for n, i in how.data.items()]
    dtype = together(dtypes) if None not in dtypes else None
    count = Value(len(how.data), how.origins)
    made = Series((count,), dtype, "numpy", index=tuple(how.data))
    made.name, made.index_names = None, ()
    return Value(made, merged(call.receiver, how))
