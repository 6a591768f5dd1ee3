"""TensorFlow: tensors, operations with their dtype checks, data sets and gradient tapes.

Sources: the TensorFlow 2 API reference; operations take one dtype ("Guide: Introduction to
Tensors"), except for plain Python numbers, which take that of the other operand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.python.files import class_folders
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    Library,
    LibraryObject,
    Raised,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Shape: TypeAlias = tuple[Value, ...]

DATASET = "tensorflow.data.Dataset"
DTYPES = {
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "bool_": "bool",
    "bool": "bool",
    "half": "float16",
    "str": "str",
    "string": "str",
}
NUMBERS = frozenset(
    f"{kind}{bits}" for kind in ("float", "int", "uint", "bfloat") for bits in (8, 16, 32, 64)
)
MAX_LISTED = 20_000


def names(*functions: str) -> list[str]:
    """Return the dotted names of functions of TensorFlow, written with spaces between."""
    return [f"tensorflow.{name}" for line in functions for name in line.split()]


def dtype_named(value: Value | None, default: str | None = None) -> str | None:
    """Return NumPy's name of a dtype argument, the default where it is absent."""
    if value is None or value.data is None:
        return default
    data = value.data
    last = data.name.rpartition(".")[2] if isinstance(data, Library) else data
    if not isinstance(last, str):
        return None
    return DTYPES.get(last, last if last in NUMBERS else None)


def plain_list(value: Value) -> tuple[Shape, str | None, list[int]] | None:
    """Return shape, dtype and whole numbers of nested lists and numbers, None where not known."""
    data = value.data
    if isinstance(data, Array):
        return None if data.shape is None else (data.shape, data.dtype, [])
    if isinstance(data, bool):
        return (), "bool", []
    if isinstance(data, (int, float)):
        return (
            (),
            "int32" if isinstance(data, int) else "float32",
            [data] if isinstance(data, int) else [],
        )
    if isinstance(data, (str, bytes)):
        return (), "str", []
    if isinstance(data, complex):
        return (), "complex128", []
    if not isinstance(data, (list, tuple)) or len(data) > MAX_LISTED:
        return None
    length = Value(len(data), value.origins)
    if not data:
        return (length,), "float32", []
    shape_found: tuple[Shape, str | None, list[int]] | None = None
    for item in data:
        inner = plain_list(item)
        if inner is None:
            return None
        if shape_found is None:
            shape_found = (inner[0], inner[1], list(inner[2]))
            continue
        message = "Can't convert non-rectangular Python sequence to Tensor"
        if len(inner[0]) != len(shape_found[0]):
            raise Raised("value", message, value)
        shape = tuple(
            arrays.same(x, y, message) for x, y in zip(shape_found[0], inner[0], strict=True)
        )
        joint = shape_found[1] if shape_found[1] == inner[1] else "float32"
        if {shape_found[1], inner[1]} - {"int32", "float32"} and shape_found[1] != inner[1]:
            joint = None
        shape_found[2].extend(inner[2])
        shape_found = (shape, joint, shape_found[2])
    return (
        None if shape_found is None else ((length, *shape_found[0]), shape_found[1], shape_found[2])
    )


def operand(value: Value | None, library: str = "tensorflow") -> Array | None:
    """Return a tensor, a NumPy array or nested numbers as an array of a library, else None.

    The dtype of plain numbers is None: they take that of the other operand.
    """
    if value is None:
        return None
    data = value.data
    if isinstance(data, Array):
        return data
    if isinstance(data, (bool, int, float)):
        number = data if isinstance(data, int) and not isinstance(data, bool) else None
        return Array((), None, library, lowest=number, highest=number)
    if isinstance(data, (list, tuple)):
        listed = plain_list(value)
        if listed is not None:
            result = Array(listed[0], None, library)
            if listed[2] and listed[1] == "int32":
                result.lowest, result.highest = min(listed[2]), max(listed[2])
            return result
    return None


def tensor(
    call: Call,
    shape: Sequence[Value] | None,
    dtype: str | None,
    *parts: Value,
    library: str = "tensorflow",
) -> Value:
    """Return a tensor made at a call."""
    data = Array(None if shape is None else tuple(shape), dtype, library)
    return Value(data, merged(*parts) | {call.place})


def dims(value: Value | None) -> Shape | None:
    """Return a shape argument as dimensions, None where it is not known."""
    if value is None:
        return None
    if isinstance(value.data, (list, tuple)):
        return tuple(
            Value(UNKNOWN if size(d) is None else d.data, merged(d, value)) for d in value.data
        )
    return (value,) if size(value) is not None else None


def written(call: Call, shape: Shape | None) -> Shape | None:
    """Return the dimensions of a new tensor, with the call among their origins."""
    if shape is None:
        return None
    return tuple(Value(d.data, d.origins | {call.place}) for d in shape)


def one_dtype(name: str, a: Value, b: Value) -> str | None:
    """Return the dtype that two operands share; raise where both are known and differ."""
    x, y = operand(a), operand(b)
    p, q = x.dtype if x else None, y.dtype if y else None
    if p is not None and q is not None and p != q:
        raise Raised(
            "type",
            f"cannot compute {name} as input #1(zero-based) was expected to be a {p} tensor but is "
            f"a {q} tensor",
            a,
            b,
        )
    return p or q


def reduced(
    x: Array, axis: Value | None, keep: Value | None, origins: Value | None = None
) -> Shape | None:
    """Return the shape after a reduction over one, several or all axes."""
    if keep is not None and not isinstance(keep.data, bool):
        return None
    kept = keep is not None and keep.data is True
    if axis is None or axis.data is None:
        if kept:
            return None if x.shape is None else tuple(Value(1) for _ in x.shape)
        return ()
    if x.shape is None:
        return None
    given = axis.data if isinstance(axis.data, (list, tuple)) else (axis,)
    taken = [arrays.axis_of(a, len(x.shape)) for a in given]
    if None in taken:
        return None
    left = [
        Value(1, d.origins) if i in taken else d
        for i, d in enumerate(x.shape)
        if kept or i not in taken
    ]
    return tuple(left)


# --- making tensors -----------------------------------------------------------------------------


@MODELS.function(*names("constant convert_to_tensor identity stop_gradient as_tensor"))
def make_tensor(_: Interpreter, call: Call) -> Value:
    """Return a tensor of a value: floats are float32, whole numbers int32, arrays keep theirs."""
    value = call.given(0, "value", "initial_value", "input")
    if value is None:
        return call.unknown()
    wanted = call.keywords.get("dtype")
    if wanted is None and len(call.args) > 1 and not call.name.endswith("Variable"):
        wanted = call.args[1]
    return converted(call, value, wanted)


