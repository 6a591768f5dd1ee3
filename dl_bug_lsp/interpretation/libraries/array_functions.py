"""Linear algebra, Fourier transforms, statistics and index functions of PyTorch and NumPy.

Sources: the pages of ``torch.linalg``, ``torch.fft``, ``numpy.linalg`` and ``numpy.fft``, and of
the functions themselves, in PyTorch's and NumPy's documentation.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array, new, shape_of
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    FLOATING,
    WHOLE,
    Shape,
    Work,
    as_function,
    dims_of,
    dtype_of,
    flag,
    floated,
    like,
    operation,
    promoted,
    subject,
    tensor,
    words,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Raised, Value, merged, unknown

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def shared(*names: str, also: Sequence[str] = ()) -> Callable[[Work], Work]:
    """Register a model as functions of both libraries by ``names``, and by whole names."""

    def keep(work: Work) -> Work:
        def run(_: Interpreter, call: Call) -> Value:
            call = as_function(call)
            if call.name.startswith("numpy."):
                first = call.given(0, "a", "x", "ar", "m", "arr", "A", "input")
                rest = {k: v for k, v in call.keywords.items() if v is not first}
                call = Call(call.name, (as_array(first), *call.args[1:]), rest, call.place)
            pair = subject(call)
            return call.unknown() if pair is None else work(call, *pair)

        whole = [name for name in (*names, *also) if "." in name]
        plain = [name for name in names if "." not in name]
        MODELS.function(*whole, *(f"{lib}.{n}" for lib in ("torch", "numpy") for n in plain))(run)
        return work

    return keep


def both(folder: str, names: str) -> list[str]:
    """Return dotted names in a folder of both libraries (``linalg``, ``fft``)."""
    return [f"{library}.{folder}.{n}" for library in ("torch", "numpy") for n in words(names)]


def made(x: Array, shape: Sequence[Value] | None, dtype: str | None, *parts: Value) -> Value:
    """Return an array of a shape and dtype in the library and on the device of another."""
    return tensor(shape, dtype, *parts, library=x.library, device=x.device)


def several(*values: Value) -> Value:
    """Return a tuple of results."""
    return Value(tuple(values), merged(*values))


def real_of(dtype: str | None) -> str | None:
    """Return the dtype of a complex one's parts."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype or "", dtype)


def complex_of(dtype: str | None, library: str) -> str | None:
    """Return the dtype of a transform's result."""
    if dtype is None or dtype.startswith("complex"):
        return dtype
    if library == "numpy":
        return "complex64" if dtype in ("float32", "float16") else "complex128"
    return "complex128" if dtype == "float64" else "complex64"


# --- linear algebra -------------------------------------------------------------------------------


def _square(x: Array, value: Value) -> None:
    if x.shape is None:
        return
    if len(x.shape) < 2:
        rank = Value(len(x.shape), value.origins)
        raise Raised("size", "the matrix must have at least 2 dimensions", rank, Value(2))
    arrays.same(x.shape[-2], x.shape[-1], "the matrices must be square")


@shared(*both("linalg", "inv cholesky matrix_power matrix_exp"), "torch.matrix_exp")
def _inverse(_: Call, x: Array, value: Value) -> Value:
    _square(x, value)
    return made(x, x.shape, floated(x), value)


operation("inverse", "cholesky")(_inverse)


@shared(*both("linalg", "det eigvalsh eigvals slogdet"), "torch.logdet", "torch.det")
def _determinant(call: Call, x: Array, value: Value) -> Value:
    _square(x, value)
    name = call.name.rpartition(".")[2]
    lead = None if x.shape is None else x.shape[: -1 if name.startswith("eig") else -2]
    dtype = floated(x)
    if name == "eigvals":
        dtype = complex_of(dtype, x.library) if x.library == "torch" else None
    result = made(x, lead, dtype, value)
    return several(result, result) if name == "slogdet" else result


operation("det", "logdet")(_determinant)


@shared(*both("linalg", "eigh eig"), "torch.linalg.eigh")
def _eigen(call: Call, x: Array, value: Value) -> Value:
    _square(x, value)
    dtype = floated(x)
    if call.name.endswith("eig"):
        dtype = complex_of(dtype, x.library) if x.library == "torch" else None
    lead = None if x.shape is None else x.shape[:-1]
    values = floated(x) if call.name.endswith("eigh") else dtype
    return several(made(x, lead, values, value), made(x, x.shape, dtype, value))


def _least(a: Value, b: Value) -> Value:
    x, y = size(a), size(b)
    return Value(UNKNOWN if x is None or y is None else min(x, y), merged(a, b))


@shared(*both("linalg", "svd svdvals qr"), "torch.svd", "torch.qr")
def _factors(call: Call, x: Array, value: Value) -> Value:
    if x.shape is None or len(x.shape) < 2:
        return call.unknown()
    lead, (rows, columns) = x.shape[:-2], x.shape[-2:]
    least, dtype = _least(rows, columns), floated(x)
    if call.name.endswith("qr"):
        mode = call.given(1, "mode")
        if mode is not None and mode.data != "reduced":
            return call.unknown()
        first, second = (*lead, rows, least), (*lead, least, columns)
        return several(made(x, first, dtype, value), made(x, second, dtype, value))
    middle = made(x, (*lead, least), real_of(dtype), value)
    if call.name.endswith("svdvals"):
        return middle
    full = flag(call.given(1, "full_matrices"), default=True)
    if call.name == "torch.svd":
        left, right = (*lead, rows, least), (*lead, columns, least)
    elif full is None:
        return call.unknown()
    else:
        left = (*lead, rows, rows if full else least)
        right = (*lead, columns if full else least, columns)
    return several(made(x, left, dtype, value), middle, made(x, right, dtype, value))


@shared(*both("linalg", "solve lstsq"))
def _solved(call: Call, x: Array, value: Value) -> Value:
    given = call.given(1, "B", "b")
    if given is not None and x.library == "numpy":
        given = as_array(given)
    y = array(given)
    if given is None or y is None or not y.shape or x.shape is None or len(x.shape) != 2:
        return call.unknown()
    is_vector = len(y.shape) == 1
    rows = y.shape[0] if is_vector else y.shape[-2]
    arrays.same(x.shape[0], rows, "the number of rows must be the same")
    rest = () if is_vector else y.shape[-1:]
    dtype = floated(x) if x.dtype == y.dtype else None
    result = made(x, (x.shape[1], *rest), dtype, value, given)
    if call.name.endswith("solve"):
        _square(x, value)
        return result
    free = unknown(value, given)
    return several(result, free, free, free)


@shared(*both("linalg", "pinv"))
def _pseudo_inverse(_: Call, x: Array, value: Value) -> Value:
    shape = None
    if x.shape is not None and len(x.shape) > 1:
        shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
    return made(x, shape, floated(x), value)


@shared(*both("linalg", "matrix_rank"))
def _matrix_rank(_: Call, x: Array, value: Value) -> Value:
    return made(x, None if x.shape is None else x.shape[:-2], "int64", value)


