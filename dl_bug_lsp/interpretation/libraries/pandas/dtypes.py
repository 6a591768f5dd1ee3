"""Models of pandas: what kind of dtype a column has.

Source: the pandas reference, "Data type introspection" (``pandas.api.types``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.numpy.functions import dtype_name
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import Series, are_views
from dl_bug_lsp.interpretation.values import Array, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

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
