"""Models of NumPy: functions item by item, their methods, and rarer functions by their shapes.

Source: the NumPy 2.4 reference.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

# These register models that are followed by others here.
import dl_bug_lsp.interpretation.libraries.array_functions
import dl_bug_lsp.interpretation.libraries.numpy.functions  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import (
    as_array,
    dtype_name,
    new,
    together,
)
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, listed, with_origins
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Named,
    Table,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

FLOATS = ("float32", "float64", "float16")
WHOLE = ("int64", "int32", "uint8", "int8", "int16")


def _numbers(*values: Value | None) -> list[tuple[Array, Value]] | None:
    """Return operands as arrays of a known number of axes, None where one is none."""
    found: list[tuple[Array, Value]] = []
    for value in values:
        if value is None or not value.known or isinstance(value.data, (str, Table)):
            return None
        if isinstance(value.data, Array) and value.data.library not in ("numpy", "python"):
            return None
        made = as_array(value)
        if not isinstance(made.data, Array) or made.data.shape is None:
            return None
        found.append((made.data, made))
    return found


def _floating(*dtypes: str | None) -> str | None:
    """Return the dtype of what gives floats for numbers."""
    whole = together(dtypes)
    return whole if whole in FLOATS else "float64" if whole in ("int64", "int32") else None


def _shapes(parts: Sequence[tuple[Array, Value]]) -> tuple[Value, ...]:
    shape: tuple[Value, ...] = parts[0][0].shape or ()
    for data, _ in parts[1:]:
        shape = arrays.broadcast(shape, data.shape or ())
    return shape


def _words(text: str) -> tuple[str, ...]:
    return tuple(f"numpy.{name}" for name in text.split())


@MODELS.function(*_words("copysign nextafter heaviside float_power logaddexp logaddexp2"))
@MODELS.function(*_words("bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm"))
def _of_two(_: Interpreter, call: Call) -> Value:
    """Return what two operands give item by item."""
    parts = _numbers(call.given(0, "x1"), call.given(1, "x2"))
    if parts is None or call.keywords.keys() - {"x1", "x2"}:
        return call.unknown()
    dtypes = [data.dtype for data, _ in parts]
    floating = call.name.rpartition(".")[2] in FLOATING
    dtype = _floating(*dtypes) if floating else together(dtypes)
    return new(_shapes(parts), dtype, merged(*call.args))


FLOATING = frozenset(("copysign", "nextafter", "heaviside", "float_power", "logaddexp"))


@MODELS.function(*_words("divmod modf frexp"))
def _pairs(_: Interpreter, call: Call) -> Value:
    two = call.name == "numpy.divmod"
    parts = _numbers(*call.args[: 2 if two else 1])
    if parts is None or len(parts) != (2 if two else 1) or call.keywords:
        return call.unknown()
    dtypes = [data.dtype for data, _ in parts]
    dtype = together(dtypes) if two else _floating(*dtypes)
    first = new(_shapes(parts), dtype, merged(*call.args))
    other = "int32" if call.name == "numpy.frexp" else dtype
    return Value((first, new(_shapes(parts), other, merged(*call.args))), merged(*call.args))


@MODELS.function(*_words("signbit spacing i0 sinc angle nancumsum nancumprod invert bitwise_not"))
def _of_one(_: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    parts = _numbers(call.given(0, "x", "a", "z"))
    if parts is None or len(call.args) > 1 or call.keywords.keys() - {"x", "a", "z"}:
        return call.unknown()
    data = parts[0][0]
    if name.startswith("nancum") and len(data.shape or ()) != 1:
        return call.unknown()
    same = data.dtype if data.dtype in ("int64", "float64", "float32", "bool") else None
    if name.startswith("nancum"):
        same = "int64" if same == "bool" else same
    kinds = {"signbit": "bool", "angle": None if data.dtype is None else "float64"}
    floats = None if name == "angle" else _floating(data.dtype)
    keeping = name in ("invert", "bitwise_not") or name.startswith("nancum")
    dtype = kinds.get(name, same if keeping else floats)
    return new(data.shape, dtype, merged(*call.args))


_known_scalars: dict[str, Callable[..., object]] = {
    "abs": abs,
    "absolute": abs,
    "exp2": lambda x: float(2.0**x),
    "round": round,
    "around": round,
}


def _scalar_first(before: Model, compute: Callable[..., object]) -> Model:
    """Return a model that computes with plain numbers and leaves the rest to another."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        plain = [arg.data for arg in call.args]
        numbers = all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in plain)
        if plain and numbers and not call.keywords:
            try:
                return Value(compute(*plain), merged(*call.args))
            except (ArithmeticError, TypeError, ValueError):
                return call.unknown()
        return before(interpreter, call)

    return run


