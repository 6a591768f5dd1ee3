"""What NumPy, PyTorch and JAX tell of dtypes, and NumPy's functions on sets, bits and diagonals.

Sources: the NumPy 2.2 reference ("Data types", "Set routines", "Binary operations"), PyTorch's of
``torch.finfo``, JAX's of ``jax.numpy``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.array_functions import shared
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array, dtype_name, new, together
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.libraries.torch.tensors import dtype_of
from dl_bug_lsp.interpretation.model_helpers import thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import PLAIN, lifted
from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Library,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

FLOATS: dict[str, tuple[int, float, float, float, float]] = {
    "float16": (16, 2.0**-10, 65504.0, 6.103515625e-05, 1e-3),
    "bfloat16": (16, 2.0**-7, 3.3895313892515355e38, 1.1754943508222875e-38, 1e-2),
    "float32": (32, 2.0**-23, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-6),
    "float64": (64, 2.0**-52, 1.7976931348623157e308, 2.2250738585072014e-308, 1e-15),
}
"""By dtype: bits, the step after 1, the greatest number, the least normal one, the resolution."""
WHOLE = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
COMPLEX = {"complex64": "float32", "complex128": "float64"}
KINDS = {
    **dict.fromkeys(WHOLE[:4], ("signedinteger", "integer", "number", "generic")),
    **dict.fromkeys(WHOLE[4:], ("unsignedinteger", "integer", "number", "generic")),
    **dict.fromkeys(FLOATS, ("floating", "inexact", "number", "generic")),
    **dict.fromkeys(COMPLEX, ("complexfloating", "inexact", "number", "generic")),
    "bool": ("generic",),
    "object": ("generic",),
}
"""The kinds that a dtype is of (NumPy, "Scalars", the hierarchy of type objects)."""
ABSTRACT = {kind for kinds in KINDS.values() for kind in kinds} | {"flexible", "character"}
for _name, _width in {**{n: f[0] for n, f in FLOATS.items()}, "bool": 8}.items():
    for _library in ("numpy", "torch"):
        CONSTANTS[f"{_library}.{_name}.itemsize"] = _width // 8
for _name in WHOLE:
    for _library in ("numpy", "torch"):
        CONSTANTS[f"{_library}.{_name}.itemsize"] = int(_name.partition("int")[2]) // 8
for _name in (*FLOATS, *WHOLE, *COMPLEX, "bool"):
    CONSTANTS[f"numpy.{_name}.name"] = _name


def _named(value: Value | None) -> str | None:
    """Return the name of a dtype, or of an array's, None where it is not known."""
    data = array(value)
    if data is not None:
        return data.dtype
    if value is not None and isinstance(value.data, Library):
        last = value.data.name.rpartition(".")[2]
        if value.data.name.startswith("torch."):
            return dtype_of(value)
        if last in KINDS:
            return last
    return dtype_name(value)


@MODELS.function("torch.finfo", "numpy.finfo", "jax.numpy.finfo")
def _float_limits(_: Interpreter, call: Call) -> Value:
    """Return the limits of a dtype of floats; raise where it is one of whole numbers."""
    given = call.given(0, "type", "dtype")
    is_torch = call.name.startswith("torch.")
    name = "float32" if given is None and is_torch else _named(given)
    if given is not None and isinstance(given.data, float):
        name = "float64"
    if name in WHOLE and given is not None:
        kind = "type" if is_torch else "value"
        raise Raised(kind, f"data type {name} not inexact", given)
    name = COMPLEX.get(name or "", name)
    if name not in FLOATS or (name == "bfloat16" and call.name.startswith("numpy.")):
        return call.unknown()
    bits, step, most, least, resolution = FLOATS[name]
    state = {"bits": bits, "eps": step, "max": most, "min": -most, "tiny": least}
    state |= {"smallest_normal": least, "resolution": resolution}
    parts = {key: Value(value) for key, value in state.items()}
    parts["dtype"] = Value(name if is_torch else Library(f"numpy.{name}"))
    made = thing(call.name, call, **parts)
    made.origins = merged(*call.args)
    return made