def converted(call: Call, value: Value, wanted: Value | None = None) -> Value:
    """Return a value as a tensor of a dtype that is asked for; raise where there is none."""
    data = value.data
    if isinstance(data, Table):
        width = data.width(value.origins)
        return tensor(call, (data.rows, width), dtype_named(wanted), value)
    if isinstance(data, Array):
        if data.dtype == "object":
            raise Raised(
                "type", "Failed to convert a NumPy array to a Tensor (Unsupported object)", value
            )
        asked = dtype_named(wanted, data.dtype)
        known = data.library == "tensorflow" and data.dtype and asked
        if known and wanted is not None and asked != data.dtype:
            raise Raised(
                "type",
                f"Tensor conversion requested dtype {asked} for Tensor with dtype {data.dtype}",
                value,
                wanted,
            )
        result = tensor(call, data.shape, asked, value)
        assert isinstance(result.data, Array)
        result.data.lowest, result.data.highest = data.lowest, data.highest
        return result
    listed = plain_list(value)
    if listed is None:
        return tensor(call, None, dtype_named(wanted), value)
    result = tensor(call, written(call, listed[0]), dtype_named(wanted, listed[1]), value)
    assert isinstance(result.data, Array)
    if listed[2] and listed[1] == "int32":
        result.data.lowest, result.data.highest = min(listed[2]), max(listed[2])
    shape = dims(call.given(2, "shape"))
    if shape is not None and call.name.endswith("constant"):
        result.data.shape = shape
    return result


@MODELS.function(
    *names("zeros ones normal uniform truncated_normal random_normal random_uniform empty fill")
)
def make_shape(_: Interpreter, call: Call) -> Value:
    """Return a new tensor of a shape that is given first."""
    shape = call.given(0, "shape", "dims")
    at = {"zeros": 1, "ones": 1, "fill": 9}.get(call.name.rpartition(".")[2], 3)
    dtype = dtype_named(call.given(at, "dtype"), "float32")
    if call.name.endswith("fill"):
        filled = operand(call.given(1, "value"))
        dtype = filled.dtype if filled is not None else None
    if shape is not None and isinstance(shape.data, (float, str)):
        raise Raised("type", f"Cannot convert {shape.data!r} to a shape", shape)
    result = tensor(call, written(call, dims(shape)), dtype, *call.args)
    if call.name.endswith("uniform") and isinstance(result.data, Array) and dtype in {"int32"}:
        low, high = size(call.given(1, "minval")), size(call.given(2, "maxval"))
        if high is not None:
            result.data.lowest, result.data.highest = low or 0, high - 1
    return result


@MODELS.function(*names("zeros_like ones_like"))
def make_like(_: Interpreter, call: Call) -> Value:
    """Return a tensor of the shape of another."""
    value = call.given(0, "input")
    x = operand(value)
    if x is None or value is None:
        return call.unknown()
    return tensor(call, x.shape, dtype_named(call.given(1, "dtype"), x.dtype), value)


@MODELS.function(*names("eye"))
def make_eye(_: Interpreter, call: Call) -> Value:
    """Return an identity matrix."""
    rows = call.given(0, "num_rows")
    columns = call.given(1, "num_columns")
    batch = call.given(2, "batch_shape")
    lead = () if batch is None or batch.data is None else dims(batch)
    if rows is None or lead is None:
        return call.unknown()
    shape = dims(Value((*lead, rows, columns or rows)))
    return tensor(call, written(call, shape), dtype_named(call.keywords.get("dtype"), "float32"))


@MODELS.function(*names("range"))
def make_range(_: Interpreter, call: Call) -> Value:
    """Return whole numbers from a start to a limit."""
    if not call.args and call.keywords.keys() & {"start", "limit"}:
        start, limit = call.keywords.get("start"), call.keywords.get("limit")
        given = [v for v in (start, limit) if v is not None]
        rest = {k: v for k, v in call.keywords.items() if k not in ("start", "limit")}
        return make_range(_, Call(call.name, tuple(given), rest, call.place))
    numbers = [size(a) for a in call.args]
    known = [n for n in numbers if n is not None]
    step = size(call.keywords.get("delta"))
    if step is not None and len(known) == len(numbers) and 1 <= len(known) <= 2:
        known = [*([0] if len(known) == 1 else []), *known, step]
        numbers = [*known]
    left = call.keywords.keys() - ({"dtype", "delta"} if step is not None else {"dtype"})
    if len(known) != len(numbers) or not known or left or known[2:] == [0]:
        return tensor(call, (Value(UNKNOWN),), None, *call.args)
    span = range(*known[:3])
    length = Value(len(span), merged(*call.args) | {call.place})
    made = tensor(call, (length,), dtype_named(call.keywords.get("dtype"), "int32"), *call.args)
    if isinstance(made.data, Array) and span:
        made.data.lowest, made.data.highest = min(span), max(span)
    return made


# --- operations ---------------------------------------------------------------------------------

FLOATING = names(
    "exp log log1p expm1 sqrt rsqrt sigmoid tanh sin cos softmax log_softmax softplus gelu elu "
    "selu silu swish erf l2_normalize"
)
"""Operations that take no whole numbers."""
KEEPING = names(
    "abs negative square sign relu relu6 leaky_relu floor ceil round clip_by_value clip_by_norm "
    "dropout bias_add reverse cumsum sort identity_n shuffle ensure_shape flip_left_right "
    "flip_up_down random_flip_left_right random_flip_up_down random_brightness random_contrast "
    "adjust_brightness adjust_contrast stop_gradient check_numerics sqrtm"
)
ALIKE = names(
    "add subtract multiply divide truediv maximum minimum pow mod floordiv squared_difference "
    "divide_no_nan"
)
COMPARING = names("equal not_equal greater greater_equal less less_equal logical_and logical_or")


COMPARED = frozenset(name.rpartition(".")[2] for name in COMPARING)


@MODELS.function(*FLOATING, *KEEPING)
def keeps_shape(_: Interpreter, call: Call) -> Value:
    """Return a tensor of the same shape and dtype."""
    value = call.given(0, "x", "input", "logits", "features", "t", "tensor", "image", "a")
    x = operand(value)
    if x is None or value is None:
        return call.unknown()
    strict = call.name.startswith("tensorflow") and call.name.rpartition(".")[2] in _FLOATING_LAST
    if strict and x.library == "tensorflow" and x.dtype and x.dtype.startswith(("int", "uint")):
        raise Raised("type", f"Value for attr 'T' of {x.dtype} is not allowed", value)
    return tensor(call, x.shape, x.dtype, value)


_FLOATING_LAST = frozenset(name.rpartition(".")[2] for name in FLOATING)


@MODELS.function(*ALIKE, *COMPARING)
def two_operands(_: Interpreter, call: Call) -> Value:
    """Return an elementwise operation of two tensors that broadcast and share a dtype."""
    if len(call.args) + len(call.keywords) < 2:
        return call.unknown()
    a, b = call.given(0, "x"), call.given(1, "y")
    x, y = operand(a), operand(b)
    if a is None or b is None or x is None or y is None:
        return call.unknown()
    last = call.name.rpartition(".")[2]
    dtype = one_dtype(last.capitalize(), a, b)
    shape = None
    if x.shape is not None and y.shape is not None:
        shape = arrays.broadcast(x.shape, y.shape)
    return tensor(call, shape, "bool" if last in COMPARED else dtype, a, b)


