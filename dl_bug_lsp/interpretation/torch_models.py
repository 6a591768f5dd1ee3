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
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.torch_tensors import (
    ACTIVATIONS,
    DEFAULTS,
    FLOATING,
    MAX_LISTED,
    TORCH_DTYPES,
    WHOLE,
    Shape,
    Stored,
    attribute,
    bounded,
    device_of,
    dimension,
    dims_of,
    dtype_of,
    expanded,
    flag,
    flattened,
    floated,
    kept,
    kind_of,
    like,
    needs_floating,
    operation,
    promoted,
    rank_of,
    same_device,
    same_dtype,
    subject,
    tensor,
    text,
    times,
    unflattened,
    with_scalar,
    words,
)
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    Library,
    LibraryObject,
    Origins,
    Raised,
    Uneven,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# --- element by element ---------------------------------------------------------------------------

KEEPING = words(
    "abs absolute neg negative sign round floor ceil trunc clamp clip clamp_min clamp_max "
    "nan_to_num relu positive square threshold clone contiguous detach "
    "flip fliplr flipud roll triu tril requires_grad_ pin_memory share_memory_ "
    "masked_fill scatter scatter_add index_add index_copy index_fill index_put fill_ "
    "zero_ uniform_ normal_ random_ bernoulli_ copy_ retain_grad exponential_ xavier "
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
    return kept(call, x, value)


@operation(*FLOATED, also=["torch.special.expit"])
def _floated(_: Call, x: Array, value: Value) -> Value:
    return tensor(x.shape, floated(x), value, library=x.library, device=x.device)


@operation(*TESTING)
def _tested(_: Call, x: Array, value: Value) -> Value:
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
    if data is None or isinstance(data, str | dict):
        raise Raised("type", f"could not infer the dtype of {type(data).__name__}", value)
    if not isinstance(data, list | tuple) or depth > 8 or len(data) > MAX_LISTED:
        return None
    length = Value(len(data), value.origins or merged(*data[:24]))
    if not data:
        return (length,), "float64", []
    parts = [listed(item, depth + 1) for item in data]
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


def _order(order: list[str]) -> Callable[[str], int]:
    return lambda name: order.index(name) if name in order else -1


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
        return output
    device = device_of(given_device) if given_device is not None else "cpu"
    parts = listed(value)
    if parts is None:
        return tensor(None, dtype, value, device=device)
    shape, inferred, numbers = parts
    if inferred == "float64" and not _has_arrays(value):
        inferred = "float32"
    result = tensor(shape, dtype if fixed else inferred, value, device=device)
    data = array(result)
    if data is not None and numbers and inferred == "int64" and not _has_arrays(value):
        data.lowest, data.highest = min(numbers), max(numbers)
    return result


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
    if "size" in call.keywords:
        args = (call.keywords["size"],)
    if "dtype" in call.keywords and call.keywords["dtype"].data is not None:
        dtype = dtype_of(call.keywords["dtype"]) or ""
    shape = dims_of(args)
    _no_negative(shape)
    result = tensor(shape, dtype or None, *call.args, device=made_device(call))
    data = array(result)
    if data is not None and size(high) is not None:
        top = size(high)
        data.lowest, data.highest = size(low), None if top is None else top - 1
    return result


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
        if data is not None and top:
            data.lowest, data.highest = 0, top - 1
        return result
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
        data.lowest, data.highest = first, last - 1
    return result


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
    return tensor(x.shape, dtype, value, library=x.library, device=device)


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


# --- shapes ---------------------------------------------------------------------------------------


@operation("view", "reshape", "_unsafe_view")
def _view(call: Call, x: Array, value: Value) -> Value:
    rest = call.args[1:]
    for name in ("shape", "size", "newshape"):
        if name in call.keywords:
            rest = (call.keywords[name],)
    if call.name == "view" and x.library != "torch":
        return call.unknown()
    if len(rest) == 1 and (dtype_of(rest[0]) or isinstance(rest[0].data, Library)):
        return tensor(x.shape, dtype_of(rest[0]), value, library=x.library, device=x.device)
    wanted = dims_of(rest)
    if wanted is None:
        return like(x, None, value, *rest)
    if sum(size(d) == -1 for d in wanted) > 1:
        raise Raised("size", "only one dimension can be inferred", *wanted)
    return like(x, arrays.reshaped(x.shape, wanted), value, *rest)


@operation("view_as", "reshape_as", "expand_as")
def _view_as(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "other")
    y = array(other)
    if other is None or y is None or y.shape is None:
        return like(x, None, value)
    if call.name == "expand_as":
        return like(x, expanded(x.shape, y.shape), value, other)
    return like(x, arrays.reshaped(x.shape, y.shape), value, other)


@operation("expand", "broadcast_to")
def _expand(call: Call, x: Array, value: Value) -> Value:
    rest = (call.keywords["size"],) if "size" in call.keywords else call.args[1:]
    wanted = dims_of(rest)
    return like(x, None if wanted is None else expanded(x.shape, wanted), value, *rest)


@operation("repeat", "tile")
def _repeat(call: Call, x: Array, value: Value) -> Value:
    rest = call.args[1:]
    if x.library != "torch" and call.name == "repeat":
        return repeated(call, x, value)
    counts = dims_of(rest or tuple(call.keywords.values()))
    if counts is None or x.shape is None:
        return like(x, None, value, *rest)
    lead = len(counts) - len(x.shape)
    if lead < 0:
        if call.name.endswith("repeat"):
            message = "number of dimensions of repeat dims can not be smaller than the tensor's"
            raise Raised("size", message, Value(len(counts), merged(*counts)), Value(len(x.shape)))
        counts = (*(Value(1) for _ in range(-lead)), *counts)
        lead = 0
    shape = (*counts[:lead], *(times(a, b) for a, b in zip(x.shape, counts[lead:], strict=True)))
    return like(x, shape, value, *rest)


@operation("repeat_interleave")
def repeated(call: Call, x: Array, value: Value) -> Value:
    """Return an array whose elements are repeated along an axis (NumPy, ``numpy.repeat``)."""
    count, axis = call.given(1, "repeats"), call.given(2, "dim", "axis")
    if count is not None and x.shape is not None and size(count) is None and axis is not None:
        at, counts = axis_of(axis, len(x.shape)), array(count)
        if counts is not None and counts.shape and at is not None and size(counts.shape[0]) != 1:
            message = "repeats must have the same size as input along dim"
            arrays.same(counts.shape[0], x.shape[at], message)
        if at is not None:
            free = unknown(x.shape[at], count)
            return like(x, (*x.shape[:at], free, *x.shape[at + 1 :]), value)
    if count is None or x.shape is None or size(count) is None:
        return like(x, x.shape and (unknown(*x.shape),) if axis is None else None, value)
    if axis is None:
        return like(x, (times(arrays.product(x.shape), count),), value, count)
    at = axis_of(axis, len(x.shape))
    if at is None:
        return like(x, None, value)
    shape = (*x.shape[:at], times(x.shape[at], count), *x.shape[at + 1 :])
    return like(x, shape, value, count)


def reordered(x: Array, value: Value, axes: Sequence[Value]) -> Value:
    """Return an array with its axes in another order; raise where their number differs."""
    if x.shape is None:
        return like(x, None, value)
    if len(axes) != len(x.shape):
        sides = Value(len(x.shape), value.origins), Value(len(axes), merged(*axes))
        raise Raised("size", "the number of axes does not match the array's", *sides)
    at = [axis_of(a, len(x.shape)) for a in axes]
    if any(a is None for a in at):
        return like(x, [unknown(*x.shape) for _ in x.shape], value)
    if len(set(at)) != len(at):
        raise Raised("value", "repeated axis in permute", value)
    return like(x, [x.shape[a] for a in at if a is not None], value)


@operation("permute")
def _permute(call: Call, x: Array, value: Value) -> Value:
    axes = dims_of((call.keywords["dims"],) if "dims" in call.keywords else call.args[1:])
    return like(x, None, value) if axes is None else reordered(x, value, axes)


@operation("transpose", "transpose_", "swapaxes", "swapdims")
def _transpose(call: Call, x: Array, value: Value) -> Value:
    first, second = call.given(1, "dim0", "axis0", "axes"), call.given(2, "dim1", "axis1")
    if x.library != "torch" and call.name == "transpose":
        if first is None:
            return like(x, None if x.shape is None else x.shape[::-1], value)
        axes = dims_of(call.args[1:] or (first,))
        return like(x, None, value) if axes is None else reordered(x, value, axes)
    if x.shape is None or first is None or second is None:
        return like(x, None, value)
    a, b = axis_of(first, len(x.shape)), axis_of(second, len(x.shape))
    if a is None or b is None:
        return like(x, [unknown(*x.shape) for _ in x.shape], value)
    shape = list(x.shape)
    if shape:
        shape[a], shape[b] = shape[b], shape[a]
    return like(x, shape, value)


@operation("movedim", "moveaxis")
def _movedim(call: Call, x: Array, value: Value) -> Value:
    given = call.given(1, "source"), call.given(2, "destination")
    if x.shape is None or given[0] is None or given[1] is None:
        return like(x, None, value)
    axes_moved: list[list[int | None]] = []
    for axes in given:
        assert axes is not None
        items = axes.data if isinstance(axes.data, list | tuple) else (axes,)
        axes_moved.append([axis_of(item, len(x.shape)) for item in items])
    source, target = axes_moved
    if None in source or None in target or len(source) != len(target):
        return like(x, None, value)
    order = [i for i in range(len(x.shape)) if i not in source]
    for to, item in sorted(zip(target, source, strict=True), key=lambda pair: pair[0] or 0):
        order.insert(to or 0, item or 0)
    return like(x, [x.shape[i] for i in order], value)


@operation("t", "adjoint")
def _turned(_: Call, x: Array, value: Value) -> Value:
    if x.shape is not None and len(x.shape) > 2:
        rank = Value(len(x.shape), value.origins)
        raise Raised("size", "t() expects a tensor with at most 2 dimensions", rank, Value(2))
    return like(x, None if x.shape is None else x.shape[::-1], value)


@operation("unsqueeze", "unsqueeze_")
def _unsqueeze(call: Call, x: Array, value: Value) -> Value:
    axis = call.given(1, "dim")
    if x.shape is None or axis is None:
        return like(x, None, value)
    at = axis_of(axis, len(x.shape) + 1)
    if at is None:
        return like(x, None, value)
    return like(x, (*x.shape[:at], Value(1, axis.origins), *x.shape[at:]), value, axis)


@operation("squeeze", "squeeze_")
def _squeeze(call: Call, x: Array, value: Value) -> Value:
    axis = call.given(1, "dim", "axis")
    if x.shape is None:
        return like(x, None, value)
    if axis is None or axis.data is None:
        if any(size(d) is None for d in x.shape):
            return like(x, None, value)
        return like(x, [d for d in x.shape if size(d) != 1], value)
    given = axis.data if isinstance(axis.data, tuple | list) else (axis,)
    at = [axis_of(a, len(x.shape)) for a in given]
    if any(a is None or size(x.shape[a]) is None for a in at if x.shape) or None in at:
        return like(x, None, value)
    if x.library == "numpy":
        for a in at:
            if a is not None and size(x.shape[a]) != 1:
                message = "cannot select an axis to squeeze out which has size not equal to one"
                raise Raised("size", message, x.shape[a], Value(1))
    return like(x, [d for i, d in enumerate(x.shape) if i not in at or size(d) != 1], value)


@operation("flatten", "ravel")
def _flatten(call: Call, x: Array, value: Value) -> Value:
    if x.library != "torch":
        return like(x, None if x.shape is None else (arrays.product(x.shape),), value)
    return like(x, flattened(x.shape, call.given(1, "start_dim"), call.given(2, "end_dim")), value)


@operation("unflatten")
def _unflatten(call: Call, x: Array, value: Value) -> Value:
    return like(x, unflattened(x.shape, call.given(1, "dim"), call.given(2, "sizes")), value)


def _unlike_others(parts: Sequence[Value], arrays_given: Sequence[Array | None]) -> None:
    """Raise where the message sets a size of one part against those of parts not known."""
    others = [
        part for part, x in zip(parts, arrays_given, strict=True) if x is None or x.shape is None
    ]
    for x in arrays_given:
        if others and x is not None and x.shape is not None:
            arrays.unlike(x.shape, unknown(*others), "sizes must match to be joined")


def _joined_shape(name: str, known: Sequence[Array], at: int) -> Shape | None:
    """Return the shape of arrays that a function joins along an axis."""
    shape = None
    if name == "stack":
        if known[0].shape is not None:
            axis_of(at, len(known[0].shape) + 1)
        shape = arrays.stacked(known, at)
    elif name in ("cat", "concat", "concatenate"):
        empty = [x for x in known if x.sizes == (0,)]
        rest = [x for x in known if x.sizes != (0,)] if len(empty) < len(known) else known
        shape = arrays.concatenated(rest, at)
    elif name == "dstack":
        if all(x.shape is not None and len(x.shape) == 2 for x in known):
            shape = arrays.stacked(known, 2)
    elif name in ("hstack", "vstack"):
        lowest = 2 if name == "vstack" else 1
        wide = [x for x in known if x.shape is not None and len(x.shape) >= lowest]
        along = 1 if name == "hstack" and wide and len(wide[0].shape or ()) > 1 else 0
        if len(wide) == len(known):
            shape = arrays.concatenated(wide, along)
        elif not wide and name == "vstack":
            shape = arrays.stacked(known, 0)
    return shape


@MODELS.function(
    *(f"torch.{n}" for n in ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack"))
)
def _cat(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    given = call.given(0, "tensors")
    if given is None:
        return call.unknown()
    if isinstance(given.data, Array):
        raise Raised("type", f"{name}(): argument 'tensors' must be tuple of Tensors", given)
    if not isinstance(given.data, list | tuple):
        items = interpreter.iterate(given) if isinstance(given.data, Lazy) else None
        lazy = items if isinstance(items, Lazy) else None
        return _cat_lazy(call, name, lazy, given)
    parts = list(given.data)
    if not parts:
        raise Raised("value", f"{name}() expected a non-empty list of Tensors", given)
    for part in parts:
        kind = kind_of(part)
        if kind is not None:
            raise Raised("type", f"expected Tensor as an element, but got {kind}", part)
    arrays_given = [array(p) for p in parts]
    known = [x for x in arrays_given if x is not None]
    if not known:
        return call.unknown()
    axis = call.given(1, "dim", "axis")
    at = 0 if axis is None else size(axis)
    dtype = known[0].dtype
    for more in known[1:]:
        dtype = promoted(Array((), dtype, "torch"), Array((), more.dtype, "torch"))
    for other, part in zip(known[1:], parts[1:], strict=False):
        if len(known) == len(parts):
            same_device(known[0], parts[0], other, part)
    is_whole = len(known) == len(parts) and at is not None
    shape = _joined_shape(name, known, at or 0) if is_whole else None
    if shape is None:
        _unlike_others(parts, arrays_given)
    result = tensor(shape, dtype, given, *parts, device=known[0].device)
    bounds = array(result)
    if bounds is not None and len(known) == len(parts):
        lows, highs = [x.lowest for x in known], [x.highest for x in known]
        bounds.lowest = None if None in lows else min(v for v in lows if v is not None)
        bounds.highest = None if None in highs else max(v for v in highs if v is not None)
    return result


def _cat_lazy(call: Call, name: str, items: Lazy | None, given: Value) -> Value:
    x = array(items.item) if items is not None else None
    axis = call.given(1, "dim", "axis")
    at = 0 if axis is None else size(axis)
    if items is None or x is None or x.shape is None or at is None:
        return tensor(None, None if x is None else x.dtype, given)
    if name == "stack":
        at = axis_of(at, len(x.shape) + 1) or 0
        return like(x, (*x.shape[:at], items.length, *x.shape[at:]), given)
    if name in ("cat", "concat", "concatenate"):
        at = axis_of(at, len(x.shape)) or 0
        total = times(x.shape[at], items.length)
        if isinstance(items.length, Uneven):
            total = unknown(total)
        return like(x, (*x.shape[:at], total, *x.shape[at + 1 :]), given)
    return tensor(None, x.dtype, given)


@operation("hsplit", "vsplit")
def _split_evenly(call: Call, x: Array, value: Value) -> Value:
    """Return the equal parts of an axis (``torch.hsplit``); raise where it cannot be split."""
    count, is_wide = call.given(1, "sections", "indices"), "hsplit" in call.name
    at = 0 if not is_wide or (x.shape is not None and len(x.shape) == 1) else 1
    number = size(count)
    if x.shape is None or len(x.shape) <= at or not number or count is None:
        return call.unknown()
    total = size(x.shape[at])
    if total is not None and total % number:
        raise Raised("size", "the size of the dimension is not divisible", x.shape[at], count)
    length = Value(UNKNOWN if total is None else total // number, merged(x.shape[at], count))
    part = like(x, (*x.shape[:at], length, *x.shape[at + 1 :]), value)
    return Value(tuple(part for _ in range(min(number, 256))), value.origins)


@operation("chunk", "split", "tensor_split", "unbind", "split_with_sizes")
def _split(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    axis = call.given(1 if name == "unbind" else 2, "dim")
    how = (
        None
        if name == "unbind"
        else call.given(1, "split_size_or_sections", "split_size", "chunks")
    )
    if x.shape is None or (axis is not None and size(axis) is None):
        return Value(Lazy(like(x, None, value), Value(UNKNOWN)), value.origins)
    at = axis_of(0 if axis is None else axis, len(x.shape)) or 0
    dim = x.shape[at]
    total = size(dim)

    def piece(length: Value | None) -> Value:
        middle = () if length is None else (length,)
        assert x.shape is not None
        return like(x, (*x.shape[:at], *middle, *x.shape[at + 1 :]), value)

    if name == "unbind":
        if total is None or total > 256:
            return Value(Lazy(piece(None), dim), value.origins)
        return Value(tuple(piece(None) for _ in range(total)), value.origins)
    origins = merged(dim, how) if how is not None else dim.origins
    if how is not None and isinstance(how.data, list | tuple):
        sizes = [dimension(v) for v in how.data]
        if name == "tensor_split":
            return call.unknown()
        plain = [size(v) for v in sizes]
        if total is not None and None not in plain and sum(v or 0 for v in plain) != total:
            given = Value(sum(v or 0 for v in plain), how.origins | merged(*sizes))
            raise Raised("size", "split sizes do not sum to the dimension", given, dim)
        return Value(tuple(piece(v) for v in sizes), value.origins)
    number = size(how)
    if number is None or number < 1 or total is None:
        count = Value(number if name != "split" and total is None else UNKNOWN, origins)
        free = piece(Value(UNKNOWN, origins))
        if name == "chunk" and number and number <= 64:
            return Value(tuple(piece(Value(UNKNOWN, origins)) for _ in range(number)), origins)
        return Value(Lazy(free, count), origins)
    if name == "tensor_split":
        lengths = [total // number + (i < total % number) for i in range(number)]
    else:
        step = number if name == "split" else max(-(-total // number), 1)
        lengths = [min(step, total - i) for i in range(0, total, step)] or [0]
    if len(lengths) > 256:
        return Value(Lazy(piece(Value(lengths[0], origins)), Value(len(lengths), origins)), origins)
    return Value(tuple(piece(Value(n, origins)) for n in lengths), value.origins)


# --- products -------------------------------------------------------------------------------------


def multiplied(call: Call, x: Array, value: Value, rank: int | None) -> Value:
    """Return a matrix product, of operands with a fixed number of axes where one is given."""
    other = call.given(1, "mat2", "other", "vec", "tensor", "b")
    y = array(other)
    if other is None or y is None:
        return tensor(None, x.dtype if x.library == "torch" else None, value)
    same_device(x, value, y, other)
    for data, operand in ((x, value), (y, other)):
        if rank is not None and data.shape is not None and len(data.shape) != rank:
            sides = Value(len(data.shape), operand.origins), Value(rank)
            raise Raised("size", f"expected a tensor of {rank} dimensions", *sides)
    if rank == 3 and x.shape is not None and y.shape is not None:
        arrays.same(x.shape[0], y.shape[0], "batches of matrices differ in number")
    shape = arrays.matmul(x, y)
    same_dtype(x, value, y, other)
    dtype = promoted(x, y) if x.library != "torch" else x.dtype or y.dtype
    if x.library == "torch" and x.dtype != y.dtype:
        dtype = None
    return tensor(shape, dtype, value, other, library=x.library, device=x.device or y.device)


@operation("matmul", "__matmul__", also=["torch.linalg.matmul"])
def _matmul(call: Call, x: Array, value: Value) -> Value:
    return multiplied(call, x, value, None)


@operation("mm", also=["torch.sparse.mm", "torch.spmm"])
def _mm(call: Call, x: Array, value: Value) -> Value:
    return multiplied(call, x, value, 2)


@operation("bmm")
def _bmm(call: Call, x: Array, value: Value) -> Value:
    return multiplied(call, x, value, 3)


@operation("dot", "vdot")
def _dot(call: Call, x: Array, value: Value) -> Value:
    rank = 1 if call.name.endswith("dot") and x.library == "torch" else None
    return multiplied(call, x, value, rank)


@operation("addmm", "baddbmm", "addbmm", "addmv")
def _addmm(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    first, second = call.given(1, "mat1", "batch1", "mat"), call.given(2, "mat2", "batch2", "vec")
    a = array(first)
    if first is None or a is None or second is None:
        return tensor(None, x.dtype, value)
    inner = Call(call.name, (first, second), {}, call.place)
    rank = {"addmm": 2, "baddbmm": 3, "addbmm": 3}.get(name)
    result = multiplied(inner, a, first, rank)
    data = array(result)
    if name == "addbmm" and data is not None and data.shape is not None:
        result = like(data, data.shape[1:], result)
        data = array(result)
    if data is not None and data.shape is not None and x.shape is not None:
        arrays.broadcast(x.shape, data.shape)
    return result


@operation("outer", "ger")
def _outer(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "vec2", "other")
    y = array(other)
    if x.library == "torch":
        for data, operand in ((x, value), (y, other)):
            rank = None if data is None else rank_of(data)
            if rank is not None and rank != 1 and operand is not None:
                sides = Value(rank, operand.origins), Value(1)
                raise Raised("size", f"outer: expected a 1-D argument, but got {rank}-D", *sides)
    if y is None or other is None or x.shape is None or y.shape is None:
        return tensor(None, x.dtype, value)
    return tensor((*x.shape, *y.shape), promoted(x, y), value, other, device=x.device)


@MODELS.function("torch.einsum")
def _einsum(_: Interpreter, call: Call) -> Value:
    equation = text(call.given(0, "equation"))
    operands = call.args[1:]
    if len(operands) == 1 and isinstance(operands[0].data, list | tuple):
        operands = tuple(operands[0].data)
    return einsum(call, equation, operands, "torch")


def einsum(call: Call, equation: str | None, operands: Sequence[Value], library: str) -> Value:
    """Return what ``einsum`` gives; raise where one letter stands for two known sizes."""
    if equation is None or "." in equation:
        return tensor(None, None, *call.args, library=library)
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        message = "einsum: the number of operands differs from the equation's"
        raise Raised("size", message, Value(len(terms)), Value(len(operands)))
    sizes_by_letter: dict[str, Value] = {}
    dtypes: set[str | None] = set()
    for term, operand in zip(terms, operands, strict=True):
        x = array(operand)
        dtypes.add(None if x is None else x.dtype)
        if x is None or x.shape is None:
            continue
        if len(x.shape) != len(term):
            sides = Value(len(x.shape), operand.origins), Value(len(term), call.args[0].origins)
            raise Raised("size", "einsum: subscripts do not match the number of dimensions", *sides)
        for letter, dim in zip(term, x.shape, strict=True):
            before = sizes_by_letter.get(letter)
            if before is None or size(before) == 1:
                sizes_by_letter[letter] = dim
            elif size(dim) != 1:
                sizes_by_letter[letter] = arrays.same(
                    before, dim, "einsum: sizes of one subscript differ"
                )
    letters = (
        right if arrow else "".join(sorted(c for c in set(left) if left.count(c) == 1 and c != ","))
    )
    shape = [sizes_by_letter.get(c, Value(UNKNOWN)) for c in letters]
    return tensor(shape, dtypes.pop() if len(dtypes) == 1 else None, *operands, library=library)


# --- reductions -----------------------------------------------------------------------------------


def reduced(x: Array, value: Value, axis: Value | None, keep: bool | None) -> Shape | None:
    """Return the shape that a reduction leaves; raise where it has no such axis."""
    if axis is None or axis.data is None:
        if keep:
            return None if x.shape is None else tuple(Value(1) for _ in x.shape)
        return ()
    if x.shape is None or keep is None:
        return None
    given = axis.data if isinstance(axis.data, list | tuple) else (axis,)
    at = [axis_of(a, len(x.shape)) for a in given]
    if None in at or (isinstance(axis.data, list | tuple) and not given):
        return None
    if keep:
        return tuple(Value(1, d.origins) if i in at else d for i, d in enumerate(x.shape))
    return tuple(d for i, d in enumerate(x.shape) if i not in at)


def reduction(call: Call, x: Array, value: Value, dtype: str | None, first: int = 1) -> Value:
    """Return the result of a reduction over all axes or those that are given."""
    axis = call.given(first, "dim", "axis")
    keep = flag(call.given(first + 1, "keepdim", "keepdims"), default=False)
    if x.library != "torch":
        keep = flag(call.keywords.get("keepdims"), default=False)
    shape = reduced(x, value, axis, keep)
    return tensor(shape, dtype, value, library=x.library, device=x.device)


def asked_dtype(call: Call, otherwise: str | None) -> str | None:
    """Return the dtype keyword's dtype, the other where it is not given."""
    given = call.keywords.get("dtype")
    return otherwise if given is None or given.data is None else dtype_of(given)


@operation("sum", "prod", "nansum", "cumsum_")
def _sum(call: Call, x: Array, value: Value) -> Value:
    return reduction(call, x, value, asked_dtype(call, "int64" if x.dtype in WHOLE else x.dtype))


@operation("mean", "std", "var", "nanmean", "logsumexp")
def _mean(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    is_whole = x.library == "torch" and x.dtype in WHOLE
    if is_whole and name != "logsumexp" and "dtype" not in call.keywords:
        message = f"{name}(): input dtype must be floating point or complex, got {x.dtype}"
        raise Raised("type", message, value)
    second = call.given(1)
    if "unbiased" not in call.keywords and second is not None and isinstance(second.data, bool):
        return tensor((), x.dtype, value, library=x.library, device=x.device)
    if "std" in call.name or "var" in call.name:
        keep = flag(call.keywords.get("keepdim", call.keywords.get("keepdims")), default=False)
        if len(call.args) > 3:
            keep = None
        shape = reduced(x, value, call.given(1, "dim", "axis"), keep)
        return tensor(
            shape, asked_dtype(call, floated(x)), value, library=x.library, device=x.device
        )
    return reduction(call, x, value, asked_dtype(call, floated(x)))


@operation("cumsum", "cumprod")
def _cumulated(call: Call, x: Array, value: Value) -> Value:
    dtype = asked_dtype(call, "int64" if x.dtype in WHOLE else x.dtype)
    axis = call.given(1, "dim", "axis")
    shape = x.shape
    if x.library != "torch" and shape is not None and (axis is None or axis.data is None):
        shape = (arrays.product(shape),)
    elif shape is not None and axis is not None:
        axis_of(axis, len(shape))
    return tensor(shape, dtype, value, library=x.library, device=x.device)


@operation("all", "any")
def _all(call: Call, x: Array, value: Value) -> Value:
    return reduction(call, x, value, "bool")


@operation("argmax", "argmin", "count_nonzero")
def _argmax(call: Call, x: Array, value: Value) -> Value:
    result = reduction(call, x, value, "int64")
    data, axis = array(result), size(call.given(1, "dim", "axis"))
    if data is not None and axis is not None and x.shape and "count" not in call.name:
        top = size(x.shape[axis]) if -len(x.shape) <= axis < len(x.shape) else None
        data.lowest, data.highest = 0, None if top is None else top - 1
    return result


@operation("norm", also=["torch.linalg.norm", "torch.linalg.vector_norm"])
def _norm(call: Call, x: Array, value: Value) -> Value:
    needs_floating(x, value, "norm")
    return reduction(call, x, value, floated(x), first=2)


@operation("max", "min", "median", "mode", "nanmedian", "kthvalue", "cummax", "cummin")
def _max(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    second = call.given(1, "dim", "axis", "other")
    if x.library != "torch":
        return reduction(call, x, value, x.dtype)
    if array(second) is not None:
        return paired(call, x, value, None, divides=False)
    first = 2 if name == "kthvalue" else 1
    if name in ("cummax", "cummin"):
        return pair(x, x.shape, value)
    if call.given(first, "dim", "axis") is None:
        if name in ("mode", "kthvalue"):
            shape = None if x.shape is None else x.shape[:-1]
            return pair(x, shape, value)
        return like(x, (), value)
    result = array(reduction(call, x, value, x.dtype, first=first))
    return pair(x, None if result is None else result.shape, value)


def pair(x: Array, shape: Sequence[Value] | None, value: Value) -> Value:
    """Return values and their indices, as ``max`` along an axis gives them."""
    places = tensor(shape, "int64", value, library=x.library, device=x.device)
    return Value((like(x, shape, value), places), value.origins)


@MODELS.attribute("tuple", "values")
def _values(_: Interpreter, call: Call) -> Value:
    return _item(call, 0)


@MODELS.attribute("tuple", "indices")
def _indices(_: Interpreter, call: Call) -> Value:
    return _item(call, 1)


def _item(call: Call, at: int) -> Value:
    data = None if call.receiver is None else call.receiver.data
    item = data[at] if isinstance(data, tuple) and len(data) == 2 else None
    return item if isinstance(item, Value) else call.unknown()


@operation("sort", "topk")
def _sort(call: Call, x: Array, value: Value) -> Value:
    if x.library != "torch":
        return Value(None) if call.name == "sort" else call.unknown()
    if call.name.endswith("sort"):
        return pair(x, x.shape, value)
    k, axis = call.given(1, "k"), call.given(2, "dim")
    if x.shape is None or k is None or (axis is not None and size(axis) is None):
        return pair(x, None, value)
    at = axis_of(-1 if axis is None else axis, len(x.shape)) or 0
    wanted, extent = size(k), size(x.shape[at]) if x.shape else None
    if wanted is not None and extent is not None and wanted > extent:
        raise Raised("index", "selected index k out of range", k, x.shape[at])
    return pair(x, (*x.shape[:at], dimension(k), *x.shape[at + 1 :]), value)


@operation("argsort")
def _argsort(_: Call, x: Array, value: Value) -> Value:
    return tensor(x.shape, "int64", value, library=x.library, device=x.device)


# --- selecting ------------------------------------------------------------------------------------


@operation("gather", "take_along_dim", "take_along_axis")
def _gather(call: Call, x: Array, value: Value) -> Value:
    swapped = "take" in call.name
    axis = call.given(2 if swapped else 1, "dim", "axis")
    index = call.given(1 if swapped else 2, "index", "indices")
    y = array(index)
    if index is None or y is None:
        return tensor(None, x.dtype, value, library=x.library, device=x.device)
    if x.library == "torch" and y.dtype is not None and y.dtype not in ("int64", "int32"):
        raise Raised("type", "gather(): Expected dtype int64 for index", index)
    if x.shape is not None and y.shape is not None and not swapped:
        if len(x.shape) != len(y.shape):
            sides = Value(len(x.shape), value.origins), Value(len(y.shape), index.origins)
            raise Raised("size", "Index tensor must have the same number of dimensions", *sides)
        at = axis_of(axis, len(x.shape))
        if at is not None and x.shape:
            bounded(y, index, x.shape[at])
    return tensor(y.shape, x.dtype, value, index, library=x.library, device=x.device)


@operation("index_select", "select", "narrow")
def _index_select(call: Call, x: Array, value: Value) -> Value:
    axis, index = call.given(1, "dim"), call.given(2, "index", "start")
    if x.shape is None or axis is None or index is None:
        return like(x, None, value)
    at = axis_of(axis, len(x.shape))
    if at is None:
        return like(x, None, value)
    name = call.name.rpartition(".")[2]
    middle: Shape = ()
    if name == "index_select":
        y = array(index)
        if y is not None:
            bounded(y, index, x.shape[at])
        middle = (y.shape[0],) if y is not None and y.shape else (Value(UNKNOWN),)
    elif name == "narrow":
        length = call.given(3, "length")
        first, count, whole = size(index), size(length), size(x.shape[at])
        if length is not None and None not in (first, count, whole):
            end = (first or 0) + (count or 0)
            if end > (whole or 0):
                sides = Value(end, merged(index, length)), x.shape[at]
                raise Raised("size", "start + length exceeds dimension size", *sides)
        middle = (Value(UNKNOWN),) if length is None else (dimension(length),)
    else:
        number, top = size(index), size(x.shape[at])
        if number is not None and top is not None and not -top <= number < top:
            raise Raised("index", "select(): index out of range", index, x.shape[at])
    return like(x, (*x.shape[:at], *middle, *x.shape[at + 1 :]), value, index)


@operation("diagonal", "trace")
def _diagonal(call: Call, x: Array, value: Value) -> Value:
    if call.name.endswith("trace"):
        return tensor((), x.dtype, value, library=x.library, device=x.device)
    if x.shape is not None and x.library == "torch" and call.name.endswith("diagonal"):
        return _of_diagonal(call, x, value)
    return tensor(None, x.dtype, value, library=x.library, device=x.device)


def _of_diagonal(call: Call, x: Array, value: Value) -> Value:
    assert x.shape is not None
    rank = len(x.shape)
    first = axis_of(call.given(2, "dim1") or 0, rank)
    second = axis_of(call.given(3, "dim2") or 1, rank)
    if call.given(1, "offset") is not None or first is None or second is None:
        return like(x, None, value)
    a, b = size(x.shape[first]), size(x.shape[second])
    ends = merged(x.shape[first], x.shape[second])
    length = Value(UNKNOWN if a is None or b is None else min(a, b), ends)
    rest = [dim for i, dim in enumerate(x.shape) if i not in (first, second)]
    return like(x, (*rest, length), value)


@operation("unfold")
def _unfold(call: Call, x: Array, value: Value) -> Value:
    """Return the windows along an axis, their length as a new last axis (``Tensor.unfold``)."""
    axis, wide, step = call.given(1, "dimension"), call.given(2, "size"), call.given(3, "step")
    if x.shape is None or axis is None or wide is None or step is None or x.library != "torch":
        return like(x, None, value)
    at = axis_of(axis, len(x.shape))
    length, window, every = size(x.shape[at] if at is not None else None), size(wide), size(step)
    if at is None or not every:
        return like(x, None, value)
    if length is not None and window is not None and window > length:
        raise Raised("size", "maximum size for tensor is smaller", x.shape[at], wide)
    parts = (x.shape[at], wide, step)
    known = length is not None and window is not None
    count = (length - window) // every + 1 if known else UNKNOWN  # type: ignore[operator]
    windows = Value(count, merged(*parts))
    return like(x, (*x.shape[:at], windows, *x.shape[at + 1 :], dimension(wide)), value)


@MODELS.function("torch.meshgrid")
def _meshgrid(_: Interpreter, call: Call) -> Value:
    given = call.args
    if len(given) == 1 and isinstance(given[0].data, list | tuple):
        given = tuple(given[0].data)
    data = [array(item) for item in given]
    if not data or any(x is None or x.shape is None or len(x.shape) > 1 for x in data):
        return call.unknown()
    dims = [x.shape[0] if x is not None and x.shape else Value(1) for x in data]
    indexing = call.keywords.get("indexing")
    if indexing is not None and indexing.data == "xy" and len(dims) > 1:
        dims[0], dims[1] = dims[1], dims[0]
    made = [
        tensor(dims, x.dtype, item) for x, item in zip(data, given, strict=True) if x is not None
    ]
    return Value(tuple(made), merged(*given))


@MODELS.function("torch.sparse_coo_tensor", "torch.sparse.FloatTensor")
def _sparse(_: Interpreter, call: Call) -> Value:
    """Return a sparse tensor as if it was dense; its size must hold the highest index."""
    values, wanted = array(call.given(1, "values")), call.given(2, "size")
    dims = dims_of((wanted,)) if wanted is not None else None
    dtype = dtype_of(call.keywords.get("dtype")) or (None if values is None else values.dtype)
    parts = [*call.args[:2], *(dims or ())]
    return tensor(dims, dtype, *parts)


@operation("coalesce", "to_dense", "to_sparse", "to_sparse_csr", "to_sparse_coo")
def _as_dense(_: Call, x: Array, value: Value) -> Value:
    return like(x, x.shape, value)


@MODELS.function("torch.nn.functional.one_hot")
def _one_hot(_: Interpreter, call: Call) -> Value:
    operand_pair = subject(call)
    if operand_pair is None:
        return call.unknown()
    x, value = operand_pair
    if x.dtype is not None and x.dtype != "int64":
        raise Raised("type", f"one_hot is only applicable to index tensor, not {x.dtype}", value)
    count = call.given(1, "num_classes")
    if count is None or size(count) in (None, -1):
        free = Value(UNKNOWN, value.origins)
        return tensor(None if x.shape is None else (*x.shape, free), "int64", value)
    number = size(count)
    if number is not None and x.highest is not None and x.highest >= number:
        top = Value(x.highest, value.origins)
        raise Raised("index", "class values must be smaller than num_classes", top, count)
    return tensor(None if x.shape is None else (*x.shape, count), "int64", value, device=x.device)


# --- sizes, conversions, gradients ----------------------------------------------------------------


@operation("size")
def _size(call: Call, x: Array, value: Value) -> Value:
    axis = call.given(1, "dim")
    if axis is None:
        return call.unknown() if x.shape is None else shape_of(x, value)
    if x.shape is None:
        return arrays.number("int64", value, lowest=0)
    at = axis_of(axis, len(x.shape))
    return unknown(*x.shape) if at is None or not x.shape else length_of(x.shape[at])


def length_of(dim: Value) -> Value:
    """Return a dimension as a number, of which no more may be known than that it is one."""
    return dim if size(dim) is not None else arrays.number("int64", dim, lowest=0)


def shape_of(x: Array, value: Value) -> Value:
    """Return an array's dimensions as numbers."""
    return Value(tuple(map(length_of, x.shape or ())), value.origins)


@operation("dim", "ndimension")
def _dim(_: Call, x: Array, value: Value) -> Value:
    return Value(UNKNOWN if x.shape is None else len(x.shape), value.origins)


@operation("numel", "nelement")
def _numel(_: Call, x: Array, value: Value) -> Value:
    return length_of(unknown(value) if x.shape is None else arrays.product(x.shape))


@operation("element_size")
def _element_size(_: Call, x: Array, value: Value) -> Value:
    return Value(BYTES.get(x.dtype or "", UNKNOWN), value.origins)


@operation("is_tensor", "is_floating_point", "is_contiguous", "equal", "allclose")
def _fact(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    if name == "is_tensor":
        return Value(x.library == "torch", value.origins)
    if name == "is_floating_point" and x.dtype is not None:
        return Value(x.dtype in FLOATING[:4], value.origins)
    return unknown(value)


@operation("item", "tolist", "stride", "data_ptr", "get_device")
def _item_of(call: Call, x: Array, value: Value) -> Value:
    if call.name == "item" and x.shape is not None and len(call.args) < 2:
        total = arrays.product(x.shape)
        number = size(total)
        if number is not None and number != 1:
            message = f"a Tensor with {number} elements cannot be converted to Scalar"
            raise Raised("size", message, total, Value(1))
    return one_of(x, value) if call.name == "item" else unknown(value)


def one_of(x: Array, value: Value) -> Value:
    """Return an element of an array as a number of Python's."""
    if x.dtype in FLOATING[:4]:
        return arrays.number("float64", value)
    if x.dtype == "bool":
        return arrays.number("bool", value)
    if x.dtype in WHOLE or (x.dtype or "").startswith("uint"):
        if x.lowest is not None and x.lowest == x.highest:
            return Value(x.lowest, value.origins)
        return arrays.number("int64", value, lowest=x.lowest, highest=x.highest)
    return unknown(value)


def items_of(x: Array, value: Value) -> Value:
    """Return an array as nested lists of numbers."""
    if x.shape is None:
        return unknown(value)
    if not x.shape:
        return one_of(x, value)
    inner = Array(x.shape[1:], x.dtype, x.library, x.device, x.lowest, x.highest)
    item, count = items_of(inner, value), size(x.shape[0])
    total = size(arrays.product(x.shape))
    if count is None or total is None or total > MAX_LISTED:
        return Value(Lazy(item, x.shape[0]), value.origins)
    return Value([items_of(inner, value) for _ in range(count)], value.origins)


@operation("to", "type", "type_as")
def _to(call: Call, x: Array, value: Value) -> Value:
    result = like(x, x.shape, value)
    data = array(result)
    assert data is not None
    if call.name == "type" and len(call.args) == 1 and not call.keywords:
        return unknown(value)
    for given in (*call.args[1:], *(v for k, v in call.keywords.items() if k in TO_NAMES)):
        other = array(given)
        if other is not None:
            data.dtype, data.device = other.dtype, other.device
        elif dtype_of(given) is not None:
            data.dtype = dtype_of(given)
        elif device_of(given) is not None:
            data.device = device_of(given)
        elif isinstance(given.data, bool):
            continue
        elif isinstance(given.data, LibraryObject) and given.data.name == "torch.device":
            data.device = None
        elif isinstance(given.data, str) and given.data.startswith("torch."):
            data.dtype, data.device = dtype_of(given), None
        else:
            data.device = None
            data.dtype = None if not given.known and call.name == "type" else data.dtype
    if data.dtype in FLOATING:
        data.lowest = data.highest = None
    return result


TO_NAMES = ("dtype", "device", "other")
CASTS = words("float double half bfloat16 long int short bool byte char")


@MODELS.method("array", *CASTS)
def _cast(_: Interpreter, call: Call) -> Value:
    x = array(call.receiver)
    if x is None or call.receiver is None:
        return call.unknown()
    result = like(x, x.shape, call.receiver)
    data = array(result)
    assert data is not None
    data.dtype = {"byte": "uint8", "char": "int8"}.get(call.name) or TORCH_DTYPES[call.name]
    if data.dtype not in WHOLE:
        data.lowest = data.highest = None
    return result


@operation("cuda", "cpu", "mps", "xpu")
def _moved_to(call: Call, x: Array, value: Value) -> Value:
    result = like(x, x.shape, value)
    data = array(result)
    assert data is not None
    given = call.given(1, "device")
    is_open = call.name == "cuda" and given is not None and given.data is not None
    data.device = device_of(given if is_open else Value(call.name))
    return result


@operation("numpy", "__array__")
def _numpy(_: Call, x: Array, value: Value) -> Value:
    if x.library == "torch" and x.device is not None and x.device.startswith("cuda"):
        raise Raised("type", "can't convert cuda device type tensor to numpy", value)
    data = Array(x.shape, x.dtype, "numpy", None, x.lowest, x.highest)
    return Value(data, value.origins)


@operation("backward")
def _backward(call: Call, x: Array, value: Value) -> Value:
    if call.given(1, "gradient") is None and x.shape is not None:
        total = arrays.product(x.shape)
        number = size(total)
        if number is not None and number != 1:
            message = "grad can be implicitly created only for scalar outputs"
            raise Raised("size", message, total, Value(1))
    return Value(None, value.origins)


@attribute("shape")
def _shape(x: Array, value: Value) -> Value:
    return unknown(value) if x.shape is None else shape_of(x, value)


@attribute("ndim")
def _ndim(x: Array, value: Value) -> Value:
    return Value(UNKNOWN if x.shape is None else len(x.shape), value.origins)


@attribute("size")
def _size_of(x: Array, value: Value) -> Value:
    if x.library in ("numpy", "jax"):
        return unknown(value) if x.shape is None else arrays.product(x.shape)
    from dl_bug_lsp.interpretation.interpreter import Method  # It imports the models.

    return Value(Method(value, "size"), value.origins)


@attribute("T", "H")
def _t(x: Array, value: Value) -> Value:
    return like(x, None if x.shape is None else x.shape[::-1], value)


@attribute("mT", "mH")
def _mt(x: Array, value: Value) -> Value:
    if x.shape is None or len(x.shape) < 2:
        return like(x, None, value)
    return like(x, (*x.shape[:-2], x.shape[-1], x.shape[-2]), value)


@attribute("data")
def _data(x: Array, value: Value) -> Value:
    return like(x, x.shape, value) if x.library == "torch" else unknown(value)


@attribute("grad")
def _grad(_: Array, value: Value) -> Value:
    return unknown(value)


@attribute("real", "imag")
def _part_of(x: Array, value: Value) -> Value:
    dtype = {"complex64": "float32", "complex128": "float64"}.get(x.dtype or "", x.dtype)
    return tensor(x.shape, dtype, value, library=x.library, device=x.device)


BYTES = {
    **dict.fromkeys(("bool", "uint8", "int8"), 1),
    **dict.fromkeys(("int16", "float16", "bfloat16"), 2),
    **dict.fromkeys(("int32", "float32"), 4),
    **dict.fromkeys(("int64", "float64", "complex64"), 8),
    "complex128": 16,
}


@attribute("itemsize")
def _itemsize(x: Array, value: Value) -> Value:
    return Value(BYTES.get(x.dtype or "", UNKNOWN), value.origins)


@attribute("nbytes")
def _nbytes(x: Array, value: Value) -> Value:
    if x.shape is None or x.dtype not in BYTES:
        return unknown(value)
    return arrays.product((*x.shape, Value(BYTES[x.dtype], value.origins)))


@attribute("is_cuda")
def _is_cuda(x: Array, value: Value) -> Value:
    known = x.device is not None and x.library == "torch"
    on_gpu = x.device is not None and x.device.startswith("cuda")
    return Value(on_gpu if known else UNKNOWN, value.origins)


@attribute("dtype")
def _dtype(x: Array, value: Value) -> Value:
    if x.dtype is None:
        return unknown(value)
    return Value(Library(f"{x.library}.{x.dtype}"), value.origins)


@attribute("device")
def _device(x: Array, value: Value) -> Value:
    return unknown(value) if x.device is None else device(x.device, value.origins)


def device(name: str, origins: Origins) -> Value:
    """Return a device object."""
    made = ("", 0) if not origins else min(origins)
    return Value(LibraryObject("torch.device", (Value(name, origins),), {}, made), origins)


@attribute("requires_grad")
def _requires_grad(x: Array, value: Value) -> Value:
    if isinstance(x, Stored) and x.needs is not None:
        return Value(x.needs and x.dtype in FLOATING, value.origins)
    return unknown(value)


@attribute("is_leaf", "grad_fn", "is_sparse", "layout", "is_quantized")
def _state(_: Array, value: Value) -> Value:
    return unknown(value)


@MODELS.function("torch.set_default_dtype", "torch.set_default_tensor_type")
def _set_default(interpreter: Interpreter, call: Call) -> Value:
    if call.args:
        DEFAULTS[interpreter] = call.args[0]
    return Value(None)


@MODELS.function("torch.nn.utils.rnn.pad_sequence", "torch.pad_sequence")
def _pad_sequence(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "sequences")
    if given is None:
        return call.unknown()
    items = interpreter.iterate(given)
    parts = [items.item] if isinstance(items, Lazy) else items
    if isinstance(items, list) and not items:
        raise Raised("value", "received an empty list of sequences", given)
    for part in parts:
        kind = kind_of(part)
        if kind is not None:
            raise Raised("type", f"expected Tensor as an element, but got {kind}", part)
    x = array(parts[0])
    first = flag(call.given(1, "batch_first"), default=False)
    if x is None or not x.shape or first is None:
        return tensor(None, None if x is None else x.dtype, given)
    count = items.length if isinstance(items, Lazy) else Value(len(parts), given.origins)
    arrays_given = [array(p) for p in parts]
    for y in arrays_given[1:]:
        if y is not None and y.shape is not None and len(y.shape) == len(x.shape):
            for mine, other in zip(x.shape[1:], y.shape[1:], strict=True):
                arrays.same(mine, other, "sequences must have the same trailing dimensions")
    lengths = [size(y.shape[0]) if y is not None and y.shape else None for y in arrays_given]
    known = [n for n in lengths if n is not None]
    whole = isinstance(items, list) and len(known) == len(parts)
    longest = Value(max(known) if whole else UNKNOWN, given.origins)
    lead = (count, longest) if first else (longest, count)
    return tensor((*lead, *x.shape[1:]), x.dtype, given, device=x.device)


@operation("cosine_similarity", also=["torch.nn.functional.cosine_similarity"])
def _cosine(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "x2", "other")
    y = array(other)
    if other is None or y is None or x.shape is None or y.shape is None:
        return tensor(None, x.dtype, value)
    wide = Array(arrays.broadcast(x.shape, y.shape), x.dtype, x.library)
    axis = call.given(2, "dim") or Value(1)
    return tensor(reduced(wide, value, axis, keep=False), promoted(x, y), value, other)


@operation("cdist")
def _cdist(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "x2")
    y = array(other)
    if other is None or y is None or not x.shape or not y.shape or len(x.shape) != len(y.shape):
        return tensor(None, x.dtype, value)
    arrays.same(x.shape[-1], y.shape[-1], "X1 and X2 must have the same number of columns")
    return tensor((*x.shape[:-1], y.shape[-2]), promoted(x, y), value, other, device=x.device)


@operation("multinomial")
def _multinomial(call: Call, x: Array, value: Value) -> Value:
    count = call.given(1, "num_samples")
    replaced = flag(call.given(2, "replacement"), default=False)
    many, extent = size(count), size(x.shape[-1]) if x.shape else None
    if replaced is False and many is not None and extent is not None and many > extent:
        assert count is not None and x.shape
        message = "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        raise Raised("size", message, count, x.shape[-1])
    shape = None if x.shape is None or count is None else (*x.shape[:-1], dimension(count))
    return tensor(shape, "int64", value, device=x.device)


def without_change(*names: str) -> Model:
    """Register functions that give back their first argument."""

    def run(_: Interpreter, call: Call) -> Value:
        value = call.given(0, "tensor", "data", "input", "obj")
        return call.unknown() if value is None else value

    return MODELS.function(*names)(run)


without_change(
    *(f"torch.nn.init.{kind}_" for kind in (
        "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "uniform",
        "normal", "constant", "ones", "zeros", "eye", "orthogonal", "trunc_normal",
    )),
    "torch.compile", "torch.jit.script", "copy.deepcopy_",
)  # fmt: skip

for _name in ACTIVATIONS:
    _model = MODELS.functions[f"torch.nn.functional.{_name}"]
    MODELS.functions.setdefault(f"torch.nn.functional.{_name}_", _model)