for _name, _compute in _known_scalars.items():
    _before = MODELS.functions.get(f"numpy.{_name}")
    if _before is not None:
        _made = _scalar_first(_before, _compute)
        MODELS.functions[f"numpy.{_name}"] = _made
        if _before in MODELS.numeric:
            MODELS.numeric.add(_made)


def _with_floats(before: Model) -> Model:
    """Return a model whose whole numbers become floats."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        result = before(interpreter, call)
        data = result.data
        first = call.given(0, "a", "x")
        if isinstance(data, Array) and data.dtype in (*WHOLE, "bool") and first is not None:
            if isinstance(first.data, Array) and first.data.library != "numpy":
                return result
            return new(data.shape, _floating(data.dtype), result.origins)
        return result

    return run


for _name in ("median", "fabs", "nanmedian"):
    if f"numpy.{_name}" in MODELS.functions:
        MODELS.functions[f"numpy.{_name}"] = _with_floats(MODELS.functions[f"numpy.{_name}"])


# --- methods of functions item by item ------------------------------------------------------------

UFUNCS = (
    *("add", "subtract", "multiply", "divide", "true_divide", "maximum", "minimum", "power"),
    *("fmax", "fmin", "logical_and", "logical_or", "logical_xor"),
    *("bitwise_and", "bitwise_or", "bitwise_xor"),
)


@MODELS.function(*(f"numpy.{name}.{how}" for name in UFUNCS for how in ("reduce", "accumulate")))
def _along(_: Interpreter, call: Call) -> Value:
    """Reduce an axis, or give what each of its items is reduced to so far."""
    parts = _numbers(call.given(0, "array"))
    axis = call.given(1, "axis") or Value(0)
    keeps = call.keywords.get("keepdims")
    if parts is None or call.keywords.keys() - {"array", "axis", "keepdims"}:
        return call.unknown()
    data, value = parts[0]
    shape, name = list(data.shape or ()), call.name.split(".")[1]
    dtype = data.dtype
    if name.startswith("logical"):
        dtype = "bool"
    elif name in ("divide", "true_divide"):
        dtype = _floating(dtype)
    elif dtype in (*WHOLE, "bool") and dtype != "int64" and name in ("add", "multiply"):
        dtype = None
    if call.name.endswith("accumulate"):
        return new(shape, dtype, value.origins)
    if axis.data is None:
        return new((), dtype, value.origins) if keeps is None else call.unknown()
    number = size(axis)
    if number is None or not -len(shape) <= number < len(shape):
        return call.unknown()
    if keeps is not None and keeps.data is True:
        shape[number] = Value(1)
    elif keeps is None or keeps.data is False:
        del shape[number]
    else:
        return call.unknown()
    return new(shape, dtype, value.origins)


@MODELS.function(*(f"numpy.{name}.outer" for name in UFUNCS), "numpy.outer")
def _outer(_: Interpreter, call: Call) -> Value:
    """Combine each item of one array with each of another."""
    parts = _numbers(call.given(0, "a", "A"), call.given(1, "b", "B"))
    if parts is None or call.keywords.keys() - {"a", "b", "A", "B"}:
        return call.unknown()
    name = call.name.split(".")[1]
    dims = [data.shape or () for data, _ in parts]
    if name == "outer":
        dims = [d if len(d) == 1 else (arrays.product(list(d)),) for d in dims]
    dtypes = [data.dtype for data, _ in parts]
    dtype = "bool" if name.startswith("logical") else together(dtypes)
    if name in ("divide", "true_divide"):
        dtype = _floating(*dtypes)
    return new((*dims[0], *dims[1]), dtype, merged(*call.args))


_before_dot = {n: MODELS.functions.get(n) for n in ("numpy.dot", "numpy.vdot", "numpy.inner")}
NOT_ALIGNED = "shapes not aligned"


@MODELS.function("numpy.dot", "numpy.vdot", "numpy.inner")
def _dot(interpreter: Interpreter, call: Call) -> Value:
    """Multiply lists as arrays; what tensors and arrays give, other models know."""
    given = [as_array(a) if isinstance(a.data, (list, tuple)) else a for a in call.args]
    parts = _numbers(*given)
    if parts is not None and len(parts) == 2:
        ranks = [len(data.shape or ()) for data, _ in parts]
        if ranks == [1, 1]:
            arrays.same((parts[0][0].shape or ())[0], (parts[1][0].shape or ())[0], NOT_ALIGNED)
            return new((), together([data.dtype for data, _ in parts]), merged(*call.args))
    before = _before_dot[call.name]
    inner = Call(call.name, tuple(given), call.keywords, call.place)
    return call.unknown() if before is None else before(interpreter, inner)


# --- truths ---------------------------------------------------------------------------------------


@MODELS.function(*_words("allclose array_equal array_equiv shares_memory may_share_memory"))
@MODELS.function(*_words("can_cast iscomplexobj isrealobj"))
def _truth(_: Interpreter, call: Call) -> Value:
    """Return a truth of which no more is known."""
    return arrays.number("bool", *call.args)


# --- made by functions and of parts ---------------------------------------------------------------


@MODELS.function("numpy.fromfunction")
def _from_function(interpreter: Interpreter, call: Call) -> Value:
    """Call a function with an array of coordinates for each axis."""
    function, asked = call.given(0, "function"), call.given(1, "shape")
    items = listed(interpreter, asked)
    if function is None or items is None or any(size(item) is None for item in items):
        return call.unknown()
    given = call.keywords.get("dtype")
    dtype = "float64" if given is None else dtype_name(given)
    axes = [new(items, dtype, merged(*items)) for _ in items]
    named = {k: v for k, v in call.keywords.items() if k not in ("function", "shape", "dtype")}
    return interpreter.call(function, tuple(axes), named, call.place)


@MODELS.function("numpy.diagflat", "numpy.vander", "numpy.ediff1d", "numpy.lexsort")
def _of_vectors(_: Interpreter, call: Call) -> Value:
    name, parts = call.name.rpartition(".")[2], _numbers(call.given(0, "v", "x", "ary", "keys"))
    if parts is None or call.keywords.keys() - {"N"}:
        return call.unknown()
    data, value = parts[0]
    shape = data.shape or ()
    if name == "lexsort":
        return new(shape[-1:], "int64", value.origins) if len(shape) == 2 else call.unknown()
    count = size(arrays.product(list(shape)))
    if name == "diagflat" and len(call.args) == 1:
        side = Value(UNKNOWN if count is None else count, value.origins)
        return new((side, side), data.dtype, value.origins)
    if name == "ediff1d" and len(call.args) == 1:
        less = Value(UNKNOWN if count is None else max(count - 1, 0), value.origins)
        return new((less,), data.dtype, value.origins)
    if name == "vander" and len(shape) == 1:
        wide = call.given(1, "N")
        width = shape[0] if wide is None or wide.data is None else wide
        return new((shape[0], width), data.dtype, value.origins)
    return call.unknown()


@MODELS.function("numpy.roots")
def _roots(_: Interpreter, call: Call) -> Value:
    parts = _numbers(call.given(0, "p"))
    if parts is None or len(parts[0][0].shape or ()) != 1:
        return call.unknown()
    # Zeros at the ends are left out; the roots may be complex.
    return new((Value(UNKNOWN, parts[0][1].origins),), None, parts[0][1].origins)


_stacked = MODELS.functions.get("numpy.dstack")


@MODELS.function("numpy.dstack")
def _deep(interpreter: Interpreter, call: Call) -> Value:
    """Put arrays behind each other, along a third axis."""
    items = listed(interpreter, call.given(0, "tup"))
    parts = None if not items or call.keywords else _numbers(*items)
    if parts is None:
        return call.unknown() if _stacked is None else _stacked(interpreter, call)
    shapes: list[tuple[Value, ...]] = []
    for data, _ in parts:
        shape = data.shape or ()
        if len(shape) == 0:
            shape = (Value(1), Value(1), Value(1))
        elif len(shape) == 1:
            shape = (Value(1), shape[0], Value(1))
        elif len(shape) == 2:
            shape = (*shape, Value(1))
        shapes.append(shape)
    if len({len(shape) for shape in shapes}) > 1:
        return call.unknown()
    first = list(shapes[0])
    for shape in shapes[1:]:
        for at, (a, b) in enumerate(zip(first, shape, strict=True)):
            if at != 2:
                message = "all the input array dimensions must match exactly"
                first[at] = arrays.same(a, b, message)
    depths = [size(shape[2]) for shape in shapes]
    known = [depth for depth in depths if depth is not None]
    origins = merged(*(shape[2] for shape in shapes))
    first[2] = Value(sum(known) if len(known) == len(depths) else UNKNOWN, origins)
    return new(first, together([data.dtype for data, _ in parts]), merged(*items or ()))


_gradients = MODELS.functions.get("numpy.gradient")


@MODELS.function("numpy.gradient")
def _gradient(interpreter: Interpreter, call: Call) -> Value:
    """Return the slope along each axis."""
    parts = _numbers(call.given(0, "f"))
    axes = 0 if parts is None else len(parts[0][0].shape or ())
    if parts is None or axes < 2 or "axis" in call.keywords:
        return call.unknown() if _gradients is None else _gradients(interpreter, call)
    data, value = parts[0]
    one = new(data.shape, _floating(data.dtype), value.origins)
    return Value(tuple(one for _ in range(axes)), value.origins)


@MODELS.function("numpy.histogram2d")
def _counted_pairs(_: Interpreter, call: Call) -> Value:
    bins = call.given(2, "bins") or Value(10)
    number = size(bins)
    if number is None:
        return call.unknown()
    origins = merged(*call.args)
    edges = new((Value(number + 1, bins.origins),), "float64", origins)
    return Value((new((bins, bins), "float64", origins), edges, edges), origins)


@MODELS.function("numpy.ndindex")
def _indices(interpreter: Interpreter, call: Call) -> Value:
    """Return all positions of an array with a shape."""
    given = list(call.args)
    if len(given) == 1 and isinstance(given[0].data, (list, tuple)):
        given = listed(interpreter, given[0]) or []
    numbers = [size(item) for item in given]
    known = [number for number in numbers if number is not None]
    if not known or len(known) != len(numbers) or math.prod(known) > MOST_ITEMS:
        return call.unknown()
    origins = merged(*call.args)
    places = itertools.product(*(range(number) for number in known))
    return with_origins([tuple(place) for place in places], origins)


OF_TEXTS = ("upper", "lower", "title", "capitalize", "strip", "swapcase")


@MODELS.function(*(f"numpy.{part}.{name}" for part in ("char", "strings") for name in OF_TEXTS))
def _texts(_: Interpreter, call: Call) -> Value:
    data = as_array(call.given(0, "a")).data
    if not isinstance(data, Array) or data.shape is None:
        return call.unknown()
    return new(data.shape, "object", merged(*call.args))


# --- named parts ----------------------------------------------------------------------------------

NAMED = {
    "svd": ("U", "S", "Vh"),
    "eig": ("eigenvalues", "eigenvectors"),
    "eigh": ("eigenvalues", "eigenvectors"),
    "qr": ("Q", "R"),
    "slogdet": ("sign", "logabsdet"),
}
"""The names of what functions of ``numpy.linalg`` return several parts as."""


def _named(before: Model, names: tuple[str, ...]) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        parts = call.given(2, "compute_uv")
        if names[0] == "U" and parts is not None and parts.data is not True:
            if parts.data is not False:
                return call.unknown()
            given = {k: v for k, v in call.keywords.items() if k != "compute_uv"}
            whole = before(interpreter, Call(call.name, call.args[:2], given, call.place))
            data = whole.data
            return data[1] if isinstance(data, tuple) and len(data) == 3 else call.unknown()
        result = before(interpreter, call)
        data = result.data
        if isinstance(data, tuple) and len(data) == len(names):
            return Value(Named(data, names), result.origins)
        return result

    return run


for _name, _names in NAMED.items():
    _linear = MODELS.functions.get(f"numpy.linalg.{_name}")
    if _linear is not None:
        MODELS.functions[f"numpy.linalg.{_name}"] = _named(_linear, _names)