@MODELS.function(*names("add_n accumulate_n"))
def add_all(_: Interpreter, call: Call) -> Value:
    """Return the sum of tensors of one shape."""
    parts = call.given(0, "inputs")
    data = parts.data if parts is not None else None
    if not isinstance(data, (list, tuple)) or not data:
        return call.unknown()
    result = operand(data[0])
    for other in data[1:]:
        y = operand(other)
        if result is None or y is None or result.shape is None or y.shape is None:
            return call.unknown()
        shape = arrays.broadcast(result.shape, y.shape)
        result = Array(shape, one_dtype("AddN", data[0], other), "tensorflow")
    return tensor(call, result.shape if result else None, result.dtype if result else None, *data)


def swapped(x: Array, flag: Value | None) -> Array | None:
    """Return a matrix argument transposed where it is asked for, None where that is not known."""
    if flag is None or flag.data is False:
        return x
    if flag.data is not True or x.shape is None or len(x.shape) < 2:
        return None
    return Array((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype, x.library)


@MODELS.function(*names("matmul"))
def matrix_product(_: Interpreter, call: Call) -> Value:
    """Return a matrix product; operands have at least two axes and one dtype."""
    a, b = call.given(0, "a"), call.given(1, "b")
    x, y = operand(a), operand(b)
    if a is None or b is None or x is None or y is None:
        return call.unknown()
    dtype = one_dtype("MatMul", a, b)
    for value, item in ((a, x), (b, y)):
        if item.shape is not None and len(item.shape) < 2:
            raise Raised(
                "size",
                "In[0] and In[1] has different ndims or is not a matrix",
                Value(len(item.shape), value.origins),
                Value(2, frozenset({call.place})),
            )
    p, q = swapped(x, call.given(2, "transpose_a")), swapped(y, call.given(3, "transpose_b"))
    shape = arrays.matmul(p, q) if p is not None and q is not None else None
    return tensor(call, shape, dtype, a, b)


REDUCTIONS = names(
    "reduce_mean reduce_sum reduce_max reduce_min reduce_prod reduce_any reduce_all reduce_std "
    "reduce_variance reduce_logsumexp"
)


@MODELS.function(*REDUCTIONS)
def reduce(_: Interpreter, call: Call) -> Value:
    """Return a reduction over axes."""
    value = call.given(0, "input_tensor")
    x = operand(value)
    if value is None or x is None:
        return call.unknown()
    keep = call.given(2, "keepdims", "keep_dims")
    return tensor(call, reduced(x, call.given(1, "axis"), keep), x.dtype, value)


@MODELS.function(*names("argmax argmin"))
def arg_extreme(_: Interpreter, call: Call) -> Value:
    """Return indices of extremes along an axis, the first where none is given."""
    value = call.given(0, "input")
    x = operand(value)
    if value is None or x is None:
        return call.unknown()
    axis = call.given(1, "axis", "dimension") or Value(0)
    shape = reduced(x, axis, None)
    return tensor(call, shape, dtype_named(call.given(2, "output_type"), "int64"), value)


@MODELS.function(*names("cast to_float to_int32 saturate_cast"))
def cast(_: Interpreter, call: Call) -> Value:
    """Return a tensor with another dtype."""
    value = call.given(0, "x")
    x = operand(value)
    if value is None or x is None:
        return call.unknown()
    fixed = {"to_float": "float32", "to_int32": "int32"}.get(call.name.rpartition(".")[2])
    result = tensor(call, x.shape, fixed or dtype_named(call.given(1, "dtype")), value)
    if isinstance(result.data, Array):
        result.data.lowest, result.data.highest = x.lowest, x.highest
    return result


@MODELS.function(*names("convert_image_dtype"))
def cast_image(interpreter: Interpreter, call: Call) -> Value:
    """Return an image with another dtype, its range changed."""
    result = cast(interpreter, call)
    if isinstance(result.data, Array):
        result.data.lowest = result.data.highest = None
    return result


@MODELS.function(*names("reshape"))
def reshape(_: Interpreter, call: Call) -> Value:
    """Return a tensor in another shape; raise where the number of elements differs."""
    value, wanted = call.given(0, "tensor"), dims(call.given(1, "shape"))
    x = operand(value)
    if value is None or x is None:
        return call.unknown()
    shape = None
    if wanted is not None:
        shape = arrays.reshaped(x.shape, written(call, wanted) or ())
    return keeping(tensor(call, shape, x.dtype, value), x)


def keeping(result: Value, x: Array) -> Value:
    """Return a rearranged tensor with the bounds of what it was made of."""
    if isinstance(result.data, Array):
        result.data.lowest, result.data.highest = x.lowest, x.highest
    return result


@MODELS.function(*names("transpose permute_dimensions"))
def transpose(_: Interpreter, call: Call) -> Value:
    """Return a tensor with its axes in another order, reversed where none is given."""
    value, order = call.given(0, "a"), call.given(1, "perm")
    x = operand(value)
    if value is None or x is None:
        return call.unknown()
    shape: Shape | None = None
    if x.shape is not None and (order is None or order.data is None):
        shape = tuple(reversed(x.shape))
    elif x.shape is not None and order is not None and isinstance(order.data, (list, tuple)):
        if len(order.data) != len(x.shape):
            raise Raised(
                "size",
                f"transpose expects a vector of size {len(x.shape)}",
                Value(len(order.data), order.origins | {call.place}),
                Value(len(x.shape), value.origins),
            )
        axes = [arrays.axis_of(a, len(x.shape)) for a in order.data]
        if None not in axes:
            shape = tuple(x.shape[a] for a in axes if a is not None)
    return keeping(tensor(call, shape, x.dtype, value), x)


@MODELS.function(*names("expand_dims"))
def expand_dims(_: Interpreter, call: Call) -> Value:
    """Return a tensor with a new axis of size 1."""
    value = call.given(0, "input")
    x, axis = operand(value), call.given(1, "axis", "dim")
    if value is None or x is None:
        return call.unknown()
    shape = None
    if x.shape is not None and axis is not None:
        at = arrays.axis_of(axis, len(x.shape) + 1)
        if at is not None:
            shape = (*x.shape[:at], Value(1, frozenset({call.place})), *x.shape[at:])
    return keeping(tensor(call, shape, x.dtype, value), x)


@MODELS.function(*names("squeeze"))
def squeeze(_: Interpreter, call: Call) -> Value:
    """Return a tensor without axes of size 1; raise where a named one has another size."""
    value, axis = call.given(0, "input"), call.given(1, "axis")
    x = operand(value)
    if value is None or x is None:
        return call.unknown()
    shape: Shape | None = None
    if x.shape is not None and axis is not None and axis.data is not None:
        given = axis.data if isinstance(axis.data, (list, tuple)) else (axis,)
        taken = [arrays.axis_of(a, len(x.shape)) for a in given]
        for at in taken:
            if at is not None:
                number = size(x.shape[at])
                if number is not None and number != 1:
                    raise Raised(
                        "size",
                        f"Can not squeeze dim[{at}], expected a dimension of 1, got {number}",
                        x.shape[at],
                        Value(1, frozenset({call.place})),
                    )
        if None not in taken:
            shape = tuple(d for i, d in enumerate(x.shape) if i not in taken)
    elif x.shape is not None and all(size(d) is not None for d in x.shape):
        shape = tuple(d for d in x.shape if size(d) != 1)
    return keeping(tensor(call, shape, x.dtype, value), x)


@MODELS.function(*names("concat stack"))
def join(_: Interpreter, call: Call) -> Value:
    """Return tensors joined along an axis, or stacked along a new one."""
    given, axis = call.given(0, "values"), call.given(1, "axis")
    parts = given.data if given is not None else None
    at = size(axis) if axis is not None else 0
    if isinstance(parts, Lazy) and not parts.others:
        return _joined_alike(call, parts, at)
    if not isinstance(parts, (list, tuple)) or not parts:
        return call.unknown()
    arrays_joined = [operand(p) for p in parts]
    known = [p for p in arrays_joined if p is not None]
    if len(known) != len(arrays_joined):
        return tensor(call, None, None, *parts)
    dtype = known[0].dtype
    if all(p.dtype is None for p in known) and given is not None and not _has_array(given):
        # Each part is a tensor of its own, and of other lengths than the others.
        dtypes = {None if one is None else one[1] for one in map(plain_list, parts)}
        dtype = dtypes.pop() if len(dtypes) == 1 else None
    for other in parts[1:] if dtype is None or known[0].dtype else ():
        dtype = one_dtype("ConcatV2" if call.name.endswith("concat") else "Pack", parts[0], other)
    if at is None:
        return tensor(call, None, dtype, *parts)
    make = arrays.concatenated if call.name.endswith("concat") else arrays.stacked
    return tensor(call, make(known, at), dtype, *parts)


def _joined_alike(call: Call, parts: Lazy, at: int | None) -> Value:
    """Return so many tensors of one shape joined along an axis, or stacked along a new one."""
    x = operand(parts.item)
    if x is None:
        return tensor(call, None, None, parts.item)
    if x.shape is None or at is None:
        return tensor(call, None, x.dtype, parts.item)
    if call.name.endswith("concat"):
        axis = arrays.axis_of(at, len(x.shape))
        if axis is None:
            return tensor(call, None, x.dtype, parts.item)
        # The last one of many batches may be smaller.
        known = size(parts.length) is not None and axis > 0
        whole = arrays.product((x.shape[axis], parts.length)) if known else Value(UNKNOWN)
        shape = (*x.shape[:axis], whole, *x.shape[axis + 1 :])
        return tensor(call, shape, x.dtype, parts.item)
    axis = arrays.axis_of(at, len(x.shape) + 1)
    if axis is None:
        return tensor(call, None, x.dtype, parts.item)
    count = Value(UNKNOWN if size(parts.length) is None else parts.length.data)
    return tensor(call, (*x.shape[:axis], count, *x.shape[axis:]), x.dtype, parts.item)


def _has_array(value: Value) -> bool:
    """Whether there is a tensor in nested lists."""
    data = value.data
    if isinstance(data, (list, tuple)):
        return any(_has_array(item) for item in data[:MAX_LISTED])
    return isinstance(data, Array)


@MODELS.function(*names("split"))
def split(_: Interpreter, call: Call) -> Value:
    """Return equal parts, or parts of given sizes, along an axis."""
    value, count = call.given(0, "value"), call.given(1, "num_or_size_splits")
    x, axis = operand(value), call.given(2, "axis")
    if value is None or count is None or x is None or x.shape is None:
        return call.unknown()
    at = arrays.axis_of(axis if axis is not None else 0, len(x.shape))
    if at is None:
        return call.unknown()
    whole, number = size(x.shape[at]), size(count)
    if isinstance(count.data, (list, tuple)):
        sizes = list(count.data)
        if whole is not None and all((size(s) or -1) >= 0 for s in sizes):
            total = sum(size(s) or 0 for s in sizes)
            if total != whole:
                raise Raised(
                    "size",
                    "Determined shape must match the sum of size_splits",
                    x.shape[at],
                    Value(total, merged(count, *sizes) | {call.place}),
                )
    elif number is None or number < 1:
        return call.unknown()
    else:
        if whole is not None and whole % number:
            raise Raised(
                "size",
                "Dimension size must be evenly divisible by the number of splits",
                x.shape[at],
                count,
            )
        each = UNKNOWN if whole is None else whole // number
        sizes = [Value(each, merged(x.shape[at], count))] * number
    return Value(
        [tensor(call, (*x.shape[:at], part, *x.shape[at + 1 :]), x.dtype, value) for part in sizes],
        value.origins,
    )


@MODELS.function(*names("tile"))
def tile(_: Interpreter, call: Call) -> Value:
    """Return a tensor repeated along each of its axes."""
    value, times = call.given(0, "input"), dims(call.given(1, "multiples"))
    x = operand(value)
    if value is None or x is None or x.shape is None or times is None:
        return call.unknown()
    if len(times) != len(x.shape):
        raise Raised(
            "size",
            "Expected multiples argument to be a vector of length of the input's rank",
            Value(len(times), merged(*times) | {call.place}),
            Value(len(x.shape), value.origins),
        )
    shape = [arrays.product((d, t)) for d, t in zip(x.shape, times, strict=True)]
    return keeping(tensor(call, shape, x.dtype, value), x)


@MODELS.function(*names("one_hot"))
def one_hot(_: Interpreter, call: Call) -> Value:
    """Return one-hot rows along a new last axis (labels beyond the depth give zeros)."""
    value, depth = call.given(0, "indices"), call.given(1, "depth")
    x = operand(value)
    if value is None or depth is None or x is None or x.shape is None:
        return call.unknown()
    if x.dtype is not None and x.dtype.startswith("float"):
        raise Raised("type", "Value for attr 'TI' of float is not allowed", value)
    if size(call.given(4, "axis")) not in {None, -1}:
        return call.unknown()
    width = Value(UNKNOWN if size(depth) is None else depth.data, depth.origins | {call.place})
    on = call.given(2, "on_value") or call.given(3, "off_value")
    kind = operand(on)
    of_numbers = {int: "int32", float: "float32"}.get(type(on.data)) if on is not None else None
    default = "float32" if on is None else of_numbers if kind is None else kind.dtype or of_numbers
    dtype = dtype_named(call.given(5, "dtype"), default)
    return tensor(call, (*x.shape, width), dtype, value)


@MODELS.function(*names("gather embedding_lookup"))
def gather(_: Interpreter, call: Call) -> Value:
    """Return rows by their indices; raise where an index is beyond the axis."""
    value, chosen = call.given(0, "params"), call.given(1, "indices", "ids")
    x, ids, axis = operand(value), operand(chosen), call.keywords.get("axis")
    if value is None or chosen is None or x is None or x.shape is None or ids is None:
        return call.unknown()
    if "batch_dims" in call.keywords or not x.shape:
        return call.unknown()
    at = arrays.axis_of(axis if axis is not None else 0, len(x.shape))
    if at is None:
        return call.unknown()
    limit = size(x.shape[at])
    if limit is not None:
        for bound in (ids.highest, ids.lowest):
            if bound is not None and not 0 <= bound < limit:
                raise Raised(
                    "index",
                    f"indices = {bound} is not in [0, {limit})",
                    Value(bound, chosen.origins),
                    x.shape[at],
                )
    shape = None if ids.shape is None else (*x.shape[:at], *ids.shape, *x.shape[at + 1 :])
    return keeping(tensor(call, shape, x.dtype, value, chosen), x)


@MODELS.function(*names("shape get_static_value"))
def shape_of(_: Interpreter, call: Call) -> Value:
    """Return a tensor's dimensions as a list."""
    x = operand(call.given(0, "input"))
    if x is None or x.shape is None:
        return call.unknown()
    return Value(Sizes(x.shape), merged(*x.shape))


class Sizes(list[Value]):
    """The sizes of a tensor as a tensor, whose numbers are kept."""


@MODELS.method("Sizes", "numpy", "tolist", "get_shape", "__array__")
def sizes_in_numpy(_: Interpreter, call: Call) -> Value:
    """Return the sizes in NumPy."""
    data = call.receiver.data if call.receiver is not None else None
    if not isinstance(data, Sizes) or call.name == "get_shape":
        return call.unknown()
    return Value(list(data) if call.name == "tolist" else Sizes(data), merged(*data))


@MODELS.attribute("Sizes", "shape", "dtype", "ndim", "size", "device", "name")
def of_sizes(_: Interpreter, call: Call) -> Value:
    """Return the shape of the sizes, which is their number."""
    data = call.receiver.data if call.receiver is not None else None
    if not isinstance(data, Sizes) or call.name in ("dtype", "device", "name"):
        return call.unknown()
    count = Value(len(data), merged(*data))
    return Value((count,)) if call.name == "shape" else Value(1) if call.name == "ndim" else count


@MODELS.function(*names("rank"))
def rank(_: Interpreter, call: Call) -> Value:
    """Return a tensor's number of axes."""
    x = operand(call.given(0, "input"))
    if x is None or x.shape is None:
        return call.unknown()
    return Value(len(x.shape), merged(*x.shape))


@MODELS.function(*names("where"))
def where(_: Interpreter, call: Call) -> Value:
    """Return elements of one or the other tensor."""
    if len(call.args) + len(call.keywords) < 3:
        return call.unknown()
    given = [call.given(0, "condition"), call.given(1, "x"), call.given(2, "y")]
    parts = [operand(g) for g in given]
    shape: Shape | None = ()
    for part in parts:
        if part is None or part.shape is None or shape is None:
            shape = None
        else:
            shape = arrays.broadcast(shape, part.shape)
    a, b = given[1], given[2]
    if a is None or b is None:
        return call.unknown()
    return tensor(call, shape, one_dtype("SelectV2", a, b), *(g for g in given if g is not None))


@MODELS.function(*names("resize resize_with_pad resize_with_crop_or_pad"))
def resize(_: Interpreter, call: Call) -> Value:
    """Return images of another height and width (``tensorflow.image.resize``)."""
    value = call.given(0, "images", "image")
    x, wanted = operand(value), dims(call.given(1, "size"))
    if not call.name.endswith("resize") and len(call.args) == 3:
        wanted = dims(Value(call.args[1:3]))
    if value is None or x is None or x.shape is None or wanted is None or len(wanted) != 2:
        return call.unknown()
    if len(x.shape) not in {3, 4}:
        raise Raised(
            "size",
            "'images' must have either 3 or 4 dimensions.",
            Value(len(x.shape), value.origins | {call.place}),
            Value(3, frozenset({call.place})),
        )
    height, width = written(call, wanted) or wanted
    return tensor(call, (*x.shape[:-3], height, width, x.shape[-1]), "float32", value)


@MODELS.function(*names("decode_jpeg decode_png decode_image"))
def decode_image(_: Interpreter, call: Call) -> Value:
    """Return an image of unknown size and, where given, a known number of channels."""
    channels = call.given(1, "channels")
    depth = Value(UNKNOWN) if channels is None or not size(channels) else channels
    shape = (Value(UNKNOWN), Value(UNKNOWN), depth)
    return tensor(call, shape, dtype_named(call.keywords.get("dtype"), "uint8"), *call.args)


# --- losses of tensorflow.nn ------------------------------------------------------------------


@MODELS.function(
    *names(
        "softmax_cross_entropy_with_logits sigmoid_cross_entropy_with_logits "
        "sparse_softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2"
    )
)
def cross_entropy(_: Interpreter, call: Call) -> Value:
    """Return a loss for each row; raise where labels do not fit the logits."""
    labels, logits = call.given(0, "labels"), call.given(1, "logits")
    y, p = operand(labels), operand(logits)
    if labels is None or logits is None or y is None or p is None:
        return call.unknown()
    if y.shape is None or p.shape is None or not p.shape:
        return tensor(call, None, p.dtype, labels, logits)
    sides = Value(len(y.shape), merged(*y.shape)), Value(len(p.shape), merged(*p.shape))
    if ".sparse" in call.name:
        if len(y.shape) != len(p.shape) - 1:
            raise Raised(
                "size",
                "`labels.shape` must equal `logits.shape` except for the last dimension.",
                *sides,
            )
        for a, b in zip(y.shape, p.shape, strict=False):
            arrays.same(a, b, "`labels.shape` must equal `logits.shape` except for the last one")
        count = size(p.shape[-1])
        if count is not None and y.highest is not None and y.highest >= count:
            raise Raised(
                "index",
                f"Received a label value of {y.highest} which is outside the valid range of "
                f"[0, {count})",
                Value(y.highest, labels.origins),
                p.shape[-1],
            )
        return tensor(call, y.shape, p.dtype, labels, logits)
    if len(y.shape) != len(p.shape):
        raise Raised("size", "logits and labels must have the same shape", *sides)
    message = "logits and labels must be broadcastable"
    shape = tuple(arrays.same(a, b, message) for a, b in zip(y.shape, p.shape, strict=True))
    dtype = one_dtype("SoftmaxCrossEntropyWithLogits", logits, labels)
    return tensor(call, shape if ".sigmoid" in call.name else shape[:-1], dtype, labels, logits)


@MODELS.function(*names("conv2d conv1d conv3d"))
def convolve(_: Interpreter, call: Call) -> Value:
    """Return a convolution with given filters (channels last)."""
    value, kernel = call.given(0, "input"), call.given(1, "filters", "filter")
    x, f = operand(value), operand(kernel)
    padding = call.given(3, "padding")
    if value is None or kernel is None or x is None or f is None:
        return call.unknown()
    if x.shape is None or f.shape is None or len(x.shape) != len(f.shape):
        return tensor(call, None, x.dtype, value, kernel)
    if "data_format" in call.keywords or "dilations" in call.keywords:
        return tensor(call, None, x.dtype, value, kernel)
    arrays.same(x.shape[-1], f.shape[-2], "input depth must match the filters' input depth")
    count = len(x.shape) - 2
    given = call.given(2, "strides", "stride")
    steps = given.data if given is not None else None
    if isinstance(steps, (list, tuple)):
        steps = list(steps)[1:-1] if len(steps) == count + 2 else list(steps)
    else:
        steps = [given or Value(1)] * count
    if len(steps) != count:
        return tensor(call, None, x.dtype, value, kernel)
    kind = padding.data if padding is not None else None
    lengths: list[Value] = []
    for length, width, step in zip(x.shape[1:-1], f.shape, steps, strict=False):
        n, k, s = size(length), size(width), size(step)
        number: object = UNKNOWN
        if n is not None and s and kind == "SAME":
            number = -(-n // s)
        elif n is not None and s and k is not None and kind == "VALID":
            number = (n - k) // s + 1
            if n < k:
                raise Raised("size", "Negative dimension size caused by subtracting", width, length)
        lengths.append(Value(number, merged(length, width, step)))
    shape = (x.shape[0], *lengths, f.shape[-1])
    return tensor(call, shape, one_dtype("Conv2D", value, kernel), value, kernel)


# --- functions, tapes ---------------------------------------------------------------------------


@MODELS.function("tensorflow.function", "tensorflow.autograph.experimental.do_not_convert")
def wrap_function(_: Interpreter, call: Call) -> Value:
    """Return the function itself, or what wraps one."""
    function = call.given(0, "func")
    return function if function is not None else Value(Library("tensorflow.function"))


@MODELS.function("tensorflow.GradientTape")
def make_tape(_: Interpreter, call: Call) -> Value:
    """Return a gradient tape."""
    made = LibraryObject("tensorflow.GradientTape", call.args, dict(call.keywords), call.place)
    return Value(made, frozenset({call.place}))


@MODELS.method("GradientTape", "reset", "__enter__", "__exit__")
def tape_step(_: Interpreter, call: Call) -> Value:
    """Return the tape where it is entered, else None."""
    receiver = call.receiver
    return receiver if call.name == "__enter__" and receiver is not None else Value(None)


# --- data sets ----------------------------------------------------------------------------------


def dataset(call: Call, item: Value, length: Value) -> Value:
    """Return a data set of elements like one."""
    made = LibraryObject(DATASET, (), {}, call.place)
    made.state["item"], made.state["length"] = item, length
    before = call.held.state.get("open") if call.held is not None else None
    if call.name.endswith("batch") and call.name != "unbatch":
        drop = call.keywords.get("drop_remainder")
        if before is not None or drop is None or drop.data is not True:
            made.state["open"] = Value(True) if before is None else Value(UNKNOWN)
    elif before is not None:
        made.state["open"] = before if call.name in KEEPING_ELEMENTS else Value(UNKNOWN)
    return Value(made, merged(item) | {call.place})


KEEPING_ELEMENTS = frozenset(
    (
        *("shuffle", "prefetch", "cache", "with_options", "snapshot", "shard", "repeat", "take"),
        *("skip", "filter", "concatenate", "take_while", "ignore_errors"),
    )
)
"""Methods of data sets that leave the elements as they are.

``open`` tells of a data set that the first size of its elements differs, as that of a last batch.
"""


def slices(value: Value, lengths: list[Value]) -> Value:
    """Return one element of nested arrays; their first axes are added to ``lengths``."""
    data = value.data
    if isinstance(data, tuple):
        return Value(tuple(slices(part, lengths) for part in data), value.origins)
    if isinstance(data, dict):
        return Value({k: slices(v, lengths) for k, v in data.items()}, value.origins)
    if isinstance(data, Table):
        lengths.append(data.rows)
        width = data.width(value.origins)
        return Value(Array((width,), None, "tensorflow"), value.origins)
    if isinstance(data, Lazy):
        lengths.append(data.length)
        return data.item
    listed = plain_list(value) if isinstance(data, (list, Array)) else None
    if listed is None or not listed[0]:
        return unknown(value)
    lengths.append(listed[0][0])
    element = Array(listed[0][1:], listed[1], "tensorflow")
    if isinstance(data, Array):
        element.lowest, element.highest = data.lowest, data.highest
    elif listed[2] and listed[1] == "int32":
        element.lowest, element.highest = min(listed[2]), max(listed[2])
    return Value(element, value.origins)


@MODELS.function(f"{DATASET}.from_tensor_slices")
def from_slices(_: Interpreter, call: Call) -> Value:
    """Return a data set of rows; raise where the arrays have different numbers of them."""
    value = call.given(0, "tensors")
    if value is None:
        return call.unknown()
    lengths: list[Value] = []
    item = slices(value, lengths)
    known = [n for n in lengths if size(n) is not None]
    for other in known[1:]:
        arrays.same(known[0], other, "Dimensions of the tensors to slice are not compatible")
    return dataset(call, item, known[0] if known else Value(UNKNOWN))


@MODELS.function(f"{DATASET}.from_tensors")
def from_tensors(_: Interpreter, call: Call) -> Value:
    """Return a data set of one element."""
    return dataset(call, call.given(0, "tensors") or call.unknown(), Value(1))


@MODELS.function(f"{DATASET}.from_generator", f"{DATASET}.list_files", "tensorflow.data.Dataset")
def from_elsewhere(_: Interpreter, call: Call) -> Value:
    """Return a data set of elements that are not known."""
    return dataset(call, call.unknown(), Value(UNKNOWN))


@MODELS.function(f"{DATASET}.range")
def from_range(_: Interpreter, call: Call) -> Value:
    """Return a data set of whole numbers."""
    numbers = [n for n in (size(a) for a in call.args) if n is not None]
    item = Value(Array((), "int64", "tensorflow"), merged(*call.args))
    if not numbers or len(numbers) != len(call.args):
        return dataset(call, item, Value(UNKNOWN))
    return dataset(call, item, Value(len(range(*numbers[:3])), merged(*call.args)))


@MODELS.function(f"{DATASET}.zip")
def zip_sets(_: Interpreter, call: Call) -> Value:
    """Return a data set of the elements of several, side by side."""
    first = call.args[0].data if call.args else None
    parts = list(first) if isinstance(first, (tuple, list)) else list(call.args)
    datasets = [
        p.data for p in parts if isinstance(p.data, LibraryObject) and "item" in p.data.state
    ]
    if len(datasets) != len(parts) or not datasets:
        return from_elsewhere(_, call)
    lengths = [f.state["length"] for f in datasets]
    numbers = [size(n) for n in lengths]
    least = min((n for n in numbers if n is not None), default=None)
    length = Value(UNKNOWN if least is None or None in numbers else least, merged(*lengths))
    return dataset(call, Value(tuple(f.state["item"] for f in datasets)), length)


def state_of(call: Call) -> tuple[Value, Value]:
    """Return the element and the length of the data set that a method belongs to."""
    data = call.held
    if data is not None and "item" in data.state:
        return data.state["item"], data.state["length"]
    return call.unknown(), Value(UNKNOWN)


@MODELS.method("Dataset", "shuffle", "prefetch", "cache", "with_options", "snapshot")
def same_elements(_: Interpreter, call: Call) -> Value:
    """Return a data set of the same elements."""
    item, length = state_of(call)
    made = dataset(call, item, length)
    last = call.state.get("last")
    if last is not None and call.name != "shuffle" and isinstance(made.data, LibraryObject):
        made.data.state["last"] = last
    if "rows" in call.state and isinstance(made.data, LibraryObject):
        made.data.state["rows"] = call.state["rows"]
    return made


@MODELS.method("Dataset", "repeat", "take", "skip", "filter", "concatenate")
def other_length(_: Interpreter, call: Call) -> Value:
    """Return a data set of like elements with another length."""
    item, length = state_of(call)
    given = call.args[0] if call.args else None
    whole, number = size(length), size(given)
    count: object = UNKNOWN
    if whole is not None and number is not None and number >= 0:
        count = {
            "repeat": whole * number,
            "take": min(whole, number),
            "skip": max(whole - number, 0),
        }.get(call.name, UNKNOWN)
    elif call.name == "take" and number == -1 and whole is not None:
        count = whole
    return dataset(call, item, Value(count, merged(length, *call.args)))


def with_batch(value: Value, count: Value) -> Value:
    """Return an element with a new first axis."""
    data = value.data
    if isinstance(data, tuple):
        return Value(tuple(with_batch(part, count) for part in data), value.origins)
    if isinstance(data, dict):
        return Value({k: with_batch(v, count) for k, v in data.items()}, value.origins)
    if isinstance(data, (bool, int, float, str)):
        data = operand(value) or Array((), "str", "tensorflow")
    if isinstance(data, Array):
        shape = None if data.shape is None else (count, *data.shape)
        result = Array(shape, data.dtype, "tensorflow")
        result.lowest, result.highest = data.lowest, data.highest
        return Value(result, merged(value, count))
    return unknown(value)


@MODELS.method("Dataset", "batch")
def batch(_: Interpreter, call: Call) -> Value:
    """Return a data set of batches."""
    item, length = state_of(call)
    given = call.given(0, "batch_size") or Value(UNKNOWN)
    whole, number = size(length), size(given)
    drop = call.keywords.get("drop_remainder")
    count = Value(UNKNOWN if number is None else number, given.origins | {call.place})
    if whole is not None and number is not None and whole < number:
        count = Value(whole, merged(length, given))
    batches: object = UNKNOWN
    if whole is not None and number:
        batches = whole // number if drop is not None and drop.data is True else -(-whole // number)
    made = dataset(call, with_batch(item, count), Value(batches, merged(length, given)))
    left = 0 if whole is None or not number or not isinstance(batches, int) else whole % number
    is_few = isinstance(batches, int) and 1 < batches <= FEW and (not drop or drop.data is False)
    if left and is_few and isinstance(made.data, LibraryObject):
        made.data.state["last"] = with_batch(item, Value(left, merged(length, given)))
    exact = drop is not None and drop.data is True
    if whole is not None and number and isinstance(made.data, LibraryObject):
        rows = whole // number * number if exact else whole
        made.data.state["rows"] = Value(rows, merged(length, given))
    return made


FEW = 12
"""Batches up to which each is told by itself where the last one is smaller."""


@MODELS.method("Dataset", "unbatch")
def unbatch(_: Interpreter, call: Call) -> Value:
    """Return a data set of the rows of batches."""
    item, _length = state_of(call)
    return dataset(call, slices(item, []), Value(UNKNOWN))


@MODELS.method("Dataset", "map")
def map_elements(interpreter: Interpreter, call: Call) -> Value:
    """Return a data set of what a function gives for each element."""
    item, length = state_of(call)
    function = call.given(0, "map_func")
    if function is None:
        return call.unknown()
    parts = item.data if isinstance(item.data, tuple) else (item,)
    return dataset(call, interpreter.call(function, tuple(parts), {}, call.place), length)


@MODELS.method("Dataset", "enumerate")
def numbered(_: Interpreter, call: Call) -> Value:
    """Return a data set of pairs of a number and an element."""
    item, length = state_of(call)
    number = Value(Array((), "int64", "tensorflow"), merged(length))
    return dataset(call, Value((number, item)), length)


def in_numpy(value: Value) -> Value:
    """Return nested tensors as arrays of NumPy; texts are bytes then."""
    data = value.data
    if isinstance(data, tuple):
        return Value(tuple(in_numpy(part) for part in data), value.origins)
    if isinstance(data, dict):
        return Value({k: in_numpy(v) for k, v in data.items()}, value.origins)
    if type(data) is not Array or data.dtype == "str":
        return unknown(value)
    made = Array(data.shape, data.dtype, "numpy", lowest=data.lowest, highest=data.highest)
    return Value(made, value.origins)


@MODELS.method("Dataset", "as_numpy_iterator")
def elements_in_numpy(_: Interpreter, call: Call) -> Value:
    """Return the elements as arrays of NumPy."""
    item, length = state_of(call)
    return Value(Lazy(in_numpy(item), length), merged(item))


@MODELS.method("Dataset", "__iter__")
def elements(_: Interpreter, call: Call) -> Value:
    """Return the elements."""
    item, length = state_of(call)
    last, count = call.state.get("last"), size(length)
    if last is not None and count is not None:
        return Value([*([item] * (count - 1)), last], merged(item))
    return Value(Lazy(item, length), merged(item))


@MODELS.method("Dataset", "__len__")
def length_of(_: Interpreter, call: Call) -> Value:
    """Return the number of elements."""
    return state_of(call)[1]


def listed_images(
    call: Call, size_name: str, default: Shape, mode_name: str, classes: list[str] | None
) -> Value:
    """Return one batch of images and labels that are read from a folder of these classes."""
    sizes = dims(call.keywords.get(size_name)) or default
    colors = call.keywords.get("color_mode")
    depth = {"grayscale": 1, "rgb": 3, "rgba": 4, None: 3}.get(
        colors.data if colors is not None and isinstance(colors.data, str) else None
    )
    given = call.keywords.get("batch_size") or Value(32)
    channels = Value(depth or UNKNOWN, merged(*(() if colors is None else (colors,))))
    shape = (
        Value(UNKNOWN if size(given) is None else given.data, given.origins),
        *(written(call, sizes) or sizes),
        Value(channels.data, channels.origins | {call.place}),
    )
    images = tensor(call, shape, "float32")
    mode = call.keywords.get(mode_name)
    kind = "?" if mode is not None and not isinstance(mode.data, (str, type(None))) else None
    if mode is not None and kind is None:
        kind = mode.data if isinstance(mode.data, str) else "none"
    if kind == "none":
        return images
    width: Shape | None = (shape[0],)
    count = Value(len(classes) if classes else UNKNOWN, frozenset({call.place}))
    if kind == "categorical" or (kind is None and mode_name == "class_mode"):
        width = (shape[0], count)
    elif kind == "binary" and mode_name == "label_mode":
        width = (shape[0], Value(1))
    elif kind == "?":
        width = None
    labels = tensor(call, width, None)
    is_number = kind in ("int", "sparse") or (kind is None and mode_name == "label_mode")
    if classes and is_number and isinstance(labels.data, Array):
        labels.data.lowest, labels.data.highest = 0, len(classes) - 1
    return Value((images, labels))


def class_names(interpreter: Interpreter, call: Call, keyword: str) -> list[str] | None:
    """Return the classes of images in a folder, as given or as its folders name them."""
    given = call.keywords.get(keyword)
    if given is not None and given.data is not None:
        names = given.data if isinstance(given.data, (list, tuple)) else ()
        known = [name.data for name in names if isinstance(name.data, str)]
        return known if known and len(known) == len(names) else None
    return class_folders(interpreter, call.given(0, "directory"))


def from_folder(interpreter: Interpreter, call: Call) -> Value:
    """Return a data set of images and labels in a folder."""
    default = (Value(256, frozenset({call.place})),) * 2
    classes = class_names(interpreter, call, "class_names")
    item = listed_images(call, "image_size", default, "label_mode", classes)
    made = dataset(call, item, Value(UNKNOWN))
    if isinstance(made.data, LibraryObject):
        made.data.state["open"] = Value(True)
    if classes and isinstance(made.data, LibraryObject):
        places = frozenset({call.place})
        made.data.state["classes"] = Value([Value(name, places) for name in classes], places)
    return made


@MODELS.attribute("Dataset", "class_names")
def names_of_classes(_: Interpreter, call: Call) -> Value:
    """Return the classes of a data set of images in a folder; what is made of it has none."""
    held = call.receiver.data if call.receiver is not None else None
    classes = held.state.get("classes") if isinstance(held, LibraryObject) else None
    return call.unknown() if classes is None else classes


def make_generator(_: Interpreter, call: Call) -> Value:
    """Return a generator of changed images."""
    made = LibraryObject("ImageDataGenerator", call.args, dict(call.keywords), call.place)
    return Value(made, frozenset({call.place}))


for _prefix in ("keras.", "tensorflow.keras.", "tf.keras.", "keras.api."):
    MODELS.function(
        f"{_prefix}utils.image_dataset_from_directory",
        f"{_prefix}preprocessing.image_dataset_from_directory",
        f"{_prefix}preprocessing.image.image_dataset_from_directory",
    )(from_folder)
    MODELS.function(
        f"{_prefix}preprocessing.image.ImageDataGenerator",
        f"{_prefix}legacy.preprocessing.image.ImageDataGenerator",
    )(make_generator)


@MODELS.method("ImageDataGenerator", "flow_from_directory", "flow_from_dataframe")
def flow_from_folder(interpreter: Interpreter, call: Call) -> Value:
    """Return batches of images and labels in a folder."""
    default = (Value(256, frozenset({call.place})),) * 2
    is_folder = call.name == "flow_from_directory"
    classes = class_names(interpreter, call, "classes") if is_folder else None
    item = listed_images(call, "target_size", default, "class_mode", classes)
    return Value(Lazy(item, Value(UNKNOWN)), merged(item) | {call.place})


@MODELS.method("ImageDataGenerator", "flow")
def flow(_: Interpreter, call: Call) -> Value:
    """Return batches of arrays; images have four axes and as many rows as the labels."""
    x, y = call.given(0, "x"), call.given(1, "y")
    data, labels = arrays.array(x), arrays.array(y)
    if x is None or data is None or data.shape is None:
        return call.unknown()
    if len(data.shape) != 4:
        raise Raised(
            "size",
            "Input data in `NumpyArrayIterator` should have rank 4",
            Value(len(data.shape), merged(*data.shape)),
            Value(4, frozenset({call.place})),
        )
    given = call.given(2, "batch_size") or Value(32)
    item = with_batch(Value(Array(data.shape[1:], "float32"), x.origins), given)
    if y is not None and labels is not None and labels.shape:
        arrays.same(data.shape[0], labels.shape[0], "`x` and `y` should have the same length")
        rows = Array(labels.shape[1:], labels.dtype, lowest=labels.lowest, highest=labels.highest)
        item = Value((item, with_batch(Value(rows, y.origins), given)))
    elif y is not None and y.data is not None:
        item = Value((item, unknown(y)))
    return Value(Lazy(item, Value(UNKNOWN)), merged(item) | {call.place})


# --- keras.backend and keras.ops ------------------------------------------------------------

SHARED: dict[str, Callable[[Interpreter, Call], Value]] = {
    **dict.fromkeys(("mean", "sum", "max", "min", "prod", "std", "var", "any", "all"), reduce),
    **dict.fromkeys(("square", "abs", "exp", "log", "sqrt", "sign", "round", "clip"), keeps_shape),
    **dict.fromkeys(("sigmoid", "softmax", "relu", "tanh"), keeps_shape),
    "argmax": arg_extreme,
    "argmin": arg_extreme,
    "reshape": reshape,
    "expand_dims": expand_dims,
    "squeeze": squeeze,
    "concatenate": join,
    "cast": cast,
}
"""Functions that Keras names as NumPy does."""


def _shared(model: Callable[[Interpreter, Call], Value]) -> Callable[[Interpreter, Call], Value]:
    """Return a model for Keras, whose functions name their first parameter ``x``."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        args, keywords = call.args, dict(call.keywords)
        if not args and "x" in keywords:
            args = (keywords.pop("x"),)
        if model is join and "axis" not in keywords and len(args) < 2:
            keywords["axis"] = Value(-1 if ".backend." in call.name else 0)
        if model is arg_extreme and "axis" not in keywords and len(args) < 2:
            if ".ops." in call.name:
                return call.unknown()
            keywords["axis"] = Value(-1)
        last = "concat" if model is join else call.name
        return model(interpreter, Call(last, args, keywords, call.place))

    return run


for _name, _model in SHARED.items():
    for _prefix in ("keras.", "tensorflow.keras.", "tf.keras."):
        MODELS.function(f"{_prefix}backend.{_name}", f"{_prefix}ops.{_name}")(_shared(_model))


@MODELS.attribute("GradientTape", "persistent")
def tape_attribute(_: Interpreter, call: Call) -> Value:
    """Return an attribute that is not followed."""
    return call.unknown()
