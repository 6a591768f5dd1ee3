"""TensorFlow's functions on tensors beyond the operations of every model, and Keras's metrics.

Source: the TensorFlow 2 API reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import axis_of, size
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    Shape,
    dims,
    dtype_named,
    names,
    operand,
    plain_list,
    reduced,
    tensor,
    written,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Work: TypeAlias = Callable[[Call, Array, Value], Value]
FIRST = ("input", "x", "tensor", "value", "values", "a", "images", "image", "logits", "params")


def on_tensor(*functions: str) -> Callable[[Work], Work]:
    """Register a model of functions of TensorFlow whose first argument is a tensor."""

    def keep(work: Work) -> Work:
        def run(_: Interpreter, call: Call) -> Value:
            value = call.given(0, *FIRST)
            x = operand(value)
            if x is not None and x.dtype is None and value is not None and x is not value.data:
                x.dtype = plain_dtype(value)
            return call.unknown() if x is None or value is None else work(call, x, value)

        MODELS.function(*names(*functions))(run)
        return work

    return keep


def plain_dtype(*values: Value | None) -> str | None:
    """Return the dtype of tensors made of plain numbers, None where they are not alike."""
    kinds: set[str | None] = set()
    for value in values:
        if value is None or isinstance(value.data, Array):
            return None
        listed = plain_list(value)
        kinds.add(None if listed is None else listed[1])
    return kinds.pop() if len(kinds) == 1 else None


def numbers(value: Value | None) -> list[int] | None:
    """Return a known whole number or several as a list."""
    if value is None:
        return None
    items = value.data if isinstance(value.data, (list, tuple)) else (value,)
    sizes = [size(item) for item in items]
    known = [n for n in sizes if n is not None]
    return known if len(known) == len(sizes) else None


@on_tensor("unstack")
def _unstack(call: Call, x: Array, value: Value) -> Value:
    axis = call.given(2, "axis") or Value(0)
    at = None if x.shape is None else axis_of(axis, len(x.shape))
    if x.shape is None or at is None:
        return call.unknown()
    part = tensor(call, (*x.shape[:at], *x.shape[at + 1 :]), x.dtype, value)
    count = size(x.shape[at])
    if count is None or count > 256:
        return Value(Lazy(part, x.shape[at]), value.origins)
    return Value(tuple(part for _ in range(count)), value.origins)


@on_tensor("repeat")
def _repeat(call: Call, x: Array, value: Value) -> Value:
    times, axis = call.given(1, "repeats"), call.given(2, "axis")
    if x.shape is None or times is None:
        return tensor(call, None, x.dtype, value)
    shape: Shape = x.shape if axis is not None else (arrays.product(x.shape),)
    at = axis_of(axis if axis is not None else 0, len(shape))
    if at is None:
        return tensor(call, None, x.dtype, value)
    dim = arrays.product((shape[at], times)) if size(times) is not None else unknown(times)
    return tensor(call, (*shape[:at], dim, *shape[at + 1 :]), x.dtype, value, times)


@on_tensor("pad")
def _pad(call: Call, x: Array, value: Value) -> Value:
    widths = call.given(1, "paddings")
    items = widths.data if widths is not None else None
    if x.shape is None or not isinstance(items, (list, tuple)) or widths is None:
        return tensor(call, None, x.dtype, value)
    if len(items) != len(x.shape):
        sides = Value(len(items), widths.origins), Value(len(x.shape), value.origins)
        raise Raised("size", "the number of paddings must be that of the dimensions", *sides)
    shape = []
    for dim, pair in zip(x.shape, items, strict=True):
        both, extent = numbers(pair), size(dim)
        known = both is not None and extent is not None
        total = extent + sum(both) if both is not None and extent is not None else UNKNOWN
        shape.append(Value(total if known else UNKNOWN, merged(dim, pair)))
    return tensor(call, shape, x.dtype, value, widths)


@on_tensor("broadcast_to")
def _broadcast_to(call: Call, x: Array, value: Value) -> Value:
    wanted = dims(call.given(1, "shape"))
    if wanted is not None and x.shape is not None:
        arrays.broadcast(x.shape, wanted)
    return tensor(call, wanted, x.dtype, value, *(wanted or ()))


@on_tensor("boolean_mask")
def _boolean_mask(call: Call, x: Array, value: Value) -> Value:
    given = call.given(1, "mask")
    mask = operand(given)
    if x.shape is None or mask is None or mask.shape is None or call.given(2, "axis") is not None:
        return tensor(call, None, x.dtype, value)
    for a, b in zip(mask.shape, x.shape, strict=False):
        arrays.same(a, b, "shapes of mask and tensor are incompatible")
    free = Value(UNKNOWN, merged(value, *([given] if given is not None else [])))
    return tensor(call, (free, *x.shape[len(mask.shape) :]), x.dtype, value)


@on_tensor("argsort", "sort")
def _sorted(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, x.shape, "int32" if call.name.endswith("argsort") else x.dtype, value)


@on_tensor("top_k")
def _top_k(call: Call, x: Array, value: Value) -> Value:
    count = call.given(1, "k") or Value(1)
    if not x.shape:
        return call.unknown()
    extent, wanted = size(x.shape[-1]), size(count)
    if extent is not None and wanted is not None and wanted > extent:
        raise Raised("size", "input must have at least k columns", x.shape[-1], count)
    shape = (*x.shape[:-1], count)
    outputs = tensor(call, shape, x.dtype, value), tensor(call, shape, "int32", value)
    return Value(outputs, merged(*outputs))


@on_tensor("norm", "euclidean_norm", "reduce_euclidean_norm")
def _norm(call: Call, x: Array, value: Value) -> Value:
    keep = call.keywords.get("keepdims")
    axis = call.given(2 if call.name.endswith(".norm") else 1, "axis")
    return tensor(call, reduced(x, axis, keep), x.dtype, value)


@on_tensor("moments")
def _moments(call: Call, x: Array, value: Value) -> Value:
    keep = call.keywords.get("keepdims")
    result = tensor(call, reduced(x, call.given(1, "axes"), keep), x.dtype, value)
    return Value((result, result), result.origins)


@on_tensor("matvec")
def _matvec(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "b")
    y = operand(other)
    if x.shape is None or y is None or not y.shape or len(x.shape) < 2 or other is None:
        return tensor(call, None, x.dtype, value)
    arrays.same(x.shape[-1], y.shape[-1], "matrix and vector do not fit")
    return tensor(call, x.shape[:-1], x.dtype, value, other)


@on_tensor("band_part", "inv", "cholesky", "roll", "cumprod", "invert")
def _alike(call: Call, x: Array, value: Value) -> Value:
    if call.name.endswith((".inv", ".cholesky")) and x.shape is not None and len(x.shape) > 1:
        arrays.same(x.shape[-2], x.shape[-1], "Input must be a square matrix")
    return tensor(call, x.shape, x.dtype, value)


@on_tensor("diag")
def _diag(call: Call, x: Array, value: Value) -> Value:
    shape = None if not x.shape or call.keywords else (*x.shape, x.shape[-1])
    return tensor(call, shape, x.dtype, value)


@on_tensor("rgb_to_grayscale", "grayscale_to_rgb")
def _colours(call: Call, x: Array, value: Value) -> Value:
    is_grey = call.name.endswith("rgb_to_grayscale")
    before, after = (3, 1) if is_grey else (1, 3)
    if x.shape:
        message = f"the last dimension must be of size {before}"
        arrays.same(x.shape[-1], Value(before, frozenset({call.place})), message)
    shape = None if not x.shape else (*x.shape[:-1], Value(after, frozenset({call.place})))
    return tensor(call, shape, x.dtype, value)


@on_tensor("max_pool2d", "avg_pool2d", "max_pool", "avg_pool")
def _pool(call: Call, x: Array, value: Value) -> Value:
    wide, step = numbers(call.given(1, "ksize")), numbers(call.given(2, "strides"))
    padding = call.given(3, "padding")
    if x.shape is None or len(x.shape) != 4 or not wide or not step or padding is None:
        return tensor(call, None, x.dtype, value)
    windows = [*wide, *wide] if len(wide) == 1 else wide[-3:-1] if len(wide) == 4 else wide
    strides = [*step, *step] if len(step) == 1 else step[-3:-1] if len(step) == 4 else step
    shape = [x.shape[0]]
    for dim, window, stride in zip(x.shape[1:3], windows, strides, strict=True):
        length = size(dim)
        if length is None or padding.data not in ("SAME", "VALID") or not stride:
            shape.append(unknown(dim))
            continue
        same = padding.data == "SAME"
        left = -(-length // stride) if same else (length - window) // stride + 1
        shape.append(Value(left, merged(dim, *call.args[1:])))
    return tensor(call, (*shape, x.shape[3]), x.dtype, value)


@MODELS.function(*names("tensordot"))
def _tensordot(interpreter: Interpreter, call: Call) -> Value:
    return _as_numpy(interpreter, call, "numpy.tensordot")


def _as_numpy(interpreter: Interpreter, call: Call, name: str) -> Value:
    """Return what NumPy's function of the same meaning gives, as a tensor."""
    given = []
    for value in call.args:
        x = operand(value) if isinstance(value.data, Array) else None
        made = value if x is None else Value(Array(x.shape, x.dtype, "numpy"), value.origins)
        given.append(made)
    result = MODELS.functions[name](
        interpreter, Call(name, tuple(given), call.keywords, call.place)
    )
    data = arrays.array(result)
    if data is None:
        return result
    listed = [value for value in call.args if isinstance(value.data, (list, tuple))]
    dtype = data.dtype if not listed else None
    if listed and not any(isinstance(value.data, Array) for value in call.args):
        dtype = plain_dtype(*listed)
    return tensor(call, data.shape, dtype, result)