@shared("torch.linalg.matrix_norm")
def _matrix_norm(call: Call, x: Array, value: Value) -> Value:
    if len(call.args) > 1 or call.keywords.keys() - {"ord"}:
        return made(x, None, floated(x), value)
    return made(x, None if x.shape is None else x.shape[:-2], floated(x), value)


@MODELS.function("torch.linalg.multi_dot", "numpy.linalg.multi_dot", "torch.chain_matmul")
def _multi_dot(_: Interpreter, call: Call) -> Value:
    given = call.args[0].data if len(call.args) == 1 else call.args
    if not isinstance(given, (list, tuple)) or not given:
        return call.unknown()
    parts = [array(value) for value in given]
    first = parts[0]
    if first is None:
        return call.unknown()
    shape = first.shape
    for part in parts[1:]:
        if part is None or shape is None:
            return call.unknown()
        shape = arrays.matmul(Array(shape, None), part)
    return made(first, shape, first.dtype, *given)


@shared("kron")
def _kron(call: Call, x: Array, value: Value) -> Value:
    other = _second(call, x)
    y = array(other)
    if other is None or y is None or x.shape is None or y.shape is None:
        return made(x, None, None, value)
    rank = max(len(x.shape), len(y.shape))
    left = (*(Value(1) for _ in range(rank - len(x.shape))), *x.shape)
    right = (*(Value(1) for _ in range(rank - len(y.shape))), *y.shape)
    shape = [arrays.product(pair) for pair in zip(left, right, strict=True)]
    return made(x, shape, _joint(x, y), value, other)


def _second(call: Call, x: Array) -> Value | None:
    """Return the second operand, of NumPy's functions as an array."""
    other = call.given(1, "other", "b", "v2", "vec2", "x2", "y", "tensor2")
    return as_array(other) if other is not None and x.library == "numpy" else other


def _joint(x: Array, y: Array) -> str | None:
    if x.dtype == y.dtype:
        return x.dtype
    order = ("bool", "int32", "int64", "float32", "float64")
    if x.library == "numpy" and "float64" in (x.dtype, y.dtype) and {x.dtype, y.dtype} <= {*order}:
        return "float64"
    return promoted(x, y)


@shared("cross", *both("linalg", "cross"))
def _cross(call: Call, x: Array, value: Value) -> Value:
    other = _second(call, x)
    y = array(other)
    if other is None or y is None or x.shape is None or y.shape is None:
        return made(x, None, x.dtype, value)
    axis = call.given(2, "dim")
    if x.library == "torch" and x.shape and (axis is None or size(axis) is not None):
        at = axis_of(-1 if axis is None else axis, len(x.shape)) or 0
        if axis is not None or "linalg" in call.name:
            arrays.same(x.shape[at], Value(3), "cross: the dimension must have length 3")
    elif x.library != "torch" and (call.keywords.keys() & {"axis", "axisa"}):
        return made(x, None, _joint(x, y), value, other)
    return made(x, arrays.broadcast(x.shape, y.shape), _joint(x, y), value, other)


operation("cross")(_cross)


@shared("inner")
def _inner(call: Call, x: Array, value: Value) -> Value:
    other = _second(call, x)
    y = array(other)
    if other is None or y is None or x.shape is None or y.shape is None:
        return made(x, None, None, value)
    if not x.shape or not y.shape:
        return made(x, arrays.broadcast(x.shape, y.shape), _joint(x, y), value, other)
    arrays.same(x.shape[-1], y.shape[-1], "inner: the last dimensions must match")
    return made(x, (*x.shape[:-1], *y.shape[:-1]), _joint(x, y), value, other)


operation("inner")(_inner)


@shared("tensordot")
def _tensordot(call: Call, x: Array, value: Value) -> Value:
    other = _second(call, x)
    y = array(other)
    axes = call.given(2, "dims", "axes") or Value(2)
    if other is None or y is None or x.shape is None or y.shape is None:
        return made(x, None, None, value)
    count = size(axes)
    if count is not None:
        if count > min(len(x.shape), len(y.shape)):
            return made(x, None, None, value, other)
        left = list(range(len(x.shape) - count, len(x.shape)))
        right = list(range(count))
    else:
        sides = axes.data if isinstance(axes.data, (list, tuple)) and len(axes.data) == 2 else ()
        sides_known = [_numbers(side) for side in sides]
        if len(sides_known) != 2 or None in sides_known:
            return made(x, None, None, value, other)
        left = [n % len(x.shape) for n in sides_known[0] or ()]
        right = [n % len(y.shape) for n in sides_known[1] or ()]
        if len(left) != len(right):
            raise Raised("size", "tensordot: both lists of axes must be as long", *sides)
    for a, b in zip(left, right, strict=True):
        arrays.same(x.shape[a], y.shape[b], "tensordot: contracted dimensions must match")
    rest = [d for i, d in enumerate(x.shape) if i not in left]
    rest += [d for i, d in enumerate(y.shape) if i not in right]
    return made(x, rest, _joint(x, y), value, other)


def _numbers(value: Value) -> list[int] | None:
    items = value.data if isinstance(value.data, (list, tuple)) else (value,)
    numbers = [size(item) for item in items]
    known = [n for n in numbers if n is not None]
    return known if len(known) == len(numbers) else None


@operation("diag_embed")
def _diag_embed(call: Call, x: Array, value: Value) -> Value:
    if x.shape is None or not x.shape or len(call.args) > 1 or call.keywords:
        return made(x, None, x.dtype, value)
    return made(x, (*x.shape, x.shape[-1]), x.dtype, value)


@shared("numpy.diag", "numpy.diagonal", "torch.diag")
def _diag(call: Call, x: Array, value: Value) -> Value:
    if x.shape is None or call.given(1, "k", "offset", "diagonal") is not None:
        return made(x, None, x.dtype, value)
    if len(x.shape) == 1 and call.name.endswith("diag"):
        return made(x, (x.shape[0], x.shape[0]), x.dtype, value)
    if len(x.shape) != 2:
        return made(x, None, x.dtype, value)
    return made(x, (_least(*x.shape),), x.dtype, value)


@operation("mv")
def _mv(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "vec")
    y = array(other)
    if other is None or y is None or x.shape is None or y.shape is None:
        return made(x, None, x.dtype, value)
    for operand, given, rank in ((x, value, 2), (y, other, 1)):
        if operand.shape is not None and len(operand.shape) != rank:
            sides = Value(len(operand.shape), given.origins), Value(rank)
            raise Raised("size", "vector + matrix @ vector expected", *sides)
    return made(x, arrays.matmul(x, y), promoted(x, y), value, other)


# --- Fourier transforms and windows ---------------------------------------------------------------


