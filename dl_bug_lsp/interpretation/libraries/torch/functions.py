"""PyTorch's functions on tensors, and the methods and attributes of arrays.

Sources: the pages of each function in PyTorch's documentation (``torch``, ``torch.Tensor``); a
method that NumPy's arrays have under the same name follows NumPy's documentation for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    ACTIVATIONS,
    DEFAULTS,
    FLOATING,
    MAX_LISTED,
    OF_TENSORS,
    TORCH_DTYPES,
    WHOLE,
    Shape,
    bounded,
    device_of,
    dimension,
    dims_of,
    dtype_of,
    expanded,
    flag,
    floated,
    kept,
    like,
    needs_floating,
    operation,
    promoted,
    rank_of,
    same_device,
    subject,
    tensor,
    with_scalar,
    words,
)
from dl_bug_lsp.interpretation.matrix_values import Grid
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    LibraryObject,
    NumpyFloat,
    Ordered,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def device(name: str, origins: Origins) -> Value:
    """Return a device object."""
    made = ("", 0) if not origins else min(origins)
    return Value(LibraryObject("torch.device", (Value(name, origins),), {}, made), origins)


# --- element by element ---------------------------------------------------------------------------

KEEPING = words(
    "abs absolute neg negative sign round floor ceil trunc clamp clip clamp_min clamp_max "
    "nan_to_num relu positive square threshold clone contiguous detach "
    "flip fliplr flipud roll triu tril requires_grad_ pin_memory share_memory_ "
    "masked_fill scatter scatter_add index_add index_copy index_fill index_put fill_ "
    "zero_ uniform_ normal_ bernoulli_ copy_ retain_grad exponential_ xavier "
    "bernoulli renorm conj scatter_ scatter_add_ masked_fill_ index_add_ index_fill_ "
    "index_copy_ detach_ copy clamp_ clip_ relu_ sigmoid_ tanh_ exp_ sqrt_ neg_ abs_ round_ "
    "floor_ masked_scatter_ apply_ map_ put_ nan_to_num_ tril_ triu_ index_put_ resolve_conj "
    "fill_diagonal_ trunc_normal_ scatter_reduce "
    "masked_scatter logcumsumexp cummax_ addcmul addcdiv"
)
FLOATED = words(
    "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh "
    "tanh sigmoid erf erfc logit reciprocal lgamma digamma"
)
TESTING = words("isnan isinf isfinite logical_not isneginf isposinf signbit")


def moved(_: Call, x: Array, value: Value) -> Value:
    """Return the input's elements unchanged."""
    return like(x, x.shape, value)


def with_axes(call: Call, x: Array, value: Value) -> Value:
    """Return the input's elements in another order; raise where it has no such axis."""
    rank = rank_of(x)
    axes = call.given(1, "dims", "axis")
    items = axes.data if axes is not None and isinstance(axes.data, list | tuple) else (axes,)
    for axis in items if rank is not None and x.library == "torch" else ():
        if axis is not None and size(axis) is not None:
            axis_of(axis, rank or 0)
    return like(x, x.shape, value)


def with_bounds(names: Sequence[str]) -> None:
    """Register what leaves the elements themselves as they are."""
    operation(*names)(moved)


def _masked(call: Call, x: Array, value: Value) -> Value:
    """Return an array of which a mask that broadcasts to it selects what changes."""
    mask = call.given(1, "mask")
    y = array(mask)
    if mask is None or y is None or x.library != "torch":
        return kept(call, x, value)
    if y.dtype is not None and y.dtype not in ("bool", "uint8"):
        raise Raised("type", f"masked_fill only supports boolean masks, not {y.dtype}", mask)
    if x.shape is None or y.shape is None:
        return kept(call, x, value)
    shape = arrays.broadcast(x.shape, y.shape)
    return like(x, shape if not call.name.endswith("_") else x.shape, value, mask)


operation(*KEEPING, also=[f"torch.nn.functional.{n}" for n in ACTIVATIONS])(kept)
with_bounds(
    words("clone contiguous detach detach_ fliplr flipud roll requires_grad_ pin_memory copy")
)
operation("flip")(with_axes)


