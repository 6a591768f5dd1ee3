"""Models of pandas: columns.

Source: the pandas 2.2 reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.cells import (
    NUMERIC,
    Frame,
    Series,
    bounds_of,
    cells_of,
    check_text,
    distinct,
    series_of,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.numpy_models import as_array, dtype_name, new
from dl_bug_lsp.interpretation.stdlib_models import MOST_ITEMS, is_true, nothing, state_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    FunctionValue,
    LibraryObject,
    Origins,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# Methods that only columns have.


@MODELS.method("array", "nunique")
def _nunique(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = series_of(call.receiver)
    if data is None or data.cells is None or call.receiver is None:
        return call.unknown()
    return Value(len(distinct(data.cells)), call.receiver.origins)


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
    low, high = bounds_of(cells) if dtype == "int64" else (None, None)
    lines = source.lines
    return Value(Series(data.shape, dtype, "numpy", None, low, high, cells, lines), origins)


_astype_of_arrays = MODELS.methods.get(("array", "astype"))


@MODELS.method("array", "astype")
def _astype_column(interpreter: Interpreter, call: Call) -> Value:
    column_, wanted = series_of(call.receiver), call.given(0, "dtype")
    dtype = dtype_name(wanted)
    if column_ is not None and wanted is not None and column_.cells is not None:
        made = Frame({"": column_.dtype}, Value(0), {}, {"": column_.cells}, column_.lines)
        check_text(made, "", dtype, wanted)
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
        number = len(distinct(column_.cells))
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
        bounds = (-1 if None in column_.cells else 0, len(distinct(column_.cells)) - 1)
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
        check_text(made, "", "float64", given)
    dtype = data.dtype if data.dtype in NUMERIC else None
    return new(data.shape, dtype, given.origins, (data.lowest, data.highest))


@MODELS.function("pandas.factorize")
def _factorize(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    given = as_array(call.given(0, "values"))
    data, column_ = arrays.array(given), series_of(given)
    if data is None:
        return call.unknown()
    number = len(distinct(column_.cells)) if column_ is not None and column_.cells else None
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