@MODELS.function(*names("einsum"))
def _einsum(interpreter: Interpreter, call: Call) -> Value:
    return _as_numpy(interpreter, call, "numpy.einsum")


@MODELS.function(*names("meshgrid"))
def _meshgrid(interpreter: Interpreter, call: Call) -> Value:
    result = _as_numpy(interpreter, call, "numpy.meshgrid")
    parts = result.data if isinstance(result.data, (list, tuple)) else ()
    given = call.args if len(call.args) == len(parts) else (None,) * len(parts)
    made = []
    for part, value in zip(parts, given, strict=True):
        x = arrays.array(part)
        own = plain_dtype(value) if arrays.array(value) is None else None
        dtype = None if x is None else own if arrays.array(value) is None else x.dtype
        made.append(part if x is None else tensor(call, x.shape, dtype, part))
    return Value(tuple(made), result.origins) if made else call.unknown()


@MODELS.function(*names("linspace"))
def _linspace(_: Interpreter, call: Call) -> Value:
    count, start = call.given(2, "num") or Value(50), call.given(0, "start")
    x = operand(start)
    kinds: dict[type, str] = {int: "float64", float: "float32"}
    dtype = x.dtype if x is not None else None
    if dtype is None and start is not None:
        dtype = kinds.get(type(start.data))
    if x is not None and x.shape != ():
        return tensor(call, None, dtype, *call.args)
    return tensor(call, (count,), dtype, *call.args)