operation("masked_fill", "masked_fill_")(_masked)


@operation("abs", "absolute")
def _absolute(_: Call, x: Array, value: Value) -> Value:
    dtype = {"complex64": "float32", "complex128": "float64"}.get(x.dtype or "", x.dtype)
    return tensor(x.shape, dtype, value, library=x.library, device=x.device)


@operation("copy_")
def _copied(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "src", "other")
    y = array(other)
    if x.shape is not None and y is not None and y.shape is not None:
        expanded(y.shape, x.shape)
    return kept(call, x, value)


@operation("index_add", "index_add_")
def _index_add(call: Call, x: Array, value: Value) -> Value:
    axis, index, source = call.given(1, "dim"), call.given(2, "index"), call.given(3, "source")
    y, z, at = array(index), array(source), size(axis)
    known = y is not None and z is not None and y.shape and z.shape and at is not None
    if known and y and z and y.shape and z.shape and -len(z.shape) <= (at or 0) < len(z.shape):
        message = "index_add_(): Number of indices should be equal to source.size(dim)"
        arrays.same(y.shape[0], z.shape[at or 0], message)
    return _put_at(call, x, value)


@operation(
    *words("scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_"),
    *words("index_copy index_copy_ index_fill index_fill_ index_reduce index_reduce_"),
)
def _put_at(call: Call, x: Array, value: Value) -> Value:
    """Return an array with other items at some indices of an axis; raise where one is beyond it."""
    axis, index = call.given(1, "dim"), call.given(2, "index")
    y = array(index)
    if axis is not None and index is not None and y is not None and x.shape:
        at = axis_of(axis, len(x.shape))
        if at is not None:
            bounded(y, index, x.shape[at])
    return kept(call, x, value)


@operation(*FLOATED, also=["torch.special.expit"])
def floated_elements(_: Call, x: Array, value: Value) -> Value:
    """Return floating-point numbers of the same shape."""
    return tensor(x.shape, floated(x), value, library=x.library, device=x.device)


@operation(*TESTING)
def tested_elements(_: Call, x: Array, value: Value) -> Value:
    """Return truth values of the same shape."""
    return tensor(x.shape, "bool", value, library=x.library, device=x.device)


@operation(
    "softmax",
    "log_softmax",
    also=["torch.nn.functional.softmax", "torch.nn.functional.log_softmax"],
)
def _softmax(call: Call, x: Array, value: Value) -> Value:
    wanted = dtype_of(call.given(2 if "functional" not in call.name else 4, "dtype"))
    if wanted is None and "dtype" not in call.keywords:
        needs_floating(x, value, "softmax")
    axis = call.given(1, "dim")
    if x.shape is not None and axis is not None:
        axis_of(axis, len(x.shape))
    dtype = wanted if "dtype" in call.keywords else wanted or x.dtype
    return tensor(x.shape, dtype, value, library=x.library, device=x.device)


BINARY = words(
    "add sub subtract mul multiply pow maximum minimum fmod remainder floor_divide "
    "bitwise_and bitwise_or bitwise_xor hypot lerp copysign rsub"
)
DIVIDING = ["div", "divide", "true_divide", "atan2", "arctan2"]
COMPARING = words(
    "eq ne lt le gt ge equal_ logical_and logical_or logical_xor isclose greater less "
    "not_equal greater_equal less_equal"
)


def joined(x: Array, left: Value, y: Array, right: Value) -> Shape | None:
    """Return the shape that two arrays broadcast to; raise where they or their devices differ."""
    if 0 not in (rank_of(x), rank_of(y)):
        same_device(x, left, y, right)
    if x.shape is None or y.shape is None:
        arrays.operands_unlike(x, left, y, right, "sizes do not broadcast")
        return None
    return arrays.broadcast(x.shape, y.shape)


