"""Tables of pandas of which neither the columns nor the rows are known, as of a file that is gone.

What is known of them is that they have two axes: one column has one axis, several columns have
two, and so has what most methods give (pandas, "API reference", ``DataFrame``). How many columns
were selected is kept in the state ``width``, the number of rows in ``rows``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.effects import words
from dl_bug_lsp.interpretation.model_helpers import is_true, listed
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import bounds_of_slice
from dl_bug_lsp.interpretation.table_values import Series, sizes_of_table, unknown_table
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    LibraryObject,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

KIND = "DataFrame"
SAME_WIDTH = (
    *("head", "tail", "sample", "copy", "dropna", "fillna", "ffill", "bfill", "sort_values"),
    *("drop_duplicates", "query", "sort_index", "astype", "replace", "rename", "round", "clip"),
    *("abs", "isnull", "isna", "notnull", "notna", "interpolate", "truncate", "nlargest"),
    *("nsmallest", "infer_objects", "convert_dtypes", "shift", "diff", "cumsum", "pct_change"),
    *("map", "applymap", "mask", "where", "set_axis", "rank"),
)
"""Methods whose result has the columns of the table."""
SAME_ROWS = frozenset(
    (
        *("copy", "fillna", "ffill", "bfill", "sort_values", "sort_index", "astype", "replace"),
        *("rename", "round", "clip", "abs", "isnull", "isna", "notnull", "notna", "interpolate"),
        *("infer_objects", "convert_dtypes", "shift", "diff", "cumsum", "pct_change", "map"),
        *("applymap", "mask", "where", "rank", "set_axis"),
    )
)
"""Those of them whose result has its rows as well."""
OTHER_WIDTH = (
    *("drop", "reset_index", "set_index", "select_dtypes", "assign", "join", "merge", "corr"),
    *("describe", "pivot", "melt", "explode", "pivot_table", "reindex", "filter"),
)
"""Methods whose result is a table with other columns or rows."""

OTHERS = frozenset(
    words(
        "add add_prefix add_suffix agg aggregate align all any asfreq asof at_time between_time "
        "boxplot combine combine_first compare corrwith cov cummax cummin cumprod div divide "
        "dot droplevel duplicated eq equals eval ewm expanding first_valid_index flags floordiv "
        "from_arrow from_dict from_records ge get gt hist idxmax idxmin insert isetitem isin "
        "items keys kurt kurtosis last_valid_index le lt memory_usage mod mode mul multiply ne "
        "pipe pop pow prod product quantile radd rdiv reindex_like rename_axis reorder_levels "
        "resample rfloordiv rmod rmul rolling rpow rsub rtruediv select sem set_flags skew "
        "sparse squeeze stack sub subtract swaplevel take to_clipboard to_excel to_feather "
        "to_hdf to_html to_iceberg to_json to_latex to_markdown to_orc to_parquet to_period "
        "to_pickle to_records to_sql to_stata to_string to_timestamp to_xarray to_xml transform "
        "transpose truediv tz_convert tz_localize unstack update value_counts xs append ix "
        "iteritems lookup mad tshift slice_shift swapaxes get_value set_value as_matrix"
    )
)
"""Other names of the API, those of older releases included: no column is meant by them."""


def _sizes(call: Call) -> tuple[Value, Value]:
    sizes = sizes_of_table(call.receiver)
    return (Value(UNKNOWN), Value(UNKNOWN)) if sizes is None else sizes


def _column(call: Call, rows: Value, *parts: Value) -> Value:
    made = Series((rows,), None, "numpy", index=())
    return Value(made, merged(*([call.receiver] if call.receiver else []), *parts))


def _like(call: Call, rows: Value | None, width: Value | None, *parts: Value) -> Value:
    origins = NOWHERE if call.receiver is None else call.receiver.origins
    return unknown_table(call.place, origins | merged(*parts), rows, width)


@MODELS.method(KIND, "__getitem__")
def _item(interpreter: Interpreter, call: Call) -> Value:
    """Select a column, several of them, or rows by a mask or a slice."""
    key = call.given(0)
    rows, width = _sizes(call)
    if key is None:
        return call.unknown()
    is_missing = interpreter.exception == "KeyError" and interpreter.is_failing()
    if is_missing and isinstance(key.data, str) and repr(key.data) in interpreter.message:
        raise Raised("key", f"{key.data!r}", key, *([call.receiver] if call.receiver else []))
    if is_missing and isinstance(key.data, tuple):
        raise Raised("key", "a tuple is no column", key)
    if isinstance(key.data, (str, int, float)) or key.data is None:
        return _column(call, rows, key)
    if isinstance(key.data, list):
        return _like(call, rows, Value(len(key.data), key.origins), key)
    if bounds_of_slice(key) is not None:
        return _like(call, None, width, key)
    if isinstance(key.data, Array) and key.data.dtype == "bool":
        return _like(call, None, width, key)
    return call.unknown()


@MODELS.method(KIND, "__setitem__")
def _set_item(_: Interpreter, call: Call) -> Value:
    """Forget how many columns there are: one may be new."""
    held = call.held
    if held is not None:
        held.state["width"] = Value(UNKNOWN, held.state["width"].origins | {call.place})
    return Value(None)


@MODELS.attribute(KIND, "shape")
def _shape(_: Interpreter, call: Call) -> Value:
    return Value(_sizes(call), NOWHERE if call.receiver is None else call.receiver.origins)


@MODELS.attribute(KIND, "values")
@MODELS.method(KIND, "to_numpy")
def _values(_: Interpreter, call: Call) -> Value:
    return Value(
        Array(_sizes(call), None, "numpy"),
        NOWHERE if call.receiver is None else call.receiver.origins,
    )


@MODELS.attribute(KIND, "columns", "index", "dtypes", "empty", "axes", "plot", "style", "attrs")
@MODELS.attribute(KIND, "size")
@MODELS.method(KIND, "__iter__")
@MODELS.method(KIND, "groupby", "apply", "info", "to_csv", "to_dict", "iterrows", "itertuples")
def _not_known(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.attribute(KIND, "ndim")
def _ndim(_: Interpreter, call: Call) -> Value:
    return Value(2, NOWHERE if call.receiver is None else call.receiver.origins)


@MODELS.attribute(KIND, "T")
def _transposed(_: Interpreter, call: Call) -> Value:
    rows, width = _sizes(call)
    return _like(call, width, rows)


@MODELS.method(KIND, *SAME_WIDTH, *OTHER_WIDTH)
def _table_of_method(_: Interpreter, call: Call) -> Value:
    """Return a table; one that is changed in place gives nothing."""
    rows, width = _sizes(call)
    held = call.held
    is_same = call.name in SAME_WIDTH
    keeps_rows = call.name in SAME_ROWS
    parts = [*call.args, *call.keywords.values()]
    inplace = call.keywords.get("inplace")
    if inplace is not None and is_true(inplace):
        if held is not None and not is_same:
            held.state["width"] = Value(UNKNOWN, width.origins | {call.place})
        if held is not None and not keeps_rows:
            held.state["rows"] = Value(UNKNOWN, rows.origins | {call.place})
        return Value(None)
    if inplace is not None and inplace.data is not False:
        return call.unknown()
    return _like(call, rows if keeps_rows else None, width if is_same else None, *parts)


@MODELS.attribute(KIND, "iloc", "loc", "at", "iat")
def _indexer(_: Interpreter, call: Call) -> Value:
    assert call.receiver is not None
    made = LibraryObject(f"pandas.indexing._{call.name}", (), {}, call.place)
    made.state["of"] = call.receiver
    return Value(made, call.receiver.origins)


def selected(interpreter: Interpreter, whole: Value, call: Call, *, positions: bool) -> Value:
    """Return what an indexer selects of a table of which the columns are not known."""
    rows, columns = call.given(0), call.given(1)
    sizes = sizes_of_table(whole)
    if rows is None or sizes is None:
        return call.unknown()
    inner = Call("__getitem__", (), {}, call.place, whole)
    is_one_row = type(rows.data) is int or (not positions and isinstance(rows.data, str))
    if is_one_row:
        # A row has a number for each column, and a cell may be anything.
        return call.unknown() if columns is not None else _column(inner, sizes[1], rows)
    is_mask = isinstance(rows.data, Array) and rows.data.dtype == "bool"
    is_many = bounds_of_slice(rows) is not None or isinstance(rows.data, list) or is_mask
    if not is_many:
        return call.unknown()
    bounds = bounds_of_slice(rows)
    every = bounds is not None and all(b is None or b.data is None for b in bounds)
    count = sizes[0] if every else Value(UNKNOWN, merged(sizes[0], rows))
    if columns is None:
        return _like(inner, count, sizes[1], rows)
    if type(columns.data) is int or isinstance(columns.data, str):
        return _column(inner, count, rows, columns)
    listed_columns = listed(interpreter, columns) if isinstance(columns.data, list) else None
    if listed_columns is not None:
        return _like(inner, count, Value(len(listed_columns), columns.origins), rows, columns)
    chosen = bounds_of_slice(columns)
    if chosen is None:
        return call.unknown()
    width = _width_of(chosen, sizes[1], columns) if positions else None
    return _like(inner, count, width, rows, columns)


def _width_of(bounds: tuple[Value | None, ...], width: Value, columns: Value) -> Value | None:
    """Return how many columns a slice of positions selects, as far as its bounds tell."""
    numbers = [None if b is None or b.data is None else arrays.size(b) for b in bounds]
    given = [b is not None and b.data is not None for b in bounds]
    if any(is_given and n is None for is_given, n in zip(given, numbers, strict=True)):
        return None
    if not any(given):
        return width
    start, stop, step = numbers
    if stop is not None and step is None and 0 <= (start or 0) <= stop:
        # The table is taken to have these columns.
        return Value(stop - (start or 0), merged(columns))
    return None


@MODELS.method(KIND, "__getattr__")
def _attribute(_: Interpreter, call: Call) -> Value:
    """Return a column by its name as an attribute."""
    name = call.given(0)
    if name is None or name.data in OTHERS:
        return call.unknown()
    return _column(call, _sizes(call)[0])


@MODELS.method(KIND, "__len__")
def _length(_: Interpreter, call: Call) -> Value:
    rows = _sizes(call)[0]
    return rows if rows.known else arrays.number("int64", rows, lowest=0)


@MODELS.method(KIND, "__delitem__", "pop", "insert", "update")
def _changed(interpreter: Interpreter, call: Call) -> Value:
    """Forget how many columns there are."""
    _set_item(interpreter, call)
    return _column(call, _sizes(call)[0]) if call.name == "pop" else Value(None)


REDUCED: Mapping[str, str | None] = {
    "sum": None,
    "mean": None,
    "median": None,
    "std": "float64",
    "var": "float64",
    "min": None,
    "max": None,
    "nunique": "int64",
    "count": "int64",
}


@MODELS.method(KIND, *REDUCED)
def _reduced(_: Interpreter, call: Call) -> Value:
    """Return a column with a number for each column of the table, or for each row."""
    axis = call.given(0, "axis")
    rows, width = _sizes(call)
    if call.name == "nunique":
        axis = call.keywords.get("axis")
    over_rows = axis is None or axis.data in (0, "index")
    if not over_rows and axis is not None and axis.data not in (1, "columns"):
        return call.unknown()
    # Columns of texts may be left out.
    known = width if call.name in ("nunique", "count") else Value(UNKNOWN, width.origins)
    made = Series((known if over_rows else rows,), REDUCED[call.name], "numpy", index=())
    return Value(made, NOWHERE if call.receiver is None else call.receiver.origins)