@MODELS.function(*names("fill"))
def _fill(_: Interpreter, call: Call) -> Value:
    wanted, value = call.given(0, "dims"), call.given(1, "value")
    x = operand(value)
    dtype = None if x is None else x.dtype
    if value is not None and dtype is None:
        kinds = {bool: "bool", int: "int32", float: "float32"}
        dtype = kinds.get(type(value.data))
    return tensor(call, written(call, dims(wanted)), dtype, *call.args)


@MODELS.function(*names("size"))
def _size(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(0, "input"))
    return call.unknown() if x is None or x.shape is None else arrays.product(x.shape)


@MODELS.function(*names("random.categorical"))
def _categorical(_: Interpreter, call: Call) -> Value:
    x, count = operand(call.given(0, "logits")), call.given(1, "num_samples")
    shape = (x.shape[0], count) if x is not None and x.shape and count is not None else None
    return tensor(call, shape, "int64", *call.args)


@MODELS.function(*names("sequence_mask"))
def _sequence_mask(_: Interpreter, call: Call) -> Value:
    x, longest = operand(call.given(0, "lengths")), call.given(1, "maxlen")
    if x is None or x.shape is None:
        return call.unknown()
    if longest is None or longest.data is None:
        longest = Value(UNKNOWN if x.highest is None else x.highest, merged(*call.args))
    return tensor(call, (*x.shape, longest), "bool", *call.args)


@MODELS.function(*names("unique unique_with_counts"))
def _unique(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "x")
    x = operand(value)
    if x is None or value is None:
        return call.unknown()
    dtype = x.dtype or plain_dtype(value)
    free = tensor(call, (Value(UNKNOWN, value.origins),), dtype, value)
    places = tensor(call, x.shape, "int32", value)
    outputs = (free, places) if call.name.endswith("unique") else (free, places, places)
    return Value(outputs, value.origins)


@MODELS.function(*names("math.confusion_matrix"))
def _confusion(_: Interpreter, call: Call) -> Value:
    count = call.given(2, "num_classes")
    dim = Value(UNKNOWN) if count is None or count.data is None else count
    return tensor(call, (dim, dim), "int32", *call.args)


@MODELS.function(*names("scatter_nd"))
def _scatter(_: Interpreter, call: Call) -> Value:
    updates = operand(call.given(1, "updates"))
    dtype = None if updates is None else updates.dtype
    return tensor(call, dims(call.given(2, "shape")), dtype, *call.args)


@on_tensor("tensor_scatter_nd_update", "tensor_scatter_nd_add")
def _scattered(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, x.shape, x.dtype, value)