def paired(call: Call, x: Array, value: Value, dtype: str | None, *, divides: bool) -> Value:
    """Return the result of an operation of two operands, of which the first is an array."""
    other = _as_plain(call.given(1, "other", "exponent"))
    if other is None:
        return tensor(None, dtype, value, library=x.library, device=x.device)
    y = array(other)
    if y is None:
        if isinstance(other.data, str) or other.data is None:
            raise Raised("type", "unsupported operand types", value, other)
        plain = isinstance(other.data, int | float)
        dtype_found = dtype or with_scalar(x, other.data)
        if divides and dtype_found is not None:
            dtype_found = floated(Array(None, dtype_found, x.library))
        shape = x.shape if plain else None
        return tensor(shape, dtype_found, value, other, library=x.library, device=x.device)
    shape = joined(x, value, y, other)
    dtype_found = dtype or promoted(x, y)
    if divides and dtype_found is not None:
        dtype_found = floated(Array(None, dtype_found, x.library))
    library = "torch" if "torch" in (x.library, y.library) else x.library
    device = x.device if rank_of(x) != 0 else y.device
    return tensor(shape, dtype_found, value, other, library=library, device=device)


def _as_plain(value: Value | None) -> Value | None:
    """Return a number of which only the type is known as one of this type."""
    if value is None or not arrays.is_number(value):
        return value
    return Value(arrays.number_of(value), value.origins)


@MODELS.numbers
def _binary_function(_: Interpreter, call: Call) -> Value:
    """Return the result of an operation whose first operand may be a plain number."""
    given = _as_plain(call.given(0, "input", "self"))
    other = _as_plain(call.given(1, "other", "exponent"))
    y = array(other)
    if given is not None and isinstance(given.data, int | float) and y is not None:
        dtype = with_scalar(y, given.data)
        return tensor(y.shape, dtype, *call.args, device=y.device)
    operand_pair = subject(call)
    if operand_pair is None:
        return call.unknown()
    return paired(call, *operand_pair, None, divides=False)


@operation(*BINARY, *(f"{n}_" for n in BINARY), numbers=True)
def _binary(call: Call, x: Array, value: Value) -> Value:
    result = paired(call, x, value, None, divides=False)
    if not call.name.endswith("_"):
        return result
    data = array(result)
    if data is not None and data.shape is not None and x.shape is not None:
        if len(data.shape) > len(x.shape):
            sides = Value(len(x.shape), value.origins), Value(len(data.shape), result.origins)
            raise Raised("size", "output doesn't match the broadcast shape", *sides)
        for mine, wider in zip(reversed(x.shape), reversed(data.shape), strict=True):
            arrays.same(mine, wider, "output doesn't match the broadcast shape")
    return Value(Array(x.shape, x.dtype, x.library, x.device), result.origins)


for _name in ("pow", "add", "mul", "sub", "subtract", "multiply", "remainder"):
    MODELS.functions[f"torch.{_name}"] = _binary_function


@operation(*DIVIDING, "div_", numbers=True)
def _dividing(call: Call, x: Array, value: Value) -> Value:
    whole = "rounding_mode" in call.keywords
    return paired(call, x, value, None, divides=not whole)


@operation(*COMPARING, numbers=True)
def _comparing(call: Call, x: Array, value: Value) -> Value:
    return paired(call, x, value, "bool", divides=False)