@MODELS.function("torch.iinfo", "numpy.iinfo", "jax.numpy.iinfo")
def _whole_limits(_: Interpreter, call: Call) -> Value:
    """Return the limits of a dtype of whole numbers; raise where it is one of floats."""
    given = call.given(0, "type", "int_type")
    name = _named(given)
    if name in FLOATS and given is not None:
        kind = "type" if call.name.startswith("torch.") else "value"
        raise Raised(kind, f"Invalid integer data type {name!r}.", given)
    if name not in WHOLE:
        return call.unknown()
    bits = int(name.partition("int")[2])
    low, high = (0, 2**bits - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return thing(call.name, call, max=Value(high), min=Value(low), bits=Value(bits))


@MODELS.function("numpy.issubdtype", "jax.numpy.issubdtype", "jax.dtypes.issubdtype")
def _is_subdtype(_: Interpreter, call: Call) -> Value:
    """Return whether a dtype is of a kind, or is another one."""
    first, second = call.given(0, "arg1", "a"), call.given(1, "arg2", "b")
    name = _named(first)
    if name not in KINDS or second is None or isinstance(second.data, Array):
        return call.unknown()
    kind = second.data.name if isinstance(second.data, Library) else second.data
    last = kind.rpartition(".")[2] if isinstance(kind, str) else ""
    if isinstance(second.data, Library) and last in ABSTRACT:
        return Value(last in KINDS[name], merged(*call.args))
    other = _named(second)
    return call.unknown() if other is None else Value(name == other, merged(*call.args))


@MODELS.function("numpy.dtype", "jax.numpy.dtype")
def _dtype(_: Interpreter, call: Call) -> Value:
    """Return a dtype by its name; one of several fields, or of texts, as it was made."""
    given = call.given(0, "dtype")
    name = None if given is None or isinstance(given.data, Array) else _named(given)
    if name in KINDS and name not in ("bfloat16", "object"):
        return Value(Library(f"numpy.{name}"), merged(*call.args))
    return thing("numpy.dtype", call)


@MODELS.function("numpy.result_type", "numpy.promote_types")
def _result_type(_: Interpreter, call: Call) -> Value:
    """Return the dtype of several arrays or dtypes; Python's numbers are left open."""
    plain = (isinstance(p.data, (bool, int, float)) or arrays.is_number(p) for p in call.args)
    names = [None if is_plain else _named(p) for p, is_plain in zip(call.args, plain, strict=True)]
    joint = together(names) if names and None not in names else None
    known = joint in KINDS
    return Value(Library(f"numpy.{joint}"), merged(*call.args)) if known else call.unknown()


@MODELS.function("jax.numpy.result_type", "jax.numpy.promote_types")
def _jax_result_type(_: Interpreter, call: Call) -> Value:
    """Return the dtype of several (JAX, "Type promotion semantics"): floats win over the others."""
    names = {_named(part) for part in call.args}
    plain = any(isinstance(part.data, (bool, int, float)) for part in call.args)
    weak = {"builtins.float", "builtins.int", "builtins.bool", "builtins.complex"}
    plain |= any(isinstance(p.data, Library) and p.data.name in weak for p in call.args)
    if plain or not names or names & {"int64", "uint64", "float64", "complex128", None}:
        return call.unknown()
    floats = names & set(FLOATS)
    one = floats if len(floats) == 1 and not names & set(COMPLEX) else names
    return Value(Library(f"numpy.{one.pop()}")) if len(one) == 1 else call.unknown()


@MODELS.numbers
@MODELS.function("numpy.isscalar")
def _is_scalar(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "element")
    if given is None or not given.known:
        return call.unknown()
    if given.data is None or isinstance(given.data, (list, tuple, dict, set)):
        return Value(False, given.origins)
    if isinstance(given.data, PLAIN) or arrays.is_number(given):
        return Value(True, given.origins)
    data = array(given)
    # What has no axes may be a scalar or an array without axes.
    return Value(False, given.origins) if data is not None and data.shape else call.unknown()


# --- along an axis --------------------------------------------------------------------------------


@MODELS.function("numpy.take_along_axis", "numpy.put_along_axis")
def along_axis(_: Interpreter, call: Call) -> Value:
    """Return the items at indices along an axis; put in place, nothing.

    Raises `Raised` where indices are no whole numbers, are beyond the axis, or do not fit.
    """
    value, given = as_array(call.given(0, "arr")), call.given(1, "indices")
    x, y = array(value), array(as_array(given))
    putting = call.name.endswith("put_along_axis")
    axis = call.given(3 if putting else 2, "axis") or Value(None if putting else -1)
    if given is None or x is None or y is None or x.shape is None or y.shape is None:
        return Value(None) if putting else new(None, None if x is None else x.dtype, value.origins)
    if y.dtype is not None and y.dtype.startswith("float"):
        raise Raised("index", "`indices` must be an integer array", given)
    own = (arrays.product(x.shape),) if axis.data is None else x.shape
    if len(own) != len(y.shape):
        message = "`indices` and `arr` must have the same number of dimensions"
        raise Raised("value", message, Value(len(y.shape), given.origins), Value(len(own)))
    at = axis_of(0 if axis.data is None else axis, len(own))
    if at is None:
        return Value(None) if putting else new(None, x.dtype, value.origins)
    extent = size(own[at])
    if extent is not None and y.highest is not None and y.highest >= extent:
        message = "index is out of bounds"
        raise Raised("index", message, Value(y.highest, given.origins), own[at])
    if putting:
        x.lowest = x.highest = None
        return Value(None)
    shape = [
        y.shape[i] if i == at else arrays.broadcast((own[i],), (y.shape[i],))[0]
        for i in range(len(own))
    ]
    return new(shape, x.dtype, merged(value, given), (x.lowest, x.highest))


@MODELS.function("numpy.fill_diagonal")
def _fill_diagonal(_: Interpreter, call: Call) -> Value:
    """Change an array in place; it has two axes, or more of one length."""
    value = call.given(0, "a")
    x = array(value)
    if value is None or x is None:
        return Value(None)
    if x.shape is not None and len(x.shape) < 2:
        raise Raised("value", "array must be at least 2-d", Value(len(x.shape), value.origins))
    for dim in (x.shape or ())[1:] if len(x.shape or ()) > 2 else ():
        arrays.same((x.shape or ())[0], dim, "All dimensions of input must be of equal length")
    x.lowest = x.highest = None
    return Value(None)


# --- sets and bits --------------------------------------------------------------------------------


@MODELS.function("numpy.setdiff1d", "numpy.intersect1d", "numpy.union1d", "numpy.setxor1d")
def _of_sets(_: Interpreter, call: Call) -> Value:
    """Return one axis of items; their number is known where the items are."""
    left, right = as_array(call.given(0, "ar1")), as_array(call.given(1, "ar2"))
    x, y = array(left), array(right)
    if x is None or y is None or "return_indices" in call.keywords:
        return call.unknown()
    name, origins = call.name.rpartition(".")[2], merged(left, right)
    known = isinstance(x, Series) and isinstance(y, Series) and not call.keywords
    if known and isinstance(x, Series) and isinstance(y, Series) and len(call.args) == 2:
        found = _joined_cells(name, x, y)
        if found:
            return as_array(lifted(found, left, right))
    dtype = x.dtype if name == "setdiff1d" else together([x.dtype, y.dtype])
    return new((Value(UNKNOWN, origins),), dtype, origins)


def _joined_cells(name: str, x: Series, y: Series) -> list[object]:
    """Return what a function on sets gives for known cells, nothing where they are not."""
    if x.cells is None or y.cells is None or x.dtype != y.dtype:
        return []
    a, b = set(x.cells), set(y.cells)
    kinds = {type(cell) for cell in a | b}
    if len(kinds) != 1 or not kinds <= {int, float, str}:
        return []
    joint = {"setdiff1d": a - b, "intersect1d": a & b, "union1d": a | b, "setxor1d": a ^ b}[name]
    return sorted(joint)  # type: ignore[type-var]


@shared("numpy.packbits", "numpy.unpackbits")
def _bits(call: Call, x: Array, value: Value) -> Value:
    """Return eight items in one, or the eight of each, over all axes where none is given."""
    unpacks = call.name.endswith("unpackbits")
    refused = x.dtype != "uint8" if unpacks else (x.dtype or "").startswith("float")
    if x.dtype is not None and refused:
        raise Raised("type", "Expected an input array of unsigned byte data type", value)
    axis, count = call.given(1, "axis"), call.given(2, "count") if unpacks else None
    if x.shape is None or (count is not None and count.data is not None):
        return new(None, "uint8", value.origins)
    flat = axis is None or axis.data is None
    shape = (arrays.product(x.shape),) if flat else x.shape
    at = axis_of(0 if flat else axis, len(shape))
    if at is None:
        return new(None, "uint8", value.origins)
    number = size(shape[at])
    changed = unknown(shape[at])
    if number is not None:
        changed = Value(number * 8 if unpacks else -(-number // 8), shape[at].origins)
    return new((*shape[:at], changed, *shape[at + 1 :]), "uint8", value.origins)


@MODELS.function("numpy.poly1d")
def _polynomial(_: Interpreter, call: Call) -> Value:
    return thing(call.name, call)


@MODELS.object("numpy.poly1d")
def _polynomial_at(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "val")
    if given is not None and isinstance(given.data, (int, float)):
        made = None if call.held is None else Call(call.name, call.held.args, {}, call.place)
        own = array(as_array(made.given(0))) if made is not None else None
        floating = isinstance(given.data, float) or (own is not None and own.dtype == "float64")
        return arrays.number("float64", given) if floating else call.unknown()
    x = array(as_array(given))
    return call.unknown() if x is None else new(x.shape, None, merged(*call.args))