@MODELS.function(*names("map_fn vectorized_map"))
def _mapped(interpreter: Interpreter, call: Call) -> Value:
    work, value = call.given(0, "fn"), call.given(1, "elems")
    x = operand(value)
    if work is None or value is None or x is None or not x.shape:
        return call.unknown()
    item = Value(Array(x.shape[1:], x.dtype, x.library), value.origins)
    result = interpreter.call(work, (item,), {}, call.place)
    y = arrays.array(result)
    shape = None if y is None or y.shape is None else (x.shape[0], *y.shape)
    return tensor(call, shape, None if y is None else y.dtype, value, result)


@MODELS.function("tensorflow.TensorShape")
def _tensor_shape(_: Interpreter, call: Call) -> Value:
    wanted = dims(call.given(0, "dims"))
    return call.unknown() if wanted is None else Value(wanted, merged(*call.args))


@MODELS.attribute("tuple", "y", "idx")
def _of_unique(_: Interpreter, call: Call) -> Value:
    """Return a part of what ``tf.unique`` gives by its name."""
    data = call.receiver.data if call.receiver is not None else None
    if not isinstance(data, tuple) or len(data) not in (2, 3):
        return call.unknown()
    part = data[0 if call.name == "y" else 1]
    return part if isinstance(part, Value) else call.unknown()


@MODELS.method("tuple", "num_elements")
def _elements_of_shape(_: Interpreter, call: Call) -> Value:
    sizes = call.receiver.data if call.receiver is not None else None
    if not isinstance(sizes, tuple) or any(d.data is None for d in sizes):
        return call.unknown()
    return arrays.product(sizes)


@MODELS.method("tuple", "is_fully_defined", "is_compatible_with", "merge_with", "with_rank")
@MODELS.method("tuple", "assert_has_rank", "assert_is_compatible_with", "concatenate")
@MODELS.method("tuple", "as_proto", "with_rank_at_least", "most_general_compatible_shape")
def _of_shape(_: Interpreter, call: Call) -> Value:
    """Return what is not known of a shape that TensorFlow gives."""
    return call.unknown()


@MODELS.method("int", "numpy")
@MODELS.method("float", "numpy")
@MODELS.method("bool", "numpy")
def _number_of_tensor(_: Interpreter, call: Call) -> Value:
    """Return the number that a tensor is followed as."""
    return call.receiver or call.unknown()


@MODELS.method("tuple", "as_list")
def _as_list(_: Interpreter, call: Call) -> Value:
    sizes = call.receiver.data if call.receiver is not None else None
    return Value(list(sizes)) if isinstance(sizes, tuple) else call.unknown()


@MODELS.attribute("tuple", "rank", "ndims")
def _rank(_: Interpreter, call: Call) -> Value:
    sizes = call.receiver.data if call.receiver is not None else None
    return Value(len(sizes)) if isinstance(sizes, tuple) else call.unknown()


# --- Keras ----------------------------------------------------------------------------------------


def _initialized(_: Interpreter, call: Call) -> Value:
    """Return what an initializer makes of a shape."""
    wanted = dims(call.given(0, "shape"))
    dtype = dtype_named(call.given(1, "dtype"), "float32")
    return tensor(call, written(call, wanted), dtype, *call.args)


INITIALIZERS: Sequence[str] = (
    *("HeNormal", "HeUniform", "GlorotNormal", "GlorotUniform", "RandomNormal", "RandomUniform"),
    *("TruncatedNormal", "Zeros", "Ones", "Constant", "LecunNormal", "LecunUniform", "Orthogonal"),
)
for _name in INITIALIZERS:
    for _root in ("keras", "tensorflow.keras"):
        MODELS.object(f"{_root}.initializers.{_name}")(_initialized)


def _measured(_: Interpreter, call: Call) -> Value:
    """Return the number that a metric's object gives when it is called."""
    return tensor(call, (), "float32", *call.args)


METRICS: Sequence[str] = (
    *("Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "SparseCategoricalAccuracy", "Mean"),
    *("SparseTopKCategoricalAccuracy", "TopKCategoricalAccuracy", "Precision", "Recall", "AUC"),
    *("MeanAbsoluteError", "MeanSquaredError", "RootMeanSquaredError", "Sum", "F1Score"),
)
for _name in METRICS:
    for _root in ("keras", "tensorflow.keras"):
        MODELS.object(f"{_root}.metrics.{_name}")(_measured)
    MODELS.method(_name, "result")(_measured)


@MODELS.function("tensorflow.random_normal_initializer", "tensorflow.random_uniform_initializer")
@MODELS.function("tensorflow.zeros_initializer", "tensorflow.ones_initializer")
@MODELS.function("tensorflow.constant_initializer", "tensorflow.initializers.GlorotUniform")
def _initializer(_: Interpreter, call: Call) -> Value:
    made = LibraryObject("keras.initializers.Zeros", call.args, call.keywords, call.place)
    return Value(made, merged(*call.args))
