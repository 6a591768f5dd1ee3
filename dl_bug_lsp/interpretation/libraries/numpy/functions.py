"""Models of NumPy: shapes, dtypes and, where cheap, the bounds of whole numbers.

Methods that tensors have too are those of `torch_models`. Source: the NumPy 2.2 reference.
"""

from __future__ import annotations

import functools
import itertools
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

# The methods of arrays below take the place of those of tensors, or call them.
from dl_bug_lsp.interpretation import arrays, matrix_values, operators
from dl_bug_lsp.interpretation.arrays import axis_of, size
from dl_bug_lsp.interpretation.libraries.python.files import (
    PICKLE,
    file_of,
    keep,
    note_written,
    text_in,
)
from dl_bug_lsp.interpretation.libraries.torch.shapes import items_of
from dl_bug_lsp.interpretation.model_helpers import (
    MOST_ITEMS,
    first_argument,
    listed,
    nothing,
    text_of,
    thing,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import span
from dl_bug_lsp.interpretation.table_values import (
    Draws,
    Series,
    affords,
    as_cell,
    as_column,
    converted,
    is_cell,
    remade,
)
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    Library,
    LibraryObject,
    Origins,
    Raised,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

FEW_ODD = 0.1
"""The share of a list's items up to which those of another size are the odd ones."""
_DTYPES = {
    **{name: name for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64")},
    **{name: name for name in ("uint8", "uint16", "uint32", "uint64", "complex64", "complex128")},
    "bool": "bool",
    "bool_": "bool",
    "int": "int64",
    "int_": "int64",
    "intp": "int64",
    "long": "int64",
    "longlong": "int64",
    "intc": "int32",
    "float": "float64",
    "float_": "float64",
    "double": "float64",
    "single": "float32",
    "half": "float16",
    "object": "object",
    "object_": "object",
    "O": "object",
    "str": "object",
    "str_": "object",
    "f": "float32",
    "f4": "float32",
    "f8": "float64",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "i": "int32",
    "d": "float64",
    "?": "bool",
    "complex": "complex128",
}
_WIDER = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")
_DEEPEST = 6


def dtype_name(value: Value | None) -> str | None:
    """Return the name of a dtype given by name, NumPy's scalar type or Python's, None otherwise."""
    if value is None:
        return None
    data = value.data
    if isinstance(data, Library):
        return _DTYPES.get(data.name.rpartition(".")[2])
    if isinstance(data, LibraryObject) and data.short == "dtype" and data.args:
        return dtype_name(data.args[0])
    return _DTYPES.get(data.lstrip("<>=|")) if isinstance(data, str) else None


def wanted_dtype(call: Call, position: int, default: str | None) -> str | None:
    """Return the dtype that a call asks for, the default where it asks for none."""
    given = call.given(position, "dtype")
    return default if given is None or given.data is None else dtype_name(given)


def together(dtypes: Sequence[str | None]) -> str | None:
    """Return the dtype of several (NumPy, "Data type promotion"), None where it is not known."""
    known = list(dict.fromkeys(dtypes))
    if len(known) == 1:
        return known[0]
    if not known or any(dtype not in _WIDER for dtype in known):
        return "object" if "object" in known and None not in known else None
    names = [dtype for dtype in known if dtype is not None]
    widest = max(names, key=_WIDER.index)
    if widest in ("float16", "float32") and {"int32", "int64"} & set(names):
        return "float64"
    if widest in ("int8", "int16", "float16") and len(names) > 2:
        return None
    if {"uint8", "int8"} == set(names):
        return "int16"
    return widest


def new(
    shape: Sequence[Value] | None,
    dtype: str | None,
    origins: Origins = frozenset(),
    bounds: tuple[int | None, int | None] = (None, None),
) -> Value:
    """Return a NumPy array."""
    dims = None if shape is None else tuple(shape)
    return Value(Array(dims, dtype, "numpy", None, *bounds), origins)


def as_array(value: Value | None, depth: int = _DEEPEST) -> Value:
    """Return what ``numpy.asarray`` makes of a value; raises where sublists differ in length."""
    if value is None:
        return new(None, None)
    data = value.data
    if isinstance(data, Array):
        if data.library == "numpy":
            return value
        return new(data.shape, data.dtype, value.origins, (data.lowest, data.highest))
    if isinstance(data, Table):
        dtype = together(list(data.columns.values()))
        return new((data.rows, data.width(value.origins)), dtype, value.origins)
    if isinstance(data, bool):
        return new((), "bool", value.origins)
    if isinstance(data, int):
        return new((), "int64", value.origins, (data, data))
    if isinstance(data, float):
        return new((), "float64", value.origins)
    if isinstance(data, (str, dict)) or data is None:
        return new((), "object", value.origins)
    if isinstance(data, Lazy):
        inner = as_array(data.item, depth - 1).data
        known = data.item.known and isinstance(inner, Array) and inner.shape is not None
        if not known or not isinstance(inner, Array) or inner.shape is None:
            return arrays.with_first(new(None, None, value.origins), data.length)
        return new((data.length, *inner.shape), inner.dtype, value.origins)
    if isinstance(data, (list, tuple)) and depth:
        return _of_items(value, list(data), depth)
    if isinstance(data, LibraryObject) and data.short == "Image":
        return _pixels(data, value.origins)
    if isinstance(data, LibraryObject) and data.name == STORED and "array" in data.state:
        return data.state["array"]
    return new(None, None, value.origins)


STORED = "h5py.H5Dataset"
"""The class of arrays in a file, which are read where an array is made of them."""
_OF_MODES = {"1": "bool", "I": "int32", "F": "float32", "I;16": "uint16"}
"""dtypes of Pillow's modes that do not hold bytes."""


def _pixels(picture: LibraryObject, origins: Origins) -> Value:
    """Return the pixels of an image of Pillow: height, width and, if not one, channels."""
    names = ("height", "width", "channels")
    height, width, channels = (picture.state.get(name) for name in names)
    mode = picture.state.get("mode", Value(None)).data
    dtype = _OF_MODES.get(mode, "uint8") if isinstance(mode, str) else "uint8"
    if height is None or width is None or channels is None or not channels.known:
        return new(None, dtype, origins)
    shape = (height, width) if channels.data == 1 else (height, width, channels)
    return new(shape, dtype, origins)


def _of_items(value: Value, items: list[Value], depth: int) -> Value:
    origins = value.origins or merged(*items[:24])
    count = Value(len(items), origins)
    if not items:
        return new((count,), "float64", origins)
    if len(items) > MOST_ITEMS:
        return new(None, None, origins)
    if all(isinstance(item.data, (bool, int, float)) for item in items):
        numbers = [item.data for item in items if isinstance(item.data, (bool, int, float))]
        kinds = {type(number) for number in numbers}
        kind = "float64" if float in kinds else "int64" if int in kinds else "bool"
        whole = [number for number in numbers if isinstance(number, int)]
        bounds = (min(whole), max(whole)) if kind == "int64" else (None, None)
        cells = tuple(float(n) for n in numbers) if kind == "float64" else tuple(numbers)
        low, high = bounds
        made_of = merged(value, *items[:24])
        return Value(Series((count,), kind, "numpy", None, low, high, cells), made_of)
    if all(isinstance(item.data, str) for item in items):
        texts = tuple(item.data for item in items)
        return Value(Series((count,), "object", "numpy", None, None, None, texts), origins)
    made = [as_array(item, depth - 1) for item in items]
    inner = [element.data for element in made if isinstance(element.data, Array)]
    shapes = [element.shape for element in inner]
    dtype = together([element.dtype for element in inner])
    both = origins | merged(*made[:24])
    if any(shape is None for shape in shapes):
        return arrays.with_first(new(None, dtype, both), count)
    known = [shape for shape in shapes if shape is not None]
    first = known[0]
    if dtype != "object":
        _check_even(value, items, known)
    for shape, item in zip(known[1:], items[1:], strict=True):
        if len(shape) != len(first):
            if dtype == "object":
                return new((count,), "object", both)
            sides = Value(len(first), items[0].origins), Value(len(shape), item.origins)
            raise Raised("size", "setting an array element with a sequence", *sides)
        first = tuple(
            arrays.same(x, y, "setting an array element with a sequence: inhomogeneous shape")
            for x, y in zip(first, shape, strict=True)
        )
    if len(first) == 1 and all(isinstance(part, Series) for part in inner):
        grid = matrix_values.of_rows(made, count, first[0], Value(None, both))
        if grid is not None:
            return grid
    return new((count, *first), dtype, both, span(inner))


def _check_even(value: Value, items: Sequence[Value], shapes: Sequence[Sequence[Value]]) -> None:
    """Raise where the items of a list have many sizes: no single item of it is odd then."""
    lengths = Counter(size(shape[0]) if shape else 0 for shape in shapes)
    if None in lengths or len(lengths) == 1:
        return
    usual, count = lengths.most_common(1)[0]
    if len(items) - count <= max(1, len(items) * FEW_ODD):
        return
    other = next(length for length in lengths if length != usual)
    message = "setting an array element with a sequence: inhomogeneous shape"
    raise Raised("size", message, Value(usual, value.origins), Value(other, value.origins))


def shape_of(interpreter: Interpreter, value: Value | None) -> tuple[Value, ...] | None:
    """Return a shape given as a number or a sequence, None where its rank is not known."""
    if value is None:
        return None
    if isinstance(value.data, (list, tuple)):
        items = listed(interpreter, value) or []
        return tuple(
            _dim(item if item.origins else Value(item.data, value.origins)) for item in items
        )
    return (_dim(value),) if size(value) is not None or value.data in (None, "") else _one(value)


def _one(value: Value) -> tuple[Value, ...] | None:
    if isinstance(value.data, (float, str)):
        return (_dim(value),)
    return None


def _dim(value: Value) -> Value:
    if isinstance(value.data, (float, str)) or value.data is None:
        raise Raised("type", f"a size must be a whole number, not {value.data!r}", value)
    number = size(value)
    if number is not None and number < 0:
        raise Raised("value", "negative dimensions are not allowed", value)
    return Value(UNKNOWN if number is None else number, value.origins)


def _whole(call: Call) -> Origins:
    return merged(*call.args, *call.keywords.values())


# Making arrays.


@MODELS.function("numpy.array", "numpy.asarray", "numpy.ascontiguousarray", "numpy.asanyarray")
@MODELS.function("numpy.asfarray", "numpy.atleast_1d")
def _array(_: Interpreter, call: Call) -> Value:
    asked = call.given(1, "dtype")
    if is_object_type(asked):
        return _of_objects(call)
    given = as_array(call.given(0, "object", "a"))
    data = arrays.array(given)
    assert data is not None
    dtype = wanted_dtype(call, 1, data.dtype)
    source = call.given(0, "object", "a")
    if dtype and dtype != "object" and source is not None and _is_text(source):
        raise Raised("value", "could not convert string to float", source)
    shape = data.shape
    if (
        matrix_values.grid_of(given) is not None
        and dtype is not None
        and "ndmin" not in call.keywords
    ):
        cast = given if dtype == data.dtype else _grid_as(given, dtype)
        if cast is not None:
            return _chosen(Value(cast.data, given.origins), source, call)
    if call.name.endswith("atleast_1d") and shape == ():
        shape = (Value(1, given.origins),)
    if isinstance(data, Series) and data.cells is not None and shape == data.shape:
        cells = data.cells if dtype == data.dtype else converted(data.cells, dtype)
        if cells is not None:
            made = remade(given, cells, dtype=dtype)
            assert isinstance(made.data, Series)
            made.data.index = None
            return _chosen(made, source, call)
    array = new(shape, dtype, given.origins, (data.lowest, data.highest))
    return _chosen(arrays.with_first(array, data.first), source, call)


def is_object_type(value: Value | None) -> bool:
    """Whether a value names the dtype of Python's objects, not that of texts."""
    data = None if value is None else value.data
    if isinstance(data, Library):
        return data.short in ("object", "object_")
    return data in ("object", "O")


def _of_objects(call: Call) -> Value:
    """Return an array of objects: of items of unlike lengths one axis, of others all axes."""
    source = call.given(0, "object", "a")
    if source is None:
        return call.unknown()
    data = source.data
    if isinstance(data, Series) and data.cells is not None:
        made = remade(source, data.cells, dtype="object")
        assert isinstance(made.data, Series)
        made.data.index = None
        return made
    if not isinstance(data, (list, tuple)) or len(data) > MOST_ITEMS:
        shape = arrays.array(as_array(source))
        return new(None if shape is None else shape.shape, "object", source.origins)
    origins = merged(source, *data[:24]) | {call.place}
    count = Value(len(data), origins)
    lengths = [_length_of(item) for item in data]
    alike = len(set(lengths)) == 1 and lengths[0] is not None
    if alike:
        rows = [as_array(item) for item in data]
        shapes = [row.data.sizes for row in rows if isinstance(row.data, Array)]
        if len(set(shapes)) == 1 and shapes[0] is not None and len(shapes) == len(rows):
            inner = rows[0].data
            assert isinstance(inner, Array) and inner.shape is not None
            grid = matrix_values.of_rows(rows, count, inner.shape[0], Value(None, origins))
            cells = None if grid is None else matrix_values.grid_of(grid)
            if cells is not None and len(inner.shape) == 1:
                whole = matrix_values.of_columns(cells, count, inner.shape[0], "object", source)
                if whole is not None:
                    return Value(whole.data, origins)
            return new((count, *inner.shape), "object", origins)
        return new(None, "object", origins)
    if None in lengths and set(lengths) != {None}:
        return new((count,), "object", origins)
    if not all(is_cell(item) for item in data):
        return new((count,), "object", origins)
    held = tuple(as_cell(item) for item in data)
    lines = [line for item in data for line in [matrix_values.line_of(item)] if line is not None]
    series = Series((count,), "object", "numpy", cells=held)
    series.lines = tuple(lines) if len(lines) == len(held) else ()
    return Value(series, origins)


def _length_of(item: Value) -> object:
    """Return the length of an item that is a sequence or an array, None of others."""
    data = item.data
    if isinstance(data, (list, tuple)):
        return len(data)
    if isinstance(data, Array) and data.shape and size(data.shape[0]) is not None:
        return size(data.shape[0])
    return None


def _grid_as(given: Value, dtype: str) -> Value | None:
    """Return an array of two axes with known cells as another dtype has them."""
    columns, data = matrix_values.grid_of(given), arrays.array(given)
    if columns is None or data is None or data.shape is None or dtype == "object":
        return None
    rows, width = data.shape
    return matrix_values.of_columns(columns, rows, width, dtype, given)


def _chosen(made: Value, source: Value | None, call: Call) -> Value:
    """Return an array; where it is made of Python's numbers, the call chooses its dtype."""
    if source is None or not isinstance(source.data, (list, tuple)):
        return made
    return Value(made.data, made.origins | {call.place})


def _is_text(value: Value) -> bool:
    """Whether a value is, or holds as its first item, a text that is no number."""
    data = value.data
    if isinstance(data, (list, tuple)):
        return any(_is_text(item) for item in data[:200] if isinstance(item, Value))
    if not isinstance(data, str):
        return False
    try:
        float(data)
    except ValueError:
        return True
    return False


@MODELS.function("numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full")
def _filled(interpreter: Interpreter, call: Call) -> Value:
    full = call.name.endswith("full")
    shape = shape_of(interpreter, call.given(0, "shape"))
    fill = call.given(1, "fill_value") if full else None
    number = None if fill is None else size(fill)
    default = "float64"
    if full:
        inner = arrays.array(as_array(fill))
        default = (inner.dtype if inner is not None else None) or ""
    dtype = wanted_dtype(call, 2 if full else 1, default or None)
    constant = {"zeros": 0, "ones": 1}.get(call.name.rpartition(".")[2], number)
    bounds = (constant, constant) if dtype and "int" in dtype else (None, None)
    return new(shape, dtype, _whole(call), bounds)


@MODELS.function("numpy.zeros_like", "numpy.ones_like", "numpy.empty_like", "numpy.full_like")
def _filled_like(_: Interpreter, call: Call) -> Value:
    given = as_array(call.given(0, "a", "prototype"))
    data = arrays.array(given)
    assert data is not None
    at = 2 if call.name.endswith("full_like") else 1
    return new(data.shape, wanted_dtype(call, at, data.dtype), given.origins)


@MODELS.function("numpy.eye", "numpy.identity")
def _eye(_: Interpreter, call: Call) -> Value:
    rows = call.given(0, "N", "n")
    columns = call.given(1, "M") if call.name.endswith("eye") else None
    if rows is None:
        return call.unknown()
    other = rows if columns is None or columns.data is None else columns
    at = 3 if call.name.endswith("eye") else 1
    return new((_dim(rows), _dim(other)), wanted_dtype(call, at, "float64"), _whole(call))


@MODELS.function("numpy.arange")
def _arange(_: Interpreter, call: Call) -> Value:
    bounds = [v for v in (call.given(i, n) for i, n in enumerate(("start", "stop", "step"))) if v]
    numbers = [v.data for v in bounds]
    origins = merged(*bounds)
    if not bounds or not all(
        isinstance(n, (int, float)) and not isinstance(n, bool) for n in numbers
    ):
        return new((Value(UNKNOWN, origins),), wanted_dtype(call, 3, None), origins)
    known = [n for n in numbers if isinstance(n, (int, float))]
    start, stop, step = [*([0] if len(known) == 1 else []), *known, 1][:3]
    whole = all(isinstance(n, int) for n in known)
    if not step:
        return call.unknown()
    count = max(0, math.ceil((stop - start) / step))
    edges = (int(start), int(start + (count - 1) * step)) if whole and count else (None, None)
    if whole and step < 0:
        edges = edges[::-1]
    dtype = wanted_dtype(call, 3, "int64" if whole else "float64")
    return new((Value(count, origins),), dtype, origins, edges if whole else (None, None))


@MODELS.function("numpy.linspace", "numpy.logspace", "numpy.geomspace")
def _linspace(_: Interpreter, call: Call) -> Value:
    count = call.given(2, "num") or Value(50)
    made = new((_dim(count),), wanted_dtype(call, 5, "float64"), _whole(call))
    step = call.keywords.get("retstep")
    return Value((made, Value(UNKNOWN))) if step is not None and step.data is True else made


@MODELS.function("numpy.meshgrid")
def _meshgrid(_: Interpreter, call: Call) -> Value:
    given = [as_array(arg) for arg in call.args]
    data = [arrays.array(value) for value in given]
    sizes = [d.shape[0] if d is not None and d.shape else Value(UNKNOWN) for d in data]
    indexing = call.keywords.get("indexing")
    if (indexing is None or indexing.data != "ij") and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    made = [new(sizes, d.dtype if d is not None else None, _whole(call)) for d in data]
    return Value(list(made), _whole(call))


@MODELS.subscript("numpy.mgrid", "numpy.ogrid")
def _grid(_: Interpreter, call: Call) -> Value:
    lengths: list[Value] = []
    dtype: str | None = "int64"
    for part in call.args:
        held = part.data
        if not isinstance(held, LibraryObject) or held.short != "slice":
            return call.unknown()
        lengths.append(_grid_length(held.args))
        if any(isinstance(bound.data, float) for bound in held.args):
            dtype = "float64"
        elif any(size(bound) is None and bound.data is not None for bound in held.args):
            dtype = None
    origins = merged(*lengths)
    if call.name == "numpy.mgrid":
        if len(lengths) == 1:
            return new(lengths, dtype, origins)
        return new((Value(len(lengths)), *lengths), dtype, origins)
    made = []
    for i, length in enumerate(lengths):
        dims = [length if i == j else Value(1) for j in range(len(lengths))]
        made.append(new(dims, dtype, length.origins))
    return Value(list(made), origins)


def _grid_length(bounds: Sequence[Value]) -> Value:
    """Return how many points a slice has; an imaginary step is their number and not known here."""
    low, high = (0 if b.data is None else size(b) for b in bounds[:2])
    step = 1 if len(bounds) < 3 or bounds[2].data is None else size(bounds[2])
    if low is None or high is None or not step:
        return Value(UNKNOWN, merged(*bounds))
    return Value(len(range(low, high, step)), merged(*bounds))


@MODELS.function("numpy.memmap")
def _memory_map(interpreter: Interpreter, call: Call) -> Value:
    wanted = call.given(4, "shape")
    shape = None if wanted is None or wanted.data is None else shape_of(interpreter, wanted)
    if wanted is None or wanted.data is None:
        shape = (Value(UNKNOWN, _whole(call)),)
    return new(shape, wanted_dtype(call, 1, "uint8"), _whole(call))


@MODELS.function("numpy.fromiter", "numpy.frombuffer", "numpy.fromstring", "numpy.fromfile")
def _from_buffer(_: Interpreter, call: Call) -> Value:
    return new((Value(UNKNOWN),), wanted_dtype(call, 1, "float64"), _whole(call))


# Chance. ``Generator`` is what ``default_rng`` gives; ``RandomState`` the older object.

_OBJECTS = ("Generator", "RandomState")
_SIZE_AT = {
    **dict.fromkeys(("normal", "uniform", "laplace", "gamma", "beta", "binomial", "gumbel"), 2),
    **dict.fromkeys(("lognormal", "logistic", "triangular", "negative_binomial", "vonmises"), 2),
    **dict.fromkeys(("poisson", "exponential", "chisquare", "geometric", "pareto", "rayleigh"), 1),
    **dict.fromkeys(("random", "random_sample", "standard_normal", "ranf", "sample"), 0),
    **dict.fromkeys(("randint", "integers", "random_integers"), 2),
}
_COUNTS = ("binomial", "poisson", "geometric", "negative_binomial")
_RANGES = ("randint", "integers", "random_integers")


@MODELS.function("numpy.random.default_rng", "numpy.random.Generator", "numpy.random.RandomState")
def _generator(_: Interpreter, call: Call) -> Value:
    last = call.name.rpartition(".")[2]
    return thing(f"numpy.random.{'Generator' if last == 'default_rng' else last}", call)


def _drawn(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    at = _SIZE_AT[name]
    wanted = call.given(at, "size")
    dtype = "int64" if name in (*_COUNTS, *_RANGES) else "float64"
    asked = call.keywords.get("dtype")
    dtype = dtype_name(asked) or dtype if asked is not None else dtype
    bounds: tuple[int | None, int | None] = (None, None)
    if name in _RANGES:
        low, high = call.given(0, "low"), call.given(1, "high")
        if high is None or high.data is None:
            low, high = Value(0), low
        first, last = size(low), size(high)
        closed = call.keywords.get("endpoint", Value(name == "random_integers")).data
        if first is not None and last is not None and isinstance(closed, bool):
            if last < first + (not closed):
                raise Raised("value", "low >= high", *(v for v in (low, high) if v is not None))
            bounds = (first, last - (not closed))
    if wanted is None or wanted.data is None:
        parts = [as_array(arg).data for arg in call.args[:at]]
        shapes = [p.shape for p in parts if isinstance(p, Array)]
        if all(shape == () for shape in shapes):
            if bounds[0] is not None and bounds[0] == bounds[1]:
                return Value(bounds[0], _whole(call))
            if dtype not in ("int64", "float64"):
                return Value(UNKNOWN, _whole(call))
            whole = Value(None, _whole(call))
            return arrays.number(dtype, whole, lowest=bounds[0], highest=bounds[1])
        return new(shapes[0] if len(shapes) == 1 else None, dtype, _whole(call), bounds)
    return new(shape_of(interpreter, wanted), dtype, _whole(call), bounds)


for _name in _SIZE_AT:
    MODELS.function(f"numpy.random.{_name}")(_drawn)
    for _kind in _OBJECTS:
        MODELS.method(_kind, _name)(_drawn)


@MODELS.function("numpy.random.rand", "numpy.random.randn")
@MODELS.method("RandomState", "rand", "randn")
def _rand(_: Interpreter, call: Call) -> Value:
    if not call.args:
        return arrays.number("float64")
    return new([_dim(arg) for arg in call.args], "float64", _whole(call))


@MODELS.function("numpy.random.permutation")
@MODELS.method("Generator", "permutation", "permuted")
@MODELS.method("RandomState", "permutation")
def _permutation(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "x")
    number = size(given)
    if given is not None and number is not None:
        if 0 < number <= MOST_ITEMS:
            cells = _some_order(number)
            made = Series((_dim(given),), "int64", "numpy", None, 0, number - 1, cells)
            return Value(made, given.origins)
        return new((_dim(given),), "int64", given.origins, (0, number - 1))
    return as_array(given) if given is not None and given.known else call.unknown()


@functools.lru_cache(16)
def _some_order(number: int) -> tuple[int, ...]:
    """Return an order that chance may give; sorted items do not stay sorted with it."""
    return tuple(Draws(0).permutation(number))


@MODELS.function("numpy.random.choice")
@MODELS.method("Generator", "choice")
@MODELS.method("RandomState", "choice")
def _choice(interpreter: Interpreter, call: Call) -> Value:
    given, wanted = call.given(0, "a"), call.given(1, "size")
    number = size(given)
    replaced = call.given(2, "replace")
    pool = as_array(given).data if given is not None and number is None else None
    length = given if number is not None else None
    dtype = "int64" if number is not None else None
    rest: tuple[Value, ...] = ()
    bounds: tuple[int | None, int | None] = (0, number - 1) if number else (None, None)
    if isinstance(pool, Array):
        dtype, bounds = pool.dtype, (pool.lowest, pool.highest)
        if pool.shape:
            length, rest = pool.shape[0], pool.shape[1:]
        elif pool.shape is None:
            return call.unknown()
    _ask_choice(call, given, length, rest)
    if wanted is None or wanted.data is None:
        is_one = rest or number is not None
        return new(rest, dtype, _whole(call), bounds) if is_one else call.unknown()
    shape = shape_of(interpreter, wanted)
    if shape and len(shape) == 1 and replaced is not None and replaced.data is False:
        many, few = size(shape[0]), size(length)
        if many is not None and few is not None and many > few and length is not None:
            raise Raised("value", "Cannot take a larger sample than population", wanted, length)
    return new(None if shape is None else (*shape, *rest), dtype, _whole(call), bounds)


def _ask_choice(
    call: Call, given: Value | None, length: Value | None, rest: tuple[Value, ...]
) -> None:
    """Raise where there is nothing to choose from, or probabilities are not those of the items.

    Source: NumPy, ``RandomState.choice`` and ``Generator.choice``; only the second one chooses
    among the rows of a matrix.
    """
    is_legacy = call.receiver is None or call.receiver.data is UNKNOWN
    if given is not None and rest and is_legacy:
        raise Raised("size", "a must be 1-dimensional", Value(1 + len(rest), given.origins))
    number = size(length)
    if length is not None and number is not None and number <= 0:
        raise Raised("value", "a must be greater than 0 unless no samples are taken", length)
    shares = call.given(3, "p")
    held = arrays.array(as_array(shares)) if shares is not None else None
    if shares is None or held is None or held.shape is None or length is None:
        return
    if held.shape:
        arrays.same(length, held.shape[0], "'a' and 'p' must have same size")
    items = shares.data if isinstance(shares.data, (list, tuple)) else ()
    plain = [item.data for item in items if isinstance(item.data, (int, float))]
    if not plain or len(plain) != len(items):
        return
    if min(plain) < 0:
        raise Raised("value", "probabilities are not non-negative", shares)
    if abs(sum(plain) - 1) > 1e-8**0.5:
        raise Raised("value", "probabilities do not sum to 1", shares)


@MODELS.function("numpy.random.multivariate_normal", "numpy.random.dirichlet")
@MODELS.method("Generator", "multivariate_normal", "dirichlet", "multinomial")
def _vectors(interpreter: Interpreter, call: Call) -> Value:
    first = arrays.array(as_array(call.given(0, "mean", "alpha")))
    at = 2 if call.name.endswith("multivariate_normal") else 1
    wanted = call.given(at, "size")
    if first is None or first.shape is None or "multinomial" in call.name:
        return call.unknown()
    shape = () if wanted is None or wanted.data is None else shape_of(interpreter, wanted)
    return new(None if shape is None else (*shape, *first.shape), "float64", _whole(call))


MODELS.function("numpy.random.seed", "numpy.random.shuffle", "numpy.random.set_state")(nothing)
MODELS.method("Generator", "shuffle")(nothing)
MODELS.method("RandomState", "shuffle", "seed")(nothing)


# Joining and dividing.


def _parts(interpreter: Interpreter, value: Value | None) -> list[Array] | None:
    items = listed(interpreter, value)
    if items is None:
        return None
    parts_found = [arrays.array(as_array(item)) for item in items]
    return [element for element in parts_found if element is not None]


@MODELS.function("numpy.concatenate", "numpy.concat")
def _concatenate(interpreter: Interpreter, call: Call) -> Value:
    parts = _parts(interpreter, call.given(0, "arrays"))
    axis = call.given(1, "axis")
    _refuse_none(call.given(0, "arrays"), "concatenate")
    if parts is None:
        return new(None, None, _whole(call))
    if not parts:
        raise Raised("value", "need at least one array to concatenate", *call.args[:1])
    dtype = together([part.dtype for part in parts])
    if axis is not None and size(axis) is None:
        return new(None, dtype, _whole(call))
    at = 0 if axis is None else size(axis) or 0
    shape = arrays.concatenated(parts, at)
    joined = _joined_cells(parts, shape, dtype, at)
    if joined is not None:
        return Value(joined, _joined(call, parts))
    return new(shape, dtype, _joined(call, parts), _span_along(parts, at))


def _joined_cells(
    parts: Sequence[Array], shape: Sequence[Value] | None, dtype: str | None, axis: int
) -> Array | None:
    """Return arrays of known cells one after the other, None where a cell is not known."""
    if axis not in (0, -1) or shape is None or dtype is None:
        return None
    if axis == 0 and all(isinstance(part, matrix_values.Grid) for part in parts):
        return matrix_values.below_each_other(
            [part for part in parts if isinstance(part, matrix_values.Grid)], shape, dtype
        )
    held = [part for part in parts if isinstance(part, Series) and part.cells is not None]
    if len(held) != len(parts) or not affords(sum(len(part.cells or ()) for part in held)):
        return None
    cells: list[object] = []
    for part in held:
        own = part.cells or ()
        same = dtype in (part.dtype, "object")
        cast = own if same else converted(own, dtype)
        if cast is None:
            return None
        cells.extend(cast)
    made = Series(tuple(shape), dtype, "numpy", None, *span(held), tuple(cells))
    lines = tuple(line for part in held for line in part.lines)
    made.lines = lines if len(lines) == len(cells) else ()
    return made


def _refuse_none(source: Value | None, what: str) -> None:
    """Raise where there are no arrays to join; what made their number zero is the side."""
    if source is None:
        return
    data = source.data
    if isinstance(data, Lazy) and data.length.data == 0 and not data.others:
        side = Value(0, data.length.origins)
    elif isinstance(data, (list, tuple)) and not data:
        side = source
    else:
        return
    raise Raised("value", f"need at least one array to {what}", side)


def _joined(call: Call, parts: Sequence[Array]) -> Origins:
    return merged(*call.args, *(d for part in parts[:8] for d in part.shape or ()))


def _span_along(parts: Sequence[Array], axis: int) -> tuple[int | None, int | None]:
    """Return the bounds of parts put together: those of columns are not those of one of them."""
    if axis and len({(part.lowest, part.highest) for part in parts}) > 1:
        return None, None
    return span(parts)


@MODELS.function("numpy.stack")
def _stack(interpreter: Interpreter, call: Call) -> Value:
    source = call.given(0, "arrays")
    axis = size(call.given(1, "axis")) if call.given(1, "axis") is not None else 0
    _refuse_none(source, "stack")
    if source is not None and isinstance(source.data, Lazy):
        inner = arrays.array(as_array(source.data.item))
        if not source.data.item.known or inner is None or inner.shape is None or axis:
            return new(None, None if inner is None else inner.dtype, _whole(call))
        return new((source.data.length, *inner.shape), inner.dtype, _whole(call))
    parts = _parts(interpreter, source)
    if parts is None or axis is None:
        return new(None, None, _whole(call))
    if not parts:
        raise Raised("value", "need at least one array to stack", *call.args[:1])
    dtype = together([part.dtype for part in parts])
    shape = arrays.stacked(parts, axis)
    if shape is not None:
        at = axis % len(shape)
        count = Value(shape[at].data, _whole(call))
        shape = (*shape[:at], count, *shape[at + 1 :])
    return new(shape, dtype, _joined(call, parts), _span_along(parts, axis))


def _raised_to(part: Array, rank: int, front: bool) -> Array:
    if part.shape is None or len(part.shape) >= rank:
        return part
    ones = (Value(1),) * (rank - len(part.shape))
    shape = (*ones, *part.shape) if front else (*part.shape, *ones)
    return Array(shape, part.dtype, part.library, None, part.lowest, part.highest)


@MODELS.function("numpy.vstack", "numpy.row_stack", "numpy.hstack", "numpy.column_stack")
@MODELS.function("numpy.dstack")
def _stacks(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    _refuse_none(call.given(0, "tup"), "concatenate")
    parts = _parts(interpreter, call.given(0, "tup"))
    if not parts or name == "dstack":
        return new(None, None, _whole(call))
    dtype = together([part.dtype for part in parts])
    if name == "column_stack":
        parts, axis = [_raised_to(part, 2, False) for part in parts], 1
    elif name == "hstack":
        parts = [_raised_to(part, 1, True) for part in parts]
        axis = 0 if parts[0].shape is None or len(parts[0].shape) == 1 else 1
    else:
        parts, axis = [_raised_to(part, 2, True) for part in parts], 0
    bounds = _span_along(parts, axis)
    return new(arrays.concatenated(parts, axis), dtype, _joined(call, parts), bounds)


@MODELS.function("numpy.append")
def _append(interpreter: Interpreter, call: Call) -> Value:
    axis = call.given(2, "axis")
    pair = Value(list(call.args[:2]), merged(*call.args[:2]))
    if axis is not None and axis.data is not None:
        named = {"axis": axis}
        return _concatenate(interpreter, Call("numpy.concatenate", (pair,), named, call.place))
    parts = _parts(interpreter, pair) or []
    counts = [None if p.shape is None else size(arrays.product(p.shape)) for p in parts]
    total = None if None in counts or len(counts) != 2 else sum(n for n in counts if n is not None)
    length = Value(UNKNOWN if total is None else total, _whole(call))
    return new((length,), together([part.dtype for part in parts]), _whole(call), span(parts))


@MODELS.function("numpy.split", "numpy.array_split", "numpy.hsplit", "numpy.vsplit")
def _split(interpreter: Interpreter, call: Call) -> Value:
    given, wanted = as_array(call.given(0, "ary")), call.given(1, "indices_or_sections")
    data = arrays.array(given)
    axis = call.given(2, "axis")
    at = 1 if call.name.endswith("hsplit") else 0 if axis is None else size(axis)
    if data is None or data.shape is None or at is None or wanted is None:
        return call.unknown()
    at = axis_of(at, len(data.shape)) or 0
    length, sections = size(data.shape[at]), size(wanted)
    pieces: list[int] = []
    if sections is not None and length is not None and sections > 0:
        if length % sections and not call.name.endswith("array_split"):
            message = "array split does not result in an equal division"
            raise Raised("value", message, data.shape[at], wanted)
        pieces = [length // sections + (i < length % sections) for i in range(sections)]
    else:
        cuts = [size(item) for item in listed(interpreter, wanted) or []]
        if length is None or not cuts or None in cuts:
            return call.unknown()
        edges = [
            0,
            *(min(c % length if c < 0 else c, length) for c in cuts if c is not None),
            length,
        ]
        pieces = [max(0, b - a) for a, b in itertools.pairwise(edges)]
    if len(pieces) > MOST_ITEMS:
        return call.unknown()
    origins = merged(data.shape[at], wanted)
    made = [
        new((*data.shape[:at], Value(n, origins), *data.shape[at + 1 :]), data.dtype, given.origins)
        for n in pieces
    ]
    return Value(made, origins)


@MODELS.function("numpy.tile", "numpy.repeat")
@MODELS.method("array", "repeat_numpy")
def _repeated(interpreter: Interpreter, call: Call) -> Value:
    given = as_array(call.given(0, "A", "a"))
    data, times = arrays.array(given), call.given(1, "reps", "repeats")
    if data is None or data.shape is None or times is None:
        return new(None, data.dtype if data is not None else None, _whole(call))
    shape: list[Value] = list(data.shape)
    bounds = (data.lowest, data.highest)
    if call.name.endswith("tile"):
        reps = shape_of(interpreter, times)
        if reps is None:
            return new(None, data.dtype, _whole(call))
        width = max(len(reps), len(shape))
        shape = [Value(1)] * (width - len(shape)) + shape
        factors = [Value(1)] * (width - len(reps)) + list(reps)
        shape = [arrays.product([a, b]) for a, b in zip(shape, factors, strict=True)]
        return new(shape, data.dtype, given.origins, bounds)
    axis = call.given(2, "axis")
    if size(times) is None:
        return new(None, data.dtype, _whole(call), bounds)
    if axis is None or axis.data is None:
        return new((arrays.product([*shape, times]),), data.dtype, given.origins, bounds)
    at = axis_of(axis, len(shape))
    if at is None:
        return new(None, data.dtype, _whole(call), bounds)
    shape[at] = arrays.product([shape[at], times])
    return new(shape, data.dtype, given.origins, bounds)


@MODELS.function("numpy.pad")
def _pad(interpreter: Interpreter, call: Call) -> Value:
    given, width = as_array(call.given(0, "array")), call.given(1, "pad_width")
    data = arrays.array(given)
    if data is None or data.shape is None or width is None:
        return new(None, data.dtype if data is not None else None, _whole(call))
    pairs = _widths(interpreter, width, len(data.shape))
    if pairs is None:
        dims = [unknown(dim, width) for dim in data.shape]
        return new(dims, data.dtype, _whole(call))
    shape: list[Value] = []
    for dim, (before, after) in zip(data.shape, pairs, strict=True):
        parts = (size(dim), size(before), size(after))
        if any(n is not None and n < 0 for n in parts[1:]):
            raise Raised("value", "index can't contain negative values", before, after, dim)
        if None in parts:
            lengths = [dim, *map(arrays.length_of, (before, after))]
            shape.append(arrays.filled_length(lengths) or unknown(dim, before, after))
            continue
        total = sum(n for n in parts if n is not None)
        shape.append(Value(total, merged(dim, before, after)))
    return new(shape, data.dtype, _whole(call))


def _widths(interpreter: Interpreter, width: Value, rank: int) -> list[tuple[Value, Value]] | None:
    if size(width) is not None:
        return [(width, width)] * rank
    items = listed(interpreter, width)
    if not items:
        return None
    if all(size(item) is not None for item in items):
        pair = (items[0], items[-1])
        return [pair] * rank if len(items) <= 2 else None
    pairs = [listed(interpreter, item) for item in items]
    widths = [(p[0], p[1]) for p in pairs if p is not None and len(p) == 2]
    if len(widths) == len(pairs) == 1:
        return widths * rank
    return widths if len(widths) == rank else None


# What tensors have as methods, NumPy has as functions.

_METHODS = {
    **{
        name: name
        for name in (
            *("sum", "mean", "max", "min", "std", "var", "median", "prod", "any", "all", "argmax"),
            *("argmin", "cumsum", "cumprod", "reshape", "transpose", "squeeze", "swapaxes", "clip"),
            *("round", "abs", "absolute", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
            *(
                "sqrt",
                "sin",
                "cos",
                "tan",
                "sinh",
                "cosh",
                "tanh",
                "floor",
                "ceil",
                "trunc",
                "sign",
            ),
            *("square", "negative", "reciprocal", "isnan", "isinf", "isfinite", "logical_not"),
            *("nan_to_num", "flip", "fliplr", "flipud", "roll", "triu", "tril", "add", "subtract"),
            *("multiply", "divide", "true_divide", "floor_divide", "mod", "maximum", "minimum"),
            *("power", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
            *("logical_and", "logical_or", "logical_xor", "isclose", "outer", "moveaxis", "conj"),
            *("dot", "matmul", "trace", "diagonal", "kron", "arctan2", "hypot", "inner", "vdot"),
            *("bincount", "count_nonzero", "nanmean", "nansum", "cross"),
        )
    },
    "amax": "max",
    "amin": "min",
    "ravel": "flatten",
    "around": "round",
    "fabs": "abs",
    "nanmax": "max",
    "nanmin": "min",
    "nanstd": "std",
    "nanvar": "var",
    "average": "mean",
    "power": "pow",
    "mod": "remainder",
    "expand_dims": "unsqueeze",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "rint": "round",
    "equal": "eq",
    "not_equal": "ne",
}
_SCALAR: dict[str, Callable[[float], object]] = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log2", "log10", "log1p")},
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "tanh", "isnan", "isinf")},
    "ceil": lambda x: float(math.ceil(x)),
    "floor": lambda x: float(math.floor(x)),
    "abs": abs,
    "square": lambda x: x * x,
    "isfinite": math.isfinite,
}
_OF_TESTS = dict.fromkeys(("isnan", "isinf", "isfinite"), "bool")
_OF_ANY = (list, tuple, Array, Table, Lazy)


WRAPPED = frozenset(
    (
        *("argmax", "argmin", "cumsum", "cumprod", "squeeze", "round", "around", "abs", "absolute"),
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan"),
        *("tanh", "floor", "ceil", "trunc", "sign", "square", "negative", "reciprocal", "isnan"),
        *("isinf", "isfinite", "logical_not", "conj", "fabs", "add", "subtract", "multiply"),
        *("divide", "maximum", "minimum", "power", "equal", "greater", "less", "logical_and"),
        *("arctan2", "hypot", "matmul", "clip", "reshape", "transpose", "swapaxes"),
    )
)
"""Functions of NumPy that give a tensor for a tensor (``Tensor.__array_wrap__``; tried)."""


_TO_FLOATS = frozenset(
    (
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan"),
        *("sinh", "cosh", "tanh", "arcsin", "arccos", "arctan"),
    )
)
_AS_THEY_ARE = frozenset(("abs", "absolute", "square", "negative", "sign", "floor", "ceil"))


def _of_table(name: str, first: Value, table: Table, call: Call) -> Value | None:
    """Return the table that a function gives item by item of a table, None of other functions."""
    if len(call.args) + len(call.keywords) != 1 or "object" in table.columns.values():
        return None
    if name in _TO_FLOATS:
        kinds: dict[str | None, str | None] = {"float32": "float32", None: None, "float16": None}
        columns = {n: kinds.get(d, "float64") for n, d in table.columns.items()}
    elif name in _OF_TESTS:
        columns = dict.fromkeys(table.columns, "bool")
    elif name in _AS_THEY_ARE:
        columns = {n: d if d in ("int64", "float64") else None for n, d in table.columns.items()}
        if name in ("floor", "ceil"):
            columns = {n: d if d == "float64" else None for n, d in columns.items()}
    else:
        return None
    made = Table(columns, table.rows, dict(table.origins_of), index_names=table.index_names)
    return Value(made, first.origins)


def _by_method(interpreter: Interpreter, call: Call) -> Value:
    """Return what the method of the same meaning gives, of the first argument as an array."""
    last = call.name.rpartition(".")[2]
    first = call.given(0, "a", "x", "arr", "m", "x1")
    if first is None:
        return call.unknown()
    if last in _SCALAR and isinstance(first.data, (int, float)):
        try:
            return Value(_SCALAR[last](first.data), first.origins)
        except (ValueError, OverflowError):
            return Value(UNKNOWN, first.origins)
    known = first.data if isinstance(first.data, _OF_ANY) else None
    second = call.args[1] if len(call.args) > 1 else None
    if known is None:
        if second is None or not isinstance(second.data, Array) or last not in _METHODS:
            return call.unknown()
        if last in ("dot", "matmul", "outer", "power", "expand_dims"):
            return call.unknown()
    if isinstance(first.data, Table):
        made = _of_table(last, first, first.data, call)
        if made is not None:
            return made
    method = _METHODS[last]
    receiver = as_array(first)
    model = MODELS.methods.get(("array", method))
    if model is None:
        return new(None, None, _whole(call))
    rest = [_operand(arg) for arg in (call.args[1:] if call.args else ())]
    named = {
        name: value
        for name, value in call.keywords.items()
        if name not in ("a", "x", "arr", "m", "x1", "out", "where", "dtype", "weights", "decimals")
    }
    result = model(interpreter, Call(method, tuple(rest), named, call.place, receiver))
    data = arrays.array(result)
    given = first.data
    if isinstance(given, Array) and given.library == "torch" and last in WRAPPED:
        return arrays.made(given, data.shape, result, dtype=data.dtype) if data else result
    asked = call.keywords.get("dtype")
    if data is not None and asked is not None:
        return as_column(new(data.shape, dtype_name(asked), result.origins), first)
    if isinstance(result.data, tuple) and method in ("max", "min", "median"):
        return result.data[0] if isinstance(result.data[0], Value) else unknown(result)
    return as_column(result, first)


def _operand(value: Value) -> Value:
    data = value.data
    if isinstance(data, (list, tuple)) and data and not _is_shape(data):
        return as_array(value)
    return value


def _is_shape(items: Sequence[object]) -> bool:
    return all(isinstance(i, Value) and (size(i) is not None or not i.known) for i in items)


MODELS.function(*(f"numpy.{name}" for name in _METHODS if name not in _SCALAR))(_by_method)


@MODELS.function(*(f"numpy.{name}" for name in _METHODS if name in _SCALAR))
@MODELS.numbers
def _of_scalar(interpreter: Interpreter, call: Call) -> Value:
    """Return a number of Python's for one whose value is not known."""
    first = call.given(0, "x")
    if first is None or not arrays.is_number(first):
        return _by_method(interpreter, call)
    last = call.name.rpartition(".")[2]
    if last in ("abs", "square"):
        return Value(UNKNOWN, first.origins) if last == "square" else first
    return arrays.number(_OF_TESTS.get(last, "float64"), first)


@MODELS.function("numpy.where")
def _where(_: Interpreter, call: Call) -> Value:
    given = [as_array(arg) for arg in call.args]
    data = [item.data for item in given if isinstance(item.data, Array)]
    if len(data) == 1:
        rank = None if data[0].shape is None else len(data[0].shape)
        result = new((Value(UNKNOWN, given[0].origins),), "int64", given[0].origins)
        return call.unknown() if rank is None else Value((result,) * max(rank, 1), given[0].origins)
    if len(data) != 3 or any(item.shape is None for item in data):
        return new(None, together([item.dtype for item in data[1:]]), _whole(call))
    shape = arrays.broadcast(
        data[0].shape or (), arrays.broadcast(data[1].shape or (), data[2].shape or ())
    )
    return new(shape, together([item.dtype for item in data[1:]]), _whole(call), span(data[1:]))


@MODELS.function("numpy.unique")
def _unique(_: Interpreter, call: Call) -> Value:
    """Return the sorted distinct elements; their number is not known but of a known list."""
    source = call.given(0, "ar")
    given = as_array(source)
    data = arrays.array(given)
    assert data is not None
    count = Value(UNKNOWN, given.origins)
    if source is not None and isinstance(source.data, (list, tuple)):
        items = [item.data for item in source.data if isinstance(item, Value)]
        if items and all(isinstance(item, (int, float, str)) for item in items):
            count = Value(len(set(items)), given.origins)
    bounds = (data.lowest, data.highest)
    result = new((count,), data.dtype, given.origins, bounds)
    extras = ("return_index", "return_inverse", "return_counts")
    asked = [name for name in extras if name in call.keywords and call.keywords[name].data]
    if call.keywords.get("axis") is not None:
        return call.unknown()
    whole = None if data.shape is None else (arrays.product(data.shape),)
    more = [
        new((count,) if n != "return_inverse" else whole, "int64", given.origins) for n in asked
    ]
    return Value((result, *more), given.origins) if more else result


@MODELS.function("numpy.sort", "numpy.argsort", "numpy.argpartition", "numpy.partition")
@MODELS.method("array", "argpartition", "partition")
def _sort(_: Interpreter, call: Call) -> Value:
    source = call.receiver if call.receiver is not None else call.given(0, "a")
    given = as_array(source)
    data = arrays.array(given)
    assert data is not None
    if "arg" not in call.name:
        return new(data.shape, data.dtype, given.origins, (data.lowest, data.highest))
    last = size(data.shape[-1]) if data.shape else None
    return new(data.shape, "int64", given.origins, (0, last - 1) if last else (None, None))


@MODELS.function("numpy.stack_arrays", "numpy.broadcast_to")
def _broadcast_to(interpreter: Interpreter, call: Call) -> Value:
    given, wanted = as_array(call.given(0, "array")), shape_of(interpreter, call.given(1, "shape"))
    data = arrays.array(given)
    if data is None or wanted is None:
        return call.unknown()
    shape = None if data.shape is None else arrays.broadcast(data.shape, wanted)
    return new(shape, data.dtype, given.origins, (data.lowest, data.highest))


@MODELS.function("numpy.linalg.norm")
def _norm(interpreter: Interpreter, call: Call) -> Value:
    given, axis = as_array(call.given(0, "x")), call.given(2, "axis")
    model = MODELS.methods.get(("array", "mean"))
    if model is None:
        return call.unknown()
    named = {k: v for k, v in call.keywords.items() if k in ("keepdims",)}
    args = () if axis is None else (axis,)
    result = model(interpreter, Call("mean", args, named, call.place, given))
    data = arrays.array(result)
    if data is None and isinstance(result.data, (int, float)):
        return arrays.number("float64", given)
    return result if data is None else new(data.shape, "float64", result.origins)


@MODELS.function("numpy.searchsorted", "numpy.digitize")
def _searchsorted(_: Interpreter, call: Call) -> Value:
    digitized = call.name.endswith("digitize")
    wanted = call.given(0 if digitized else 1, "x" if digitized else "v")
    column = call.given(0, "a")
    side = call.given(2, "side") or Value("left")
    if not digitized and column is not None and wanted is not None and len(call.args) < 4:
        cells = column.data.cells if isinstance(column.data, Series) else None
        number = wanted.data
        numbers = [cell for cell in cells or () if isinstance(cell, (int, float))]
        is_whole = len(numbers) == len(cells or ())
        if (
            cells
            and is_whole
            and isinstance(number, (int, float))
            and side.data in ("left", "right")
        ):
            at_right = side.data == "right"
            at = bisect_right(numbers, number) if at_right else bisect_left(numbers, number)
            return Value(at, _whole(call))
    given = as_array(wanted)
    data = arrays.array(given)
    return new(None if data is None else data.shape, "int64", _whole(call))


@MODELS.function("numpy.einsum")
def _einsum(interpreter: Interpreter, call: Call) -> Value:
    model = MODELS.functions.get("torch.einsum")
    if model is None or call.keywords or len(call.args) < 2:
        return call.unknown()
    operands = [as_array(arg) for arg in call.args[1:]]
    args = (call.args[0], *operands)
    result = model(interpreter, Call("torch.einsum", args, {}, call.place))
    data = arrays.array(result)
    kinds = [operand.data.dtype for operand in operands if isinstance(operand.data, Array)]
    return result if data is None else new(data.shape, together(kinds), result.origins)


# Files.


@MODELS.function("numpy.loadtxt", "numpy.genfromtxt")
def _loadtxt(interpreter: Interpreter, call: Call) -> Value:
    """Return the rows and columns of a text file, as ``numpy.loadtxt`` would read it."""
    path = call.given(0, "fname")
    text = text_in(interpreter, file := file_of(interpreter, path))
    dtype = wanted_dtype(call, 1, "float64")
    skip = next((v for n, v in call.keywords.items() if n in ("skiprows", "skip_header")), Value(0))
    mark = call.keywords.get("delimiter", Value(None))
    rest = call.keywords.keys() - {"delimiter", "skiprows", "skip_header", "dtype", "encoding"}
    start = size(skip)
    if text is None or file is None or start is None or rest:
        return new(None, dtype, _whole(call))
    if mark.data is not None and not isinstance(mark.data, str):
        return new(None, dtype, _whole(call))
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.split("\n")[start:], start + 1):
        written = line.partition("#")[0].strip()
        if written:
            rows.append((number, written.split(mark.data)))
    if not rows:
        return new(None, dtype, _whole(call))
    width = len(rows[0][1])
    place = frozenset({(file, rows[0][0])})
    for number, cells in rows:
        own_origins = frozenset({(file, number)})
        if len(cells) != width:
            sides = Value(len(cells), own_origins), Value(width, place)
            raise Raised("value", "the number of columns changed", *sides)
        if call.name.endswith("loadtxt") and dtype != "object":
            for cell in cells:
                _check_number(cell, own_origins)
    origins = _whole(call) | place
    shape = [Value(n, origins) for n in (len(rows), width) if n != 1]
    return new(shape, dtype, origins)


def _check_number(cell: str, place: Origins) -> None:
    try:
        float(cell)
    except ValueError:
        message = f"could not convert string {cell.strip()!r} to float64"
        raise Raised("value", message, Value(cell, place)) from None


@MODELS.function("numpy.savetxt")
def _save_text(interpreter: Interpreter, call: Call) -> Value:
    note_written(interpreter, call.given(0, "fname"))
    return Value(None)


@MODELS.function("numpy.save")
def _save(interpreter: Interpreter, call: Call) -> Value:
    path = _with_suffix(call.given(0, "file"), ".npy")
    keep(interpreter, path, "array", call.given(1, "arr"))
    return Value(None)


@MODELS.function("numpy.savez", "numpy.savez_compressed")
def _save_archive(interpreter: Interpreter, call: Call) -> Value:
    held = {f"arr_{at}": array for at, array in enumerate(call.args[1:])}
    held |= {name: array for name, array in call.keywords.items() if name != "file"}
    path = _with_suffix(call.given(0, "file"), ".npz")
    keep(interpreter, path, "archive", Value(held))
    return Value(None)


def _with_suffix(path: Value | None, suffix: str) -> Value | None:
    """Return a path with the suffix that NumPy adds where it is missing."""
    text = text_of(path)
    if path is None or text is None or text.endswith(suffix):
        return path
    return Value(text + suffix, path.origins)


MODELS.function("numpy.set_printoptions", "numpy.seterr", "numpy.testing.assert_allclose")(nothing)
MODELS.function("numpy.copy", "numpy.asfortranarray", "numpy.require")(first_argument)


# Scalar types, and methods that tensors do not have.

_SCALARS = {
    **dict.fromkeys(("float16", "float32", "float64", "double", "single"), float),
    **dict.fromkeys(("int8", "int16", "int32", "int64", "uint8", "intp", "int_"), int),
    "bool_": bool,
}


@MODELS.function(*(f"numpy.{name}" for name in _SCALARS))
def _scalar(_: Interpreter, call: Call) -> Value:
    given = call.given(0)
    if given is None:
        return call.unknown()
    last = call.name.rpartition(".")[2]
    if isinstance(given.data, (Array, list, tuple)):
        data = arrays.array(scalar := as_array(given))
        return new(None if data is None else data.shape, _DTYPES[last], scalar.origins)
    if isinstance(given.data, (bool, int, float)):
        try:
            return Value(_SCALARS[last](given.data), given.origins)
        except (ValueError, OverflowError):
            return unknown(given)
    return unknown(given)


@MODELS.method("array", "astype")
def _astype(_: Interpreter, call: Call) -> Value:
    data, wanted = arrays.array(call.receiver), call.given(0, "dtype")
    assert call.receiver is not None
    if data is None or wanted is None:
        return call.unknown()
    if isinstance(wanted.data, str) and wanted.data in ("category", "string"):
        dtype: str | None = "object"
    else:
        dtype = dtype_name(wanted)
    bounds = (data.lowest, data.highest) if dtype and "int" in dtype else (None, None)
    made = Array(data.shape, dtype, data.library, data.device, *bounds)
    return Value(made, merged(call.receiver))


@MODELS.method("array", "tolist")
def _tolist(_: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    assert call.receiver is not None
    return call.unknown() if data is None else items_of(data, call.receiver)


@MODELS.method("array", "fill", "setflags", "tofile", "put", "itemset")
def _in_place(_: Interpreter, call: Call) -> Value:
    data = arrays.array(call.receiver)
    if data is not None:
        data.lowest = data.highest = None
        if isinstance(data, Series):
            data.cells = None
        if isinstance(data, matrix_values.Grid):
            data.columns = None
    return Value(None)


@MODELS.method("array", "dump")
def _dump(interpreter: Interpreter, call: Call) -> Value:
    """Take note of the pickle of an array; ``numpy.load`` reads it where pickles are allowed."""
    keep(interpreter, call.given(0, "file"), PICKLE, call.receiver)
    return Value(None)


@MODELS.method("array", "tobytes", "item_size")
def _bytes(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.attribute("array", "flat", "base", "strides", "flags")
def _attribute_not_known(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.function("numpy.shape", "numpy.ndim", "numpy.size")
def _measured(_: Interpreter, call: Call) -> Value:
    given = as_array(call.given(0, "a"))
    data = arrays.array(given)
    if data is None or data.shape is None:
        return call.unknown()
    if call.name.endswith("shape"):
        return Value(tuple(data.shape), given.origins)
    axis = call.given(1, "axis")
    if call.name.endswith("size") and axis is not None and axis.data is not None:
        at = arrays.axis_of(axis, len(data.shape))
        return call.unknown() if at is None else data.shape[at]
    return Value(len(data.shape)) if call.name.endswith("ndim") else arrays.product(data.shape)


_AT = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "logical_or", "logical_and")


@MODELS.function(*(f"numpy.{name}.at" for name in _AT))
def _at(_: Interpreter, call: Call) -> Value:
    """Change an array at indices, in place: these are whole numbers within it (``ufunc.at``)."""
    whole, given = call.given(0, "a"), call.given(1, "indices")
    data = arrays.array(whole)
    if whole is None or given is None or data is None:
        return Value(None)
    parts = given.data if isinstance(given.data, tuple) else (given,)
    part = operators.indexed(whole, parts, [None] * len(parts))
    value = call.given(2, "b")
    if value is not None:
        operators.check_stored(part, value)
        operators.note_stored(whole, data, Value(UNKNOWN, value.origins))
    return Value(None)


@MODELS.function("numpy.nonzero", "numpy.argwhere", "numpy.flatnonzero")
@MODELS.method("array", "nonzero_numpy")
def _nonzero(_: Interpreter, call: Call) -> Value:
    given = as_array(call.given(0, "a"))
    data = arrays.array(given)
    count = Value(UNKNOWN, given.origins)
    result = new((count,), "int64", given.origins)
    if call.name.endswith("flatnonzero"):
        return result
    if data is None or data.shape is None:
        return call.unknown()
    rank = len(data.shape)
    if call.name.endswith("argwhere"):
        return new((count, Value(rank)), "int64", given.origins)
    return Value((result,) * rank, given.origins)