@shared(*both("fft", "fft ifft rfft irfft hfft ihfft"))
def _transformed(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    dtype = complex_of(x.dtype, x.library)
    if name in ("irfft", "hfft"):
        dtype = real_of(dtype)
    length, axis = call.given(1, "n"), call.given(2, "dim", "axis")
    if x.shape is None or not x.shape or (axis is not None and size(axis) is None):
        return made(x, None, dtype, value)
    at = axis_of(-1 if axis is None else axis, len(x.shape)) or 0
    dim = x.shape[at] if length is None or length.data is None else length
    number = size(dim)
    if name in ("rfft", "ihfft"):
        dim = Value(UNKNOWN if number is None else number // 2 + 1, dim.origins)
    elif name in ("irfft", "hfft") and dim is x.shape[at]:
        dim = Value(UNKNOWN if number is None else 2 * (number - 1), dim.origins)
    return made(x, (*x.shape[:at], dim, *x.shape[at + 1 :]), dtype, value)


@shared(*both("fft", "fft2 ifft2 fftn ifftn rfft2 rfftn irfft2 irfftn"))
def _transformed_twice(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    dtype = complex_of(x.dtype, x.library)
    if name.startswith("ir"):
        dtype = real_of(dtype)
    wide, chosen = call.given(1, "s"), call.given(2, "dim", "axes")
    if x.shape is None or not x.shape:
        return made(x, None, dtype, value)
    given = None if wide is None or wide.data is None else dims_of((wide,))
    axes: list[int | None] = list(range(len(x.shape)))
    if chosen is not None and chosen.data is not None:
        parts = chosen.data if isinstance(chosen.data, (list, tuple)) else [chosen]
        axes = [None if size(p) is None else axis_of(p, len(x.shape)) for p in parts]
    elif name.endswith("2"):
        axes = axes[-2:]
    elif given is not None:
        axes = axes[len(axes) - len(given) :]
    is_open = wide is not None and wide.data is not None and given is None
    if is_open or not axes or None in axes or (given is not None and len(given) != len(axes)):
        return made(x, None, dtype, value)
    shape = list(x.shape)
    known = [axis for axis in axes if axis is not None]
    for axis, dim in zip(known, given or [shape[axis] for axis in known], strict=True):
        shape[axis] = dim
    last = known[-1]
    number = size(shape[last])
    if name.startswith("r"):
        half = None if number is None else number // 2 + 1
        shape[last] = Value(UNKNOWN if half is None else half, shape[last].origins)
    elif name.startswith("ir") and given is None:
        whole = None if number is None else 2 * (number - 1)
        shape[last] = Value(UNKNOWN if whole is None else whole, shape[last].origins)
    return made(x, tuple(shape), dtype, value)


@shared(*both("fft", "fftshift ifftshift"))
def _shifted(_: Call, x: Array, value: Value) -> Value:
    return made(x, x.shape, x.dtype, value)


@MODELS.function(*both("fft", "fftfreq rfftfreq"))
def _frequencies(_: Interpreter, call: Call) -> Value:
    count = call.given(0, "n")
    if count is None:
        return call.unknown()
    number = size(count)
    if number is not None and call.name.endswith("rfftfreq"):
        number = number // 2 + 1
    dims = (Value(UNKNOWN if number is None else number, count.origins),)
    if call.name.startswith("numpy"):
        return new(dims, "float64", count.origins)
    return tensor(dims, "float32", count, device="cpu")


@MODELS.function(
    *(f"torch.{n}_window" for n in ("hann", "hamming", "blackman", "bartlett", "kaiser")),
    *(f"numpy.{n}" for n in ("hanning", "hamming", "blackman", "bartlett", "kaiser")),
)
def _window(_: Interpreter, call: Call) -> Value:
    count = call.given(0, "window_length", "M")
    if count is None:
        return call.unknown()
    dims = (Value(UNKNOWN if size(count) is None else size(count), count.origins),)
    if call.name.startswith("numpy"):
        return new(dims, "float64", count.origins)
    dtype = dtype_of(call.keywords["dtype"]) if "dtype" in call.keywords else "float32"
    return tensor(dims, dtype, count)


@operation("istft")
def _istft(call: Call, x: Array, value: Value) -> Value:
    """Return the signals of frequencies by frames (``torch.istft``)."""
    wide, hop, length = call.given(1, "n_fft"), call.given(2, "hop_length"), None
    length = call.given(8, "length")
    centred = flag(call.given(5, "center"), default=True)
    if x.shape is None or len(x.shape) < 2 or wide is None:
        return made(x, None, real_of(x.dtype), value)
    n_fft, frames = size(wide), size(x.shape[-1])
    every = size(hop) if hop is not None and hop.data is not None else None
    if every is None and n_fft is not None and (hop is None or hop.data is None):
        every = n_fft // 4
    count: object = UNKNOWN
    if frames is not None and every is not None and n_fft is not None and centred is not None:
        count = every * (frames - 1) + (0 if centred else n_fft)
    if length is not None and length.data is not None:
        count = size(length) if size(length) is not None else UNKNOWN
    parts = [part for part in (x.shape[-1], hop, length) if part is not None]
    return made(x, (*x.shape[:-2], Value(count, merged(*parts))), real_of(x.dtype), value)


@operation("stft")
def _stft(call: Call, x: Array, value: Value) -> Value:
    """Return frequencies by frames (``torch.stft``)."""
    if x.library == "torch" and x.dtype in WHOLE:
        raise Raised("type", "stft: expected a tensor of floating point or complex values", value)
    if x.shape is not None and len(x.shape) not in (1, 2):
        message = "stft: expected a 1D or 2D tensor"
        raise Raised("size", message, Value(len(x.shape), merged(*x.shape)), Value(2))
    wide, hop = call.given(1, "n_fft"), call.given(2, "hop_length")
    window, wide_window = call.given(4, "window"), call.given(3, "win_length")
    for name, part in (("hop_length", hop), ("win_length", wide_window), ("n_fft", wide)):
        number = size(part)
        if number is not None and part is not None and number <= 0:
            raise Raised("value", f"stft: expected {name} > 0", part)
    if wide is not None and (size(wide_window) or 0) > (size(wide) or math.inf):
        raise Raised("size", "stft: expected win_length <= n_fft", wide_window or wide, wide)
    if x.shape is None or wide is None or flag(call.given(5, "center"), default=True) is None:
        return made(x, None, None, value)
    n_fft = size(wide)
    step = hop if hop is not None and hop.data is not None else None
    every = size(step) if step is not None else None if n_fft is None else n_fft // 4
    tapers = array(window)
    if tapers is not None and tapers.shape:
        length = wide if wide_window is None or wide_window.data is None else wide_window
        arrays.same(tapers.shape[0], length, "expected a 1D window tensor of win_length")
    last = size(x.shape[-1]) if x.shape else None
    centred = flag(call.given(5, "center"), default=True)
    sided = flag(call.keywords.get("onesided"), default=True)
    parts = [x.shape[-1], wide, *([step] if step is not None else [])] if x.shape else [wide]
    rows: object = UNKNOWN
    if n_fft is not None and sided is not None:
        rows = n_fft // 2 + 1 if sided else n_fft
    frames: object = UNKNOWN
    if last is not None and n_fft is not None and every:
        frames = 1 + (last if centred else last - n_fft) // every
    shape = (*x.shape[:-1], Value(rows, wide.origins), Value(frames, merged(*parts)))
    is_complex = call.keywords.get("return_complex")
    if is_complex is None or is_complex.data is not True:
        return made(x, (*shape, Value(2)), x.dtype, value)
    return made(x, shape, complex_of(x.dtype, x.library), value)


# --- statistics -----------------------------------------------------------------------------------


@shared("quantile", "nanquantile", "numpy.percentile", "numpy.nanpercentile")
def _quantile(call: Call, x: Array, value: Value) -> Value:
    asked, axis = call.given(1, "q"), call.given(2, "dim", "axis")
    if asked is None:
        return made(x, None, floated(x), value)
    _inside(call, asked)
    exact = _exact_quantile(call, asked, value)
    if exact is not None:
        return exact
    if x.library == "numpy":
        asked = as_array(asked)
    points = array(asked)
    lead: Shape | None = () if points is None else points.shape
    if points is None and not isinstance(asked.data, (int, float)):
        lead = None
    keep = flag(call.keywords.get("keepdim", call.keywords.get("keepdims")), default=False)
    rest = _without(x, axis, keep)
    shape = None if lead is None or rest is None else (*lead, *rest)
    return made(x, shape, floated(x), value, asked)


def _exact_quantile(call: Call, asked: Value, value: Value) -> Value | None:
    """Return a quantile of numbers that are all known, between two of them linearly."""
    point = asked.data
    if not isinstance(point, (int, float)) or len(call.args) + len(call.keywords) > 2:
        return None
    data, given = value.data, call.given(0, "a", "input")
    numbers: Sequence[object] = ()
    if isinstance(data, Series) and data.cells is not None:
        numbers = data.cells
    elif given is not None and isinstance(given.data, (list, tuple)):
        numbers = [item.data for item in given.data]
    known = sorted(n for n in numbers if isinstance(n, (int, float)) and not math.isnan(n))
    if not known or len(known) != len(numbers):
        return None
    at = (len(known) - 1) * point / (100 if "percentile" in call.name else 1)
    low = min(max(math.floor(at), 0), len(known) - 1)
    high = min(low + 1, len(known) - 1)
    found = known[low] + (known[high] - known[low]) * (at - low)
    return Value(float(found), merged(value, asked))


def _inside(call: Call, asked: Value) -> None:
    """Raise where a quantile or a percentile is beyond its range."""
    top = 100 if "percentile" in call.name else 1
    numbers = asked.data if isinstance(asked.data, (list, tuple)) else (asked,)
    for item in numbers:
        number = item.data
        if isinstance(number, (int, float)) and not 0 <= number <= top:
            raise Raised("value", f"quantiles must be in the range [0, {top}]", item)


operation("quantile", "nanquantile")(_quantile)


def _without(x: Array, axis: Value | None, keep: bool | None) -> Shape | None:
    """Return a shape without the axes that are reduced."""
    if axis is None or axis.data is None:
        if not keep:
            return ()
        return None if x.shape is None else tuple(Value(1) for _ in x.shape)
    if x.shape is None or keep is None:
        return None
    items = axis.data if isinstance(axis.data, (list, tuple)) else (axis,)
    at = [axis_of(item, len(x.shape)) for item in items]
    if None in at:
        return None
    if keep:
        return tuple(Value(1, d.origins) if i in at else d for i, d in enumerate(x.shape))
    return tuple(d for i, d in enumerate(x.shape) if i not in at)


@operation("amax", "amin", "aminmax")
def _extremes(call: Call, x: Array, value: Value) -> Value:
    named = call.name.rpartition(".")[2] == "aminmax"
    axis = call.keywords.get("dim") if named else call.given(1, "dim", "axis")
    keep = flag(call.given(2, "keepdim", "keepdims"), default=False)
    if axis is not None and isinstance(axis.data, (list, tuple)) and not axis.data:
        axis = None
    result = like(x, _without(x, axis, keep), value)
    return several(result, result) if named else result


@operation("std_mean", "var_mean")
def _with_mean(call: Call, x: Array, value: Value) -> Value:
    keep = flag(call.keywords.get("keepdim"), default=False)
    result = made(x, _without(x, call.given(1, "dim"), keep), x.dtype, value)
    return several(result, result)


@shared("cov", "corrcoef")
def _covariance(call: Call, x: Array, value: Value) -> Value:
    if x.shape is None or len(x.shape) > 2:
        return made(x, None, floated(x), value)
    other = call.given(1, "y") if x.library == "numpy" else None
    given = call.given(2, "rowvar") if x.library == "numpy" else None
    by_rows = flag(given, default=True)
    y = array(as_array(other)) if other is not None and other.data is not None else None
    if by_rows is None or (other is not None and other.data is not None and y is None):
        return made(x, None, floated(x), value)

    def count(data: Array) -> Value | None:
        if data.shape is None:
            return None
        if len(data.shape) < 2:
            return Value(1)
        return data.shape[0 if by_rows else 1]

    rows, more = count(x), None if y is None else count(y)
    if rows is None or (y is not None and more is None):
        return made(x, None, floated(x), value)
    if y is not None and x.shape and y.shape:
        arrays.same(x.shape[-1], y.shape[-1], "all the input array dimensions must match")
    if more is not None:
        a, b = size(rows), size(more)
        rows = Value(UNKNOWN if a is None or b is None else a + b, merged(rows, more))
    if size(rows) == 1:
        return made(x, (), floated(x), value)
    return made(x, (rows, rows), floated(x), value)


operation("cov", "corrcoef")(_covariance)


@shared("torch.histc", "numpy.histogram", "torch.histogram", "numpy.histogram_bin_edges")
def _histogram(call: Call, x: Array, value: Value) -> Value:
    bins = call.given(1, "bins")
    if bins is None:
        bins = Value(10 if x.library == "numpy" else 100)
    edges = array(as_array(bins)) if x.library == "numpy" else array(bins)
    number = size(bins)
    if number is None and edges is not None and edges.shape and len(edges.shape) == 1:
        length = size(edges.shape[0])
        number = None if length is None else length - 1
    count = Value(UNKNOWN if number is None else number, bins.origins)
    if call.name.endswith("histc"):
        return made(x, (count,), x.dtype, value)
    more = Value(UNKNOWN if number is None else number + 1, bins.origins)
    if call.name.endswith("edges"):
        return made(x, (more,), "float64", value)
    counts = made(x, (count,), "int64" if x.library == "numpy" else x.dtype, value)
    return several(counts, made(x, (more,), floated(x), value))


operation("histc")(_histogram)


@shared("diff")
def _difference(call: Call, x: Array, value: Value) -> Value:
    times, axis = call.given(1, "n"), call.given(2, "dim", "axis")
    if "." not in call.name and x.library == "numpy":
        # A column's differences are as many as its rows (pandas, ``Series.diff``).
        return made(x, x.shape, floated(x), value)
    count = 1 if times is None else size(times)
    if x.shape is None or not x.shape or count is None or (axis is not None and size(axis) is None):
        return made(x, None, x.dtype, value)
    if call.keywords.keys() & {"prepend", "append"}:
        return made(x, None, x.dtype, value)
    at = axis_of(-1 if axis is None else axis, len(x.shape)) or 0
    length = size(x.shape[at])
    fewer = Value(UNKNOWN if length is None else max(length - count, 0), x.shape[at].origins)
    return made(x, (*x.shape[:at], fewer, *x.shape[at + 1 :]), x.dtype, value)


operation("diff")(_difference)


@shared("numpy.bincount")
def _counted(call: Call, x: Array, value: Value) -> Value:
    least = call.given(2, "minlength")
    weights = call.given(1, "weights")
    if x.shape is not None and len(x.shape) != 1:
        raise Raised("size", "object too deep for desired array", Value(len(x.shape)), Value(1))
    if x.dtype in FLOATING and x.dtype is not None and size(x.shape[0] if x.shape else None) != 0:
        raise Raised("type", f"Cannot cast array data from {x.dtype} to int64", value)
    if x.lowest is not None and x.lowest < 0:
        raise Raised("value", "there must be no negative elements", Value(x.lowest, value.origins))
    del least
    dtype = "float64" if weights is not None and weights.data is not None else "int64"
    return made(x, (Value(UNKNOWN, value.origins),), dtype, value)


@shared("numpy.trapezoid", "numpy.trapz", "torch.trapz", "torch.trapezoid")
def _integrated(call: Call, x: Array, value: Value) -> Value:
    if x.shape is None or not x.shape or call.keywords.keys() & {"axis", "dim"}:
        return made(x, None, floated(x), value)
    return made(x, x.shape[:-1], floated(x), value)


@shared("numpy.ptp", "numpy.nanmedian", "numpy.nanargmax", "numpy.nanargmin", "numpy.nanprod")
def _reduced(call: Call, x: Array, value: Value) -> Value:
    keep = flag(call.keywords.get("keepdims"), default=False)
    name = call.name.rpartition(".")[2]
    dtype = "int64" if "arg" in name else x.dtype if name == "ptp" else floated(x)
    return made(x, _without(x, call.given(1, "axis"), keep), dtype, value)


# --- elements -------------------------------------------------------------------------------------


@shared(
    *(f"numpy.{n}" for n in words("cbrt sinc deg2rad rad2deg radians degrees i0 angle")),
    *(f"torch.{n}" for n in words("deg2rad rad2deg sinc i0 erfinv")),
)
def _real_function(_: Call, x: Array, value: Value) -> Value:
    return made(x, x.shape, real_of(floated(x)), value)


operation("deg2rad", "rad2deg", "sinc", "erfinv", "angle", "heaviside_")(_real_function)


@shared("real", "imag", "numpy.abs_")
def _part(_: Call, x: Array, value: Value) -> Value:
    return made(x, x.shape, real_of(x.dtype), value)


@operation("heaviside")
def _heaviside(_: Call, x: Array, value: Value) -> Value:
    return made(x, x.shape, x.dtype, value)


@MODELS.function("torch.complex", "torch.polar")
def _complex(_: Interpreter, call: Call) -> Value:
    x, y = array(call.given(0, "real", "abs")), array(call.given(1, "imag", "angle"))
    if x is None or y is None or x.shape is None or y.shape is None:
        return tensor(None, None, *call.args)
    return made(x, arrays.broadcast(x.shape, y.shape), complex_of(x.dtype, "torch"), *call.args)


@operation("view_as_complex")
def _view_as_complex(_: Call, x: Array, value: Value) -> Value:
    if x.shape is not None and x.shape:
        arrays.same(x.shape[-1], Value(2), "Tensor must have a last dimension of size 2")
    shape = None if x.shape is None else x.shape[:-1]
    return made(x, shape, complex_of(x.dtype, "torch"), value)


@operation("view_as_real")
def _view_as_real(_: Call, x: Array, value: Value) -> Value:
    return made(x, None if x.shape is None else (*x.shape, Value(2)), real_of(x.dtype), value)


@shared("isin", "numpy.in1d")
def _isin(_: Call, x: Array, value: Value) -> Value:
    return made(x, x.shape, "bool", value)


@MODELS.function("torch.bucketize")
def _bucketized(_: Interpreter, call: Call) -> Value:
    x = array(call.given(0, "input"))
    return call.unknown() if x is None else made(x, x.shape, "int64", *call.args)


@MODELS.function("torch.searchsorted")
def _searched(_: Interpreter, call: Call) -> Value:
    wanted = call.given(1, "input", "values")
    x = array(wanted)
    if x is None and wanted is not None and isinstance(wanted.data, (int, float)):
        return tensor((), "int64", *call.args)
    return call.unknown() if x is None else made(x, x.shape, "int64", *call.args)


@MODELS.function("numpy.power", "numpy.minimum", "numpy.maximum", "numpy.fmax", "numpy.fmin")
@MODELS.function("numpy.bitwise_and", "numpy.bitwise_or", "numpy.bitwise_xor", "numpy.hypot")
@MODELS.function("numpy.heaviside", "numpy.float_power", "numpy.logaddexp", "numpy.fmod")
def _paired(_: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    plain = [argument.data for argument in call.args[:2] if isinstance(argument.data, (int, float))]
    if name in _OF_NUMBERS and len(plain) == 2:
        if name == "power":
            return operators.binary(ast.Pow, *call.args[:2])
        number = min(plain) if name in ("minimum", "fmin") else max(plain)
        return Value(number, merged(*call.args))
    left, right = as_array(call.given(0, "x1")), as_array(call.given(1, "x2"))
    x, y = array(left), array(right)
    if x is None or y is None or x.shape is None or y.shape is None:
        return new(None, None, merged(left, right))
    dtype = x.dtype if x.dtype == y.dtype else None
    if dtype is None and None not in (x.dtype, y.dtype):
        scalar = [d for d in (x, y) if not d.shape]
        whole = [d for d in (x, y) if d.shape]
        if len(scalar) == 1 and scalar[0].dtype in ("int64", "bool"):
            dtype = whole[0].dtype
        else:
            dtype = _joint(x, y)
    shape = arrays.broadcast(x.shape, y.shape)
    if call.name.endswith(("hypot", "heaviside", "float_power", "logaddexp")):
        dtype = floated(Array(None, dtype, "numpy")) if dtype else None
    return new(shape, dtype, merged(left, right))


_OF_NUMBERS = ("power", "minimum", "maximum", "fmax", "fmin")


@MODELS.function("numpy.array_equal", "numpy.allclose", "numpy.array_equiv", "torch.equal")
@MODELS.function("torch.allclose")
def _truth(_: Interpreter, call: Call) -> Value:
    if call.name.endswith("allclose"):
        x, y = array(call.given(0, "a", "input")), array(call.given(1, "b", "other"))
        if x is not None and y is not None and x.shape is not None and y.shape is not None:
            arrays.broadcast(x.shape, y.shape)
    return call.unknown()


# --- indices --------------------------------------------------------------------------------------


@MODELS.function("torch.tril_indices", "torch.triu_indices")
@MODELS.function("numpy.tril_indices", "numpy.triu_indices")
def _triangle(_: Interpreter, call: Call) -> Value:
    is_numpy = call.name.startswith("numpy")
    rows = size(call.given(0, "row", "n"))
    wide = call.given(2 if is_numpy else 1, "col", "m")
    columns = rows if wide is None and is_numpy else size(wide)
    given = call.given(1 if is_numpy else 2, "offset", "k")
    offset = 0 if given is None else size(given)
    count: int | None = None
    if rows is not None and columns is not None and offset is not None and rows < 10_000:
        low = (min(max(i + offset + 1, 0), columns) for i in range(rows))
        lower = sum(low)
        high = (min(max(columns - i - offset, 0), columns) for i in range(rows))
        count = lower if "tril" in call.name else sum(high)
    dim = Value(UNKNOWN if count is None else count, merged(*call.args))
    if is_numpy:
        indices = new((dim,), "int64", merged(*call.args))
        return several(indices, indices)
    return tensor((Value(2), dim), "int64", *call.args)


@MODELS.function("numpy.diag_indices")
def _diagonal_indices(_: Interpreter, call: Call) -> Value:
    count = call.given(0, "n")
    if count is None or call.given(1, "ndim") is not None:
        return call.unknown()
    indices = new((count,), "int64", count.origins)
    return several(indices, indices)


@MODELS.function("numpy.indices")
def _indices(interpreter: Interpreter, call: Call) -> Value:
    shape = shape_of(interpreter, call.given(0, "dimensions"))
    if shape is None:
        return call.unknown()
    return new((Value(len(shape)), *shape), "int64", merged(*call.args))


@MODELS.function("numpy.ix_")
def _open_mesh(_: Interpreter, call: Call) -> Value:
    parts = [array(as_array(argument)) for argument in call.args]
    if any(x is None or x.shape is None or len(x.shape) != 1 for x in parts):
        return call.unknown()
    grids = []
    for i, x in enumerate(parts):
        assert x is not None and x.shape is not None
        free = Value(UNKNOWN, call.args[i].origins)
        dim = free if x.dtype == "bool" else x.shape[0]
        shape = [dim if i == k else Value(1) for k in range(len(parts))]
        grids.append(new(shape, "int64", call.args[i].origins, (x.lowest, x.highest)))
    return several(*grids)


@MODELS.function("numpy.tri")
def _tri(_: Interpreter, call: Call) -> Value:
    rows = call.given(0, "N")
    columns = call.given(1, "M") or rows
    if rows is None or columns is None:
        return call.unknown()
    return new((rows, columns), "float64", merged(*call.args))


@MODELS.function("numpy.unravel_index")
def _unraveled(interpreter: Interpreter, call: Call) -> Value:
    at, shape = call.given(0, "indices"), shape_of(interpreter, call.given(1, "shape"))
    if at is None or shape is None:
        return call.unknown()
    total, number = arrays.product(shape), size(at)
    limit = size(total)
    if number is not None and limit is not None and number >= limit:
        raise Raised("index", "index is out of bounds for array with that size", at, total)
    x = array(as_array(at))
    indices = new(None if x is None else x.shape, "int64", merged(at, *shape))
    return several(*(indices for _ in shape))


@shared("torch.take", "numpy.take")
def _take(call: Call, x: Array, value: Value) -> Value:
    index, axis = call.given(1, "index", "indices"), call.given(2, "axis")
    if index is not None and x.library == "numpy":
        index = as_array(index)
    y = array(index)
    if index is None or y is None or y.shape is None or x.shape is None:
        return made(x, None, x.dtype, value)
    if axis is None or axis.data is None:
        total = size(arrays.product(x.shape))
        if total is not None and y.highest is not None and y.highest >= total:
            sides = arrays.elements_of(index, y.highest), Value(total, value.origins)
            raise Raised("index", "index is out of bounds", *sides)
        return made(x, y.shape, x.dtype, value, index)
    at = axis_of(axis, len(x.shape))
    if at is None:
        return made(x, None, x.dtype, value, index)
    top = size(x.shape[at])
    if top is not None and y.highest is not None and y.highest >= top:
        raise Raised(
            "index", "index is out of bounds", arrays.elements_of(index, y.highest), x.shape[at]
        )
    return made(x, (*x.shape[:at], *y.shape, *x.shape[at + 1 :]), x.dtype, value, index)


operation("take")(_take)


# --- shapes ---------------------------------------------------------------------------------------


@shared("atleast_2d", "atleast_3d", "torch.atleast_1d")
def _at_least(call: Call, x: Array, value: Value) -> Value:
    rank = int(call.name[-2])
    if x.shape is None or len(x.shape) >= rank:
        return like(x, x.shape, value)
    if rank == 3 and len(x.shape) > 0:
        shape: Shape = (*x.shape, Value(1)) if len(x.shape) == 2 else (Value(1), *x.shape, Value(1))
        return like(x, shape, value)
    return like(x, (*(Value(1) for _ in range(rank - len(x.shape))), *x.shape), value)


@shared("rot90")
def _rotated(call: Call, x: Array, value: Value) -> Value:
    times, axes = call.given(1, "k"), call.given(2, "dims", "axes")
    count = 1 if times is None else size(times)
    at = [0, 1] if axes is None else _numbers(axes)
    if x.shape is None or at is None or len(at) != 2 or len(x.shape) < 2:
        return like(x, None, value)
    shape = list(x.shape)
    one, other = shape[at[0]], shape[at[1]]
    if count is None and one.data != other.data:
        shape[at[0]] = shape[at[1]] = unknown(one, other)
    elif count is not None and count % 2:
        shape[at[0]], shape[at[1]] = other, one
    return like(x, shape, value)


operation("rot90")(_rotated)


@shared("numpy.rollaxis", "numpy.resize", "numpy.expand_dims", "numpy.delete", "numpy.insert")
def _reshaped(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    if name == "expand_dims":
        return _with_axes(call, x, value)
    if name == "resize":
        shape = dims_of((call.given(1, "new_shape") or Value(UNKNOWN),))
        return like(x, shape, value)
    if name == "rollaxis":
        axis, start = size(call.given(1, "axis")), call.given(2, "start")
        if x.shape is None or axis is None or start is not None:
            return like(x, None, value)
        at = axis_of(axis, len(x.shape)) or 0
        return like(x, (x.shape[at], *x.shape[:at], *x.shape[at + 1 :]), value)
    return _fewer(call, x, value, more=name == "insert")


def _with_axes(call: Call, x: Array, value: Value) -> Value:
    axis = call.given(1, "axis")
    at = None if axis is None else _numbers(axis)
    if x.shape is None or at is None or axis is None:
        return like(x, None, value)
    rank = len(x.shape) + len(at)
    places = [axis_of(Value(n, axis.origins), rank) for n in at]
    rest = iter(x.shape)
    shape = [Value(1, axis.origins) if i in places else next(rest) for i in range(rank)]
    return like(x, shape, value)


def _fewer(call: Call, x: Array, value: Value, *, more: bool) -> Value:
    """Return an array without, or with more, of the items at some indices of an axis."""
    obj, axis = call.given(1, "obj"), call.given(3 if more else 2, "axis")
    if x.shape is None or obj is None:
        return like(x, None, value)
    shape: Shape = x.shape
    if axis is None or axis.data is None:
        shape = (arrays.product(x.shape),)
    at = 0 if axis is None or axis.data is None else axis_of(axis, len(shape))
    numbers = _numbers(obj)
    if at is None:
        return like(x, None, value)
    length = size(shape[at])
    for number in numbers or ():
        if length is not None and not -length <= number < length + more:
            sides = Value(number, obj.origins), shape[at]
            raise Raised("index", "index is out of bounds for its axis", *sides)
    rest: object = UNKNOWN
    if numbers is not None and length is not None:
        change = len(numbers) if more else -len(set(numbers))
        inserted = call.given(2, "values")
        many = more and inserted is not None and not isinstance(inserted.data, (int, float, str))
        rest = UNKNOWN if many else length + change
    dim = Value(rest, merged(shape[at], obj))
    return made(x, (*shape[:at], dim, *shape[at + 1 :]), x.dtype, value, obj)


@MODELS.function("torch.broadcast_tensors", "numpy.broadcast_arrays")
def _broadcast_all(_: Interpreter, call: Call) -> Value:
    parts = [array(argument) for argument in call.args]
    shape: Shape = ()
    for part in parts:
        if part is None or part.shape is None:
            return call.unknown()
        shape = arrays.broadcast(shape, part.shape)
    result = [like(x, shape, v) for x, v in zip(parts, call.args, strict=True) if x is not None]
    return several(*result)


@MODELS.function("torch.broadcast_shapes", "numpy.broadcast_shapes")
def _broadcast_shapes(_: Interpreter, call: Call) -> Value:
    shape: Shape = ()
    for argument in call.args:
        dims = dims_of((argument,))
        if dims is None:
            return call.unknown()
        shape = arrays.broadcast(shape, dims)
    return Value(shape, merged(*call.args))


@MODELS.function("torch.column_stack")
def _column_stack(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "tensors")
    items = given.data if given is not None and isinstance(given.data, (list, tuple)) else ()
    parts = []
    for item in items:
        x = array(item)
        if x is None or x.shape is None:
            return call.unknown()
        wide = x.shape if len(x.shape) > 1 else (x.shape[0] if x.shape else Value(1), Value(1))
        parts.append(Array(wide, x.dtype, x.library, x.device))
    if not parts:
        return call.unknown()
    return made(parts[0], arrays.concatenated(parts, 1), parts[0].dtype, *items)


@MODELS.function("torch.cartesian_prod", "torch.combinations")
def _products(_: Interpreter, call: Call) -> Value:
    parts = [array(argument) for argument in call.args if array(argument) is not None]
    first = parts[0] if parts else None
    if first is None or any(x is None or x.shape is None or len(x.shape) != 1 for x in parts):
        return call.unknown()
    lengths = [x.shape[0] for x in parts if x is not None and x.shape]
    if call.name.endswith("combinations"):
        r = call.given(1, "r")
        n, k = size(lengths[0]), 2 if r is None else size(r)
        if k is None or "with_replacement" in call.keywords:
            return call.unknown()
        count = Value(UNKNOWN if n is None else math.comb(n, k), lengths[0].origins)
        return made(first, (count, Value(k)), first.dtype, *call.args)
    shape: Shape = (arrays.product(lengths), Value(len(lengths)))
    return made(first, shape if len(lengths) > 1 else tuple(lengths), first.dtype, *call.args)


@MODELS.function("torch.block_diag")
def _block_diagonal(_: Interpreter, call: Call) -> Value:
    parts = [array(argument) for argument in call.args]
    rows, columns = 0, 0
    for x in parts:
        sizes = None if x is None else x.sizes
        if sizes is None or len(sizes) != 2 or None in sizes:
            return call.unknown()
        rows, columns = rows + (sizes[0] or 0), columns + (sizes[1] or 0)
    first = parts[0] if parts else None
    if first is None:
        return call.unknown()
    origins = merged(*call.args)
    return made(first, (Value(rows, origins), Value(columns, origins)), first.dtype, *call.args)


@MODELS.function("numpy.convolve", "numpy.correlate")
def _convolved(_: Interpreter, call: Call) -> Value:
    left, right = as_array(call.given(0, "a")), as_array(call.given(1, "v"))
    x, y = array(left), array(right)
    mode = call.given(2, "mode") or Value("full" if call.name.endswith("convolve") else "valid")
    if x is None or y is None or not x.shape or not y.shape:
        return new(None, None, merged(left, right))
    a, b = size(x.shape[0]), size(y.shape[0])
    count: object = UNKNOWN
    if a is not None and b is not None and mode.data in ("full", "same", "valid"):
        long, short = max(a, b), min(a, b)
        count = {"full": a + b - 1, "same": long, "valid": long - short + 1}[str(mode.data)]
    dim = Value(count, merged(x.shape[0], y.shape[0], mode))
    return new((dim,), _joint(x, y), merged(left, right))


@MODELS.function("numpy.interp")
def _interpolated(_: Interpreter, call: Call) -> Value:
    x = as_array(call.given(0, "x"))
    points, values = array(as_array(call.given(1, "xp"))), array(as_array(call.given(2, "fp")))
    if points is not None and values is not None and points.shape and values.shape:
        arrays.same(points.shape[0], values.shape[0], "fp and xp are not of the same length")
    data = array(x)
    return new(None if data is None else data.shape, "float64", merged(x, *call.args))


@MODELS.function("numpy.polyfit")
def _polynomial(_: Interpreter, call: Call) -> Value:
    left, right = as_array(call.given(0, "x")), as_array(call.given(1, "y"))
    x, y, degree = array(left), array(right), size(call.given(2, "deg"))
    if x is not None and y is not None and x.shape and y.shape:
        arrays.same(x.shape[0], y.shape[0], "expected x and y to have same length")
    if degree is None or call.keywords.keys() - {"deg", "x", "y"} or len(call.args) > 3:
        return call.unknown()
    if y is None or y.shape is None or len(y.shape) != 1:
        return new(None, "float64", merged(left, right))
    return new((Value(degree + 1, merged(*call.args[2:])),), "float64", merged(left, right))


@MODELS.function("numpy.polyval")
def _polynomial_value(_: Interpreter, call: Call) -> Value:
    data = array(as_array(call.given(1, "x")))
    return new(None if data is None else data.shape, None, merged(*call.args))


@shared("numpy.gradient", "numpy.unwrap", "numpy.tril", "numpy.triu", "numpy.flipud")
def _alike(call: Call, x: Array, value: Value) -> Value:
    if call.name.endswith("gradient") and (x.shape is None or len(x.shape) != 1):
        return call.unknown()
    dtype = floated(x) if call.name.endswith(("gradient", "unwrap")) else x.dtype
    return made(x, x.shape, dtype, value)


@MODELS.function("numpy.lib.stride_tricks.sliding_window_view")
def _windows(_: Interpreter, call: Call) -> Value:
    value, wide = as_array(call.given(0, "x")), call.given(1, "window_shape")
    x, axis = array(value), call.given(2, "axis")
    if x is None or x.shape is None or wide is None:
        return new(None, None if x is None else x.dtype, value.origins)
    lengths = [*wide.data] if isinstance(wide.data, (list, tuple)) else [wide]
    at = list(range(len(x.shape))) if axis is None or axis.data is None else _numbers(axis)
    if at is None or len(at) != len(lengths):
        return new(None, x.dtype, value.origins)
    shape = list(x.shape)
    for place, length in zip(at, lengths, strict=True):
        whole, part = size(shape[place]), size(length)
        if whole is not None and part is not None and part > whole:
            message = "window shape cannot be larger than input array shape"
            raise Raised("size", message, length, shape[place])
        count: object = UNKNOWN if whole is None or part is None else whole - part + 1
        shape[place] = Value(count, merged(shape[place], length))
    return new((*shape, *lengths), x.dtype, value.origins)


@MODELS.function("numpy.block", "numpy.select", "numpy.choose", "numpy.piecewise")
def _combined(_: Interpreter, call: Call) -> Value:
    if call.name.endswith("select"):
        choices = call.given(1, "choicelist")
        items = choices.data if choices is not None else None
        if isinstance(items, (list, tuple)) and items:
            first = array(as_array(items[0]))
            conditions = call.given(0, "condlist")
            tests = conditions.data if conditions is not None else None
            if isinstance(tests, (list, tuple)) and len(tests) != len(items):
                sides = Value(len(tests), merged(*call.args[:1])), Value(len(items))
                raise Raised("size", "list of cases must be same length as list", *sides)
            test = array(tests[0]) if isinstance(tests, (list, tuple)) and tests else None
            if first is not None and test is not None and first.shape is not None:
                shape = None
                if test.shape is not None:
                    shape = arrays.broadcast(first.shape, test.shape)
                return new(shape, first.dtype, merged(*call.args))
    return new(None, None, merged(*call.args))


@MODELS.subscript("numpy.r_", "numpy.c_")
def _joined(_: Interpreter, call: Call) -> Value:
    parts = []
    for argument in call.args:
        x = array(argument)
        if x is None and isinstance(argument.data, (list, int, float)):
            x = array(as_array(argument))
        if x is None or x.shape is None:
            return new(None, None, merged(*call.args))
        shape = x.shape or (Value(1),)
        if call.name.endswith("c_") and len(shape) == 1:
            shape = (shape[0], Value(1))
        parts.append(Array(shape, x.dtype, "numpy"))
    if not parts:
        return call.unknown()
    axis = -1 if call.name.endswith("c_") else 0
    dtypes = {part.dtype for part in parts}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if dtype is None and len(parts) == 2:
        dtype = _joint(*parts)
    return new(arrays.concatenated(parts, axis), dtype, merged(*call.args))


@MODELS.function("numpy.vectorize")
def _vectorized(_: Interpreter, call: Call) -> Value:
    from dl_bug_lsp.interpretation.values import LibraryObject

    return Value(
        LibraryObject("numpy.vectorize", call.args, call.keywords, call.place), merged(*call.args)
    )


@MODELS.object("numpy.vectorize")
def _vectorized_call(_: Interpreter, call: Call) -> Value:
    shape: Shape | None = ()
    for argument in call.args:
        x = array(as_array(argument))
        if x is None or x.shape is None or shape is None:
            return new(None, None, merged(*call.args))
        shape = arrays.broadcast(shape, x.shape)
    return new(shape, None, merged(*call.args))


@MODELS.function("numpy.apply_along_axis")
def _along_axis(interpreter: Interpreter, call: Call) -> Value:
    work, axis, value = call.args[:3] if len(call.args) > 2 else (None, None, None)
    given = as_array(value)
    x = array(given)
    if work is None or axis is None or x is None or not x.shape:
        return call.unknown()
    at = axis_of(axis, len(x.shape))
    if at is None:
        return call.unknown()
    row = new((x.shape[at],), x.dtype, given.origins)
    result = interpreter.call(work, (row, *call.args[3:]), {}, call.place)
    inner = array(result)
    if inner is None or inner.shape is None:
        if not isinstance(result.data, (int, float)):
            return new(None, None, merged(given, result))
        inner = Array((), "float64" if isinstance(result.data, float) else "int64")
    assert inner.shape is not None
    shape = (*x.shape[:at], *inner.shape, *x.shape[at + 1 :])
    return new(shape, inner.dtype, merged(given, result))


# --- PyTorch's gradients --------------------------------------------------------------------------


@MODELS.function("torch.autograd.Variable")
def _variable(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "data")
    return call.unknown() if value is None else value


@MODELS.function("torch.nn.Transformer.generate_square_subsequent_mask")
@MODELS.method("Transformer", "generate_square_subsequent_mask")
def _future_mask(_: Interpreter, call: Call) -> Value:
    count = call.given(0, "sz")
    return call.unknown() if count is None else tensor((count, count), "float32", count)


@operation("poisson", "dist", "nanmean_")
def _sampled(call: Call, x: Array, value: Value) -> Value:
    return made(x, () if call.name.endswith("dist") else x.shape, x.dtype, value)


@operation("unique", "unique_consecutive")
def _unique(call: Call, x: Array, value: Value) -> Value:
    """Return the values that occur; with their counts and places where those are asked for."""
    if x.library != "torch" or call.keywords.keys() - {"sorted", *_EXTRAS, "dim"}:
        return call.unknown()
    if len(call.args) > 2:
        return call.unknown()
    free = Value(UNKNOWN, value.origins)
    axis = call.keywords.get("dim")
    shape: Shape | None = (free,)
    if axis is not None and axis.data is not None:
        at = None if x.shape is None else axis_of(axis, len(x.shape))
        shape = None
        if x.shape is not None and at is not None:
            shape = (*x.shape[:at], free, *x.shape[at + 1 :])
    result = [like(x, shape, value)]
    for name in _EXTRAS:
        asked = flag(call.keywords.get(name), default=False)
        if asked is None:
            return call.unknown()
        if asked:
            dims = x.shape if name == "return_inverse" else (free,)
            if name == "return_inverse" and shape is not None and axis is not None:
                dims = None
            result.append(made(x, dims, "int64", value))
    return result[0] if len(result) == 1 else several(*result)


_EXTRAS = ("return_inverse", "return_counts")