@operation("masked_select", "nonzero", "argwhere", "bincount")
def _selected(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    free = Value(UNKNOWN, value.origins)
    rank = rank_of(x)
    if name == "bincount":
        counted = {"minlength", "weights"}
        if call.keywords.keys() - counted or len(call.args) > 1 or x.library != "torch":
            return call.unknown()
        if x.dtype in FLOATING:
            raise Raised("type", f"bincount only supports 1-d non-negative integers, not {x.dtype}")
        dtype = "int64" if "weights" not in call.keywords else None
        return tensor((free,), dtype, value, library=x.library, device=x.device)
    as_tuple = flag(call.keywords.get("as_tuple"), default=name == "nonzero")
    if call.keywords.keys() - {"as_tuple", "mask"}:
        return call.unknown()
    if name == "nonzero" and (x.library != "torch" or "as_tuple" in call.keywords):
        if rank is None or as_tuple is None:
            return call.unknown()
        if as_tuple:
            result = tensor((free,), "int64", value, library=x.library, device=x.device)
            return Value(tuple(result for _ in range(max(rank, 1))), value.origins)
    if name in ("nonzero", "argwhere"):
        shape = None if rank is None else (free, Value(rank, value.origins))
        return tensor(shape, "int64", value, library=x.library, device=x.device)
    return tensor((free,), x.dtype, value, library=x.library, device=x.device)


@MODELS.function("torch.where")
@MODELS.method("array", "where")
def _where(_: Interpreter, call: Call) -> Value:
    given = [call.given(i, *n) for i, n in enumerate((("condition",), ("input", "x"), ("other",)))]
    if call.receiver is not None:
        given = [call.given(0, "condition"), call.receiver, call.given(1, "other")]
    operands = [v for v in given if v is not None]
    arrays_given = [array(v) for v in operands]
    if len(operands) == 1 and arrays_given[0] is not None and call.receiver is None:
        rank, free = rank_of(arrays_given[0]), Value(UNKNOWN, operands[0].origins)
        if rank is None:
            return call.unknown()
        places = tensor((free,), "int64", operands[0], device=arrays_given[0].device)
        return Value(tuple(places for _ in range(max(rank, 1))), operands[0].origins)
    if len(operands) < 3 or arrays_given[0] is None:
        return call.unknown()
    shape: Shape | None = ()
    for operand, data in zip(operands, arrays_given, strict=True):
        if data is None and isinstance(operand.data, int | float):
            continue
        if data is None or data.shape is None or shape is None:
            shape = None
            continue
        shape = arrays.broadcast(shape, data.shape)
    x, y = arrays_given[1], arrays_given[2]
    dtype = promoted(x, y) if x is not None and y is not None else None
    if (x is None) != (y is None):
        tensor_side, plain = (x, operands[2]) if x is not None else (y, operands[1])
        assert tensor_side is not None
        dtype = with_scalar(tensor_side, plain.data)
    elif x is None and y is None:
        kinds = {type(operand.data) for operand in operands[1:]}
        if kinds <= {int, float, bool}:
            dtype = "float32" if float in kinds else "int64" if int in kinds else "bool"
    return tensor(shape, dtype, *operands, device=arrays_given[0].device)


# --- making tensors -------------------------------------------------------------------------------


DEEPEST_LISTED = 8
MOST_NUMBERS = 100_000
"""Numbers of nested lists that are all looked at."""


def listed(value: Value, depth: int = 0) -> tuple[Shape, str | None, list[int]] | None:
    """Return the shape, NumPy's dtype and whole numbers of nested lists, None where not known."""
    data = value.data
    if isinstance(data, Array):
        return None if data.shape is None else (data.shape, data.dtype, [])
    if isinstance(data, bool):
        return (), "bool", []
    if isinstance(data, int):
        return (), "int64", [data]
    if isinstance(data, float):
        return (), "float64", []
    if isinstance(data, Lazy):
        return _of_sequence(data, depth) if depth <= DEEPEST_LISTED else None
    if data is None or isinstance(data, str | dict):
        raise Raised("type", f"could not infer the dtype of {type(data).__name__}", value)
    if not isinstance(data, list | tuple) or depth > DEEPEST_LISTED:
        return None
    length = Value(len(data), value.origins or merged(*data[:24]))
    if not data:
        return (length,), "float64", []
    whole = [item.data for item in data if type(item.data) is int]
    if len(whole) == len(data):
        return (length,), "int64", whole
    # The items of a long list that hold no numbers are alike; of very many one is looked at.
    most = MAX_LISTED if _numbers_inside(data) <= MOST_NUMBERS else 1
    parts = [listed(item, depth + 1) for item in data[:most]]
    first = parts[0]
    if first is None or any(p is None for p in parts):
        return None
    inner: Shape = first[0]
    dtypes: set[str | None] = set()
    numbers: list[int] = []
    for part in parts:
        assert part is not None
        if len(part[0]) != len(inner):
            sides = Value(len(inner), value.origins), Value(len(part[0]), value.origins)
            raise Raised("size", "the rows of the list have different lengths", *sides)
        inner = tuple(
            arrays.same(x, y, "the rows of the list have different lengths")
            for x, y in zip(inner, part[0], strict=True)
        )
        dtypes.add(part[1])
        numbers += part[2]
    order = [*WHOLE, *FLOATING]
    joint = None if None in dtypes else max((d for d in dtypes if d), key=_order(order))
    return (length, *inner), joint, numbers


def _of_sequence(data: Lazy, depth: int) -> tuple[Shape, str | None, list[int]] | None:
    """Return what a sequence comes to of whose kinds of items one at least is known.

    One item has the shape of all others, or no tensor is made of them.
    """
    items = (data.item, *data.others)
    parts = [listed(item, depth + 1) if item.known else None for item in items]
    known = [part for part in parts if part is not None]
    if not known or len({len(part[0]) for part in known}) > 1:
        return None
    dtypes = {None if part is None else part[1] for part in parts}
    return (data.length, *known[0][0]), dtypes.pop() if len(dtypes) == 1 else None, []


def _numbers_inside(data: Sequence[Value]) -> int:
    """Return how many numbers nested lists hold, as far as the first items tell."""
    count, depth = 1, 0
    held: object = data
    while isinstance(held, (list, tuple)) and held and depth <= DEEPEST_LISTED:
        count, depth = count * len(held), depth + 1
        held = held[0].data
    return count


def _order(order: list[str]) -> Callable[[str], int]:
    return lambda name: order.index(name) if name in order else -1


@MODELS.function(*(name for name in OF_TENSORS if name.startswith("torch.cuda.")))
@MODELS.numbers
def _tensor_on_device(run: Interpreter, call: Call) -> Value:
    name = f"torch.{call.name.rpartition('.')[2]}"
    made = _tensor(run, Call(name, call.args, call.keywords, call.place))
    if isinstance(made.data, Array):
        made.data.device = OF_TENSORS[call.name][1]
    return made


@MODELS.function(
    "torch.tensor", "torch.as_tensor", "torch.asarray", "torch.from_numpy", "torch.LongTensor",
    "torch.FloatTensor", "torch.DoubleTensor", "torch.IntTensor", "torch.BoolTensor",
    "torch.ByteTensor", "torch.HalfTensor", "torch.Tensor", "torch.scalar_tensor",
    "torch.sparse_coo_tensor_",
)  # fmt: skip
@MODELS.numbers
def _tensor(_: Interpreter, call: Call) -> Value:
    last = call.name.rpartition(".")[2]
    value = call.given(0, "data", "obj")
    wanted = call.given(1, "dtype") if not last.endswith("Tensor") else None
    dtype = dtype_of(wanted)
    if last.endswith("Tensor"):
        dtype = TORCH_DTYPES[last]
        if value is not None and arrays.is_number(value):
            length = Value(UNKNOWN, value.origins)
            return tensor((length, *map(dimension, call.args[1:])), dtype, value, device="cpu")
        if len(call.args) > 1 or (value is not None and size(value) is not None):
            return tensor(dims_of(call.args), dtype, *call.args, device="cpu")
    if value is None:
        return call.unknown()
    fixed = dtype is not None or wanted is not None
    given_device = call.given(2, "device")
    if arrays.is_number(value):
        value = as_tensor(value)
    x = array(value)
    if last == "from_numpy" and (
        (x is not None and x.library == "torch")
        or isinstance(value.data, list | tuple | int | float)
    ):
        raise Raised("type", "expected np.ndarray", value)
    if x is not None and x.library == "scipy":
        message = "sparse array length is ambiguous; use getnnz() or shape[0]"
        raise Raised("type", message, Value(UNKNOWN, value.origins))
    if x is not None:
        if x.dtype in ("object", "str", "U"):
            raise Raised("type", "can't convert np.ndarray of type numpy.object_", value)
        kept_device = x.device if x.library == "torch" else "cpu"
        device = device_of(given_device) if given_device is not None else kept_device
        output = like(x, x.shape, value)
        data = array(output)
        assert data is not None
        data.dtype, data.library, data.device = dtype if fixed else x.dtype, "torch", device
        known = isinstance(x, Series) and x.cells is not None
        known = known or (isinstance(x, Grid) and x.columns is not None)
        data.attained = (known or x.attained) and x.lowest is not None
        return output
    device = device_of(given_device) if given_device is not None else "cpu"
    _refuse_items(value)
    parts = listed(value)
    if parts is None:
        return tensor(None, dtype, value, device=device)
    shape, inferred, numbers = parts
    if inferred == "float64" and not _has_arrays(value) and not _has_numpy_floats(value):
        inferred = "float32"
    result = tensor(shape, dtype if fixed else inferred, value, device=device)
    data = array(result)
    if data is not None and numbers and inferred == "int64" and not _has_arrays(value):
        data.lowest, data.highest = min(numbers), max(numbers)
        data.attained = True
        result.origins |= _made_of_bounds(value, data.lowest, data.highest)
    return result


def _made_of_bounds(value: Value, lowest: int, highest: int) -> Origins:
    """Return what made the lowest and the highest number of a list."""
    items = value.data if isinstance(value.data, (list, tuple)) else ()
    bounds = [next((i for i in items if i.data == bound), None) for bound in (lowest, highest)]
    return merged(*(item for item in bounds if item is not None))


_MOST_LOOKED_AT = 2_000
_DEEPEST_LIST = 4
FEW_LISTED = 16
"""Items of each of nested lists that are looked at where they hold very many numbers."""


def _refuse_items(value: Value, depth: int = _DEEPEST_LIST) -> None:
    """Raise where a list that a tensor is made of holds something that is no number.

    PyTorch says so of the first such item (``Could not infer dtype of NoneType``).
    """
    data = value.data
    if isinstance(data, Lazy):
        items: Sequence[Value] = data.others
    elif isinstance(data, (list, tuple)):
        is_small = _numbers_inside(data) <= MOST_NUMBERS
        items = data[: _MOST_LOOKED_AT if is_small else FEW_LISTED]
    else:
        items = ()
    for item in items:
        if item.data is None or isinstance(item.data, (dict, set)):
            kind = "NoneType" if item.data is None else type(item.data).__name__
            raise Raised("type", f"Could not infer dtype of {kind}", item)
        if isinstance(item.data, str):
            raise Raised("type", "new(): invalid data type 'str'", item)
        if depth:
            _refuse_items(item, depth - 1)


def as_tensor(value: Value) -> Value:
    """Return a number of which only the type is known as PyTorch's scalar."""
    x = array(value)
    assert x is not None
    dtype = "float32" if x.dtype == "float64" else x.dtype
    return Value(Array((), dtype, "torch", "cpu", x.lowest, x.highest), value.origins)


def _has_arrays(value: Value) -> bool:
    while isinstance(value.data, list | tuple) and value.data:
        value = value.data[0]
    return isinstance(value.data, Array) and not arrays.is_number(value)


def _has_numpy_floats(value: Value, depth: int = _DEEPEST_LIST) -> bool:
    """Whether a number, or one of the first of a list, is one of NumPy's, which keep float64."""
    if isinstance(value, NumpyFloat):
        return True
    items = value.data if isinstance(value.data, (list, tuple)) and depth else ()
    return any(_has_numpy_floats(item, depth - 1) for item in items[:FEW_LISTED])


def made_device(call: Call) -> str | None:
    """Return the device of a new tensor: the one that is given, else the processor's."""
    given = call.keywords.get("device")
    return "cpu" if given is None or given.data is None else device_of(given)


@MODELS.function(
    *(f"torch.{n}" for n in ("zeros", "ones", "empty", "rand", "randn", "full", "randint"))
)
def _made(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    args, low, high = call.args, None, None
    dtype = dtype_of(DEFAULTS.get(interpreter)) or "float32"
    if name == "full":
        fill = call.given(1, "fill_value")
        args = call.args[:1]
        number = None if fill is None else fill.data
        dtype = with_scalar(Array(None, "bool", "torch"), number) or ""
    elif name == "randint":
        dtype = "int64"
        plain = [size(a) for a in args[:2]]
        if len(args) > 1 and isinstance(args[1].data, list | tuple):
            low, high, args = Value(0), args[0], args[1:2]
        elif len(args) > 2:
            low, high, args = args[0], args[1], args[2:3]
        elif len(args) == 2 and None not in plain and "size" in call.keywords:
            low, high, args = args[0], args[1], ()
        elif len(args) == 1 and "size" in call.keywords:
            low, high = call.keywords.get("low", Value(0)), args[0]
            high, low = (call.keywords["high"], args[0]) if "high" in call.keywords else (high, low)
            args = ()
        elif "size" in call.keywords and "high" in call.keywords:
            low, high = call.keywords.get("low", Value(0)), call.keywords["high"]
        else:
            return tensor(None, dtype_of(call.keywords.get("dtype")) or dtype, *call.args)
        ask_range(low, high)
    if "size" in call.keywords:
        args = (call.keywords["size"],)
    if "dtype" in call.keywords and call.keywords["dtype"].data is not None:
        dtype = dtype_of(call.keywords["dtype"]) or ""
    shape = dims_of(args)
    _no_negative(shape)
    result = tensor(shape, dtype or None, *call.args, device=made_device(call))
    data = array(result)
    constant = {"zeros": Value(0), "ones": Value(1)}.get(name)
    constant = call.given(1, "fill_value") if name == "full" else constant
    if data is not None and constant is not None and data.dtype in WHOLE:
        data.lowest = data.highest = size(constant)
    if data is not None and size(high) is not None:
        top = size(high)
        data.lowest, data.highest = size(low), None if top is None else top - 1
    return result


def ask_range(low: Value | None, high: Value | None) -> None:
    """Refuse a range of whole numbers that holds none, as all that PyTorch draws from one does."""
    first, last = size(low), size(high)
    if first is not None and last is not None and first >= last:
        sides = (side for side in (low, high) if side is not None)
        raise Raised("value", "random_ expects 'from' to be less than 'to'", *sides)


@operation("random_")
def _drawn_in_place(call: Call, x: Array, value: Value) -> Value:
    """Return the tensor that whole numbers are drawn into: below one, or from one to another."""
    low, high = call.given(1, "from"), call.given(2, "to")
    if high is None:
        low, high = Value(0), low
    ask_range(low, high)
    return kept(call, x, value)


def _no_negative(shape: Shape | None) -> None:
    for dim in shape or ():
        number = size(dim)
        if number is not None and number < 0:
            raise Raised("size", "Trying to create tensor with negative dimension", dim)


@MODELS.function(
    "torch.arange", "torch.range", "torch.linspace", "torch.logspace", "torch.randperm"
)
def _counted(_: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    given = dtype_of(call.keywords.get("dtype"))
    asked = "dtype" in call.keywords
    origins = list(call.args)
    device = made_device(call)
    if name in ("linspace", "logspace"):
        steps = call.given(2, "steps")
        shape = (dimension(steps),) if steps is not None else (unknown(*origins),)
        return tensor(shape, given if asked else "float32", *origins, device=device)
    if name == "randperm":
        count = call.given(0, "n")
        shape = (dimension(count) if count is not None else unknown(),)
        result = tensor(shape, given if asked else "int64", *origins, device=device)
        data, top = array(result), size(count)
        return _in_order(result, 0, top - 1) if data is not None and top else result
    numbers = [call.given(0, "start", "end"), call.given(1, "end"), call.given(2, "step")]
    numbers_given = [a for a in numbers if a is not None]
    start = (
        Value(0)
        if len(numbers_given) == 1
        else numbers_given[0]
        if numbers_given
        else Value(UNKNOWN)
    )
    stop = (
        numbers_given[0]
        if len(numbers_given) == 1
        else numbers_given[1]
        if numbers_given
        else Value(UNKNOWN)
    )
    step = numbers_given[2] if len(numbers_given) > 2 else Value(1)
    dtype = None
    if all(size(v) is not None for v in (start, stop, step)):
        dtype = "int64"
    elif any(isinstance(v.data, float) for v in numbers_given):
        dtype = "float32"
    first, last, by = size(start), size(stop), size(step)
    count = Value(UNKNOWN, merged(*numbers_given))
    ends = [v.data for v in (start, stop, step)]
    numbers_known = all(isinstance(n, int | float) and not isinstance(n, bool) for n in ends)
    if numbers_known and dtype == "float32" and name == "arange":
        low, high, width = (float(n) for n in ends if isinstance(n, int | float))
        if width and (high - low) / width < 1_000_000:
            count = Value(max(0, math.ceil((high - low) / width)), merged(*numbers_given))
    if first is not None and last is not None and by and name == "arange":
        count = Value(len(range(first, last, by)), merged(*numbers_given))
    elif (
        numbers_given
        and len(numbers_given) == 1
        and name == "arange"
        and not numbers_given[0].known
    ):
        count = Value(UNKNOWN, merged(*numbers_given))
    result = tensor((count,), given if asked else dtype, *origins, device=device)
    data = array(result)
    if data is not None and first is not None and last is not None and by == 1 and last > first:
        whole = name == "arange" and data.dtype in WHOLE
        data.lowest, data.highest = first, last - 1
        return _in_order(result, first, last - 1) if whole else result
    return result


def _in_order(result: Value, lowest: int, highest: int) -> Value:
    """Return an array of all whole numbers between two."""
    data = array(result)
    if data is None:
        return result
    made = Ordered(data.shape, data.dtype, data.library, data.device, lowest, highest)
    made.attained = True
    return Value(made, result.origins)


@MODELS.function("torch.eye")
def _eye(_: Interpreter, call: Call) -> Value:
    n = call.given(0, "n")
    if n is None:
        return call.unknown()
    m = call.given(1, "m") or n
    dtype = dtype_of(call.keywords["dtype"]) if "dtype" in call.keywords else "float32"
    return tensor((dimension(n), dimension(m)), dtype, n, m, device=made_device(call))


@operation("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like")
def _alike(call: Call, x: Array, value: Value) -> Value:
    dtype = dtype_of(call.keywords["dtype"]) if "dtype" in call.keywords else x.dtype
    device = device_of(call.keywords["device"]) if "device" in call.keywords else x.device
    result = tensor(x.shape, dtype, value, library=x.library, device=device)
    data, name = array(result), call.name.rpartition(".")[2]
    constant = {"zeros_like": Value(0), "ones_like": Value(1)}.get(name)
    constant = call.given(1, "fill_value") if name == "full_like" else constant
    if data is not None and constant is not None and dtype in WHOLE:
        data.lowest = data.highest = size(constant)
    return result


@operation("new_zeros", "new_ones", "new_empty", "new_full", "new_tensor", "new")
def _new(call: Call, x: Array, value: Value) -> Value:
    if call.name == "new_tensor":
        parts = listed(call.args[1]) if len(call.args) > 1 else None
        if parts is not None:
            dtype = dtype_of(call.keywords["dtype"]) if "dtype" in call.keywords else None
            inferred = "float32" if parts[1] == "float64" else parts[1]
            return tensor(
                parts[0], dtype or x.dtype or inferred, value, *call.args[1:2], device=x.device
            )
    if call.name == "new" and all(size(part) is not None for part in call.args[1:]):
        dims = call.args[1:] or (Value(0),)
        return tensor(dims, x.dtype, value, *call.args[1:], device=x.device)
    if call.name in ("new_tensor", "new"):
        return tensor(None, x.dtype if call.name == "new" else None, value, device=x.device)
    args = call.args[1:2] if call.name == "new_full" else call.args[1:]
    args = (call.keywords["size"],) if "size" in call.keywords else args
    dtype = dtype_of(call.keywords["dtype"]) if "dtype" in call.keywords else x.dtype
    return tensor(dims_of(args), dtype, value, *args, device=x.device)


@MODELS.function("torch.normal")
def _normal(_: Interpreter, call: Call) -> Value:
    asked = call.given(2, "size")
    if asked is not None:
        return tensor(dims_of((asked,)), "float32", asked, device=made_device(call))
    for value in (call.given(0, "mean"), call.given(1, "std")):
        x = array(value)
        if x is not None and value is not None:
            return tensor(x.shape, x.dtype, value, device=x.device)
    return call.unknown()
