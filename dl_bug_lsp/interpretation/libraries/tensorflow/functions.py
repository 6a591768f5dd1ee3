"""TensorFlow's functions on tensors beyond the operations of every model.

They are those of ``tf`` itself, ``tf.math``, ``tf.linalg``, ``tf.nn``, ``tf.signal`` and
``tf.image``, Keras's metrics and initializers. Source: the TensorFlow 2 API reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import axis_of, size
from dl_bug_lsp.interpretation.libraries.tensorflow.ragged import Ragged
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    ALIKE,
    FLOATING,
    KEEPING,
    REDUCTIONS,
    Shape,
    cast_image,
    dims,
    dtype_named,
    keeps_shape,
    names,
    operand,
    plain_list,
    reduce,
    reduced,
    resize,
    tensor,
    two_operands,
    where,
    written,
)
from dl_bug_lsp.interpretation.model_helpers import itself
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
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
@on_tensor("signal.fft signal.ifft signal.fft2d signal.ifft2d signal.fft3d signal.ifft3d")
@on_tensor("nn.batch_normalization", "image.draw_bounding_boxes")
def _as_before(call: Call, x: Array, value: Value) -> Value:
    """Return a tensor of the shape and the dtype of the first argument."""
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


# The number that a tensor is followed as.
MODELS.method("int", "numpy")(itself)
MODELS.method("float", "numpy")(itself)
MODELS.method("bool", "numpy")(itself)


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


# --- tf.math, tf.linalg, tf.nn, tf.signal ---------------------------------------------------------

COMPLEX = {"complex64": "float32", "complex128": "float64"}
TO_COMPLEX = {"float32": "complex64", "float64": "complex128"}

MODELS.function(
    *names(
        "math.reciprocal math.lgamma math.digamma math.erfinv math.sinh math.cosh math.asin "
        "math.acos math.atan math.asinh math.acosh math.atanh math.tan math.ceil math.rint "
        "math.ndtri math.bessel_i0 math.erfc math.log_sigmoid math.cumulative_logsumexp "
        "math.softsign nn.softsign nn.log_sigmoid nn.local_response_normalization nn.lrn "
        "linalg.set_diag reverse_sequence tensor_scatter_nd_max tensor_scatter_nd_min "
        "tensor_scatter_nd_sub linalg.expm linalg.logm math.conj"
    )
)(keeps_shape)
MODELS.function(
    *names(
        "math.xlogy math.xlog1py math.xdivy math.atan2 math.floormod floormod math.floordiv "
        "math.igamma math.igammac math.zeta math.polygamma math.nextafter math.multiply_no_nan "
        "math.mod math.truncatediv truncatemod nn.log_poisson_loss"
    )
)(two_operands)


@on_tensor("math.is_nan math.is_inf math.is_finite")
def _tested(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, x.shape, "bool", value)


@MODELS.function(*names("reduce_mean"))
def _mean(interpreter: Interpreter, call: Call) -> Value:
    """Return means; those of whole numbers in a ragged tensor are floats."""
    made, x = reduce(interpreter, call), arrays.array(call.given(0, "input_tensor"))
    if isinstance(x, Ragged) and isinstance(made.data, Array) and (x.dtype or "").startswith("int"):
        made.data.dtype = "float64"
    return made


@on_tensor("math.count_nonzero")
def _counted(call: Call, x: Array, value: Value) -> Value:
    shape = reduced(x, call.given(1, "axis"), call.given(2, "keepdims"))
    return tensor(call, shape, dtype_named(call.given(3, "dtype"), "int64"), value)


@on_tensor("math.zero_fraction nn.zero_fraction")
def _fraction(call: Call, x: Array, value: Value) -> Value:
    del x
    return tensor(call, (), "float32", value)


@on_tensor("nn.l2_loss")
def _half_square(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, (), x.dtype, value)


@on_tensor("math.real", "math.imag", "math.angle")
def _part(call: Call, x: Array, value: Value) -> Value:
    """Return a part of complex numbers, which has half their size."""
    return tensor(call, x.shape, COMPLEX.get(x.dtype or "", x.dtype), value)


@MODELS.function(*names("math.abs abs"))
def _absolute(interpreter: Interpreter, call: Call) -> Value:
    made = keeps_shape(interpreter, call)
    if isinstance(made.data, Array):
        made.data.dtype = COMPLEX.get(made.data.dtype or "", made.data.dtype)
    return made


@MODELS.function(*names("complex dtypes.complex"))
def _complex(interpreter: Interpreter, call: Call) -> Value:
    given = {"real": "x", "imag": "y"}
    keywords = {given.get(name, name): value for name, value in call.keywords.items()}
    made = two_operands(interpreter, Call("complex", call.args, keywords, call.place))
    if isinstance(made.data, Array):
        made.data.dtype = TO_COMPLEX.get(made.data.dtype or "")
    return made


@on_tensor("signal.rfft")
def _real_fourier(call: Call, x: Array, value: Value) -> Value:
    """Return half of the frequencies along the last axis."""
    dtype = TO_COMPLEX.get(x.dtype or "")
    if not x.shape or len(call.args) + len(call.keywords) > 1:
        return tensor(call, None, dtype, value)
    length = size(x.shape[-1])
    half = UNKNOWN if length is None else length // 2 + 1
    return tensor(call, (*x.shape[:-1], Value(half, x.shape[-1].origins)), dtype, value)


@on_tensor("signal.frame", "signal.stft")
def _framed(call: Call, x: Array, value: Value) -> Value:
    """Return windows of a signal, or their frequencies."""
    width, step = size(call.given(1, "frame_length")), size(call.given(2, "frame_step"))
    is_frame = call.name.endswith("frame")
    dtype = x.dtype if is_frame else TO_COMPLEX.get(x.dtype or "")
    if not x.shape or width is None or not step or len(call.args) > 4:
        return tensor(call, None, dtype, value)
    if call.keywords.keys() & {"pad_end", "axis"} or (is_frame and len(call.args) > 3):
        return tensor(call, None, dtype, value)
    length, parts = size(x.shape[-1]), merged(x.shape[-1], *call.args[1:])
    count = UNKNOWN if length is None else max((length - width) // step + 1, 0)
    last: object = width
    if not is_frame:
        asked = call.given(3, "fft_length")
        whole = size(asked) if asked is not None and asked.data is not None else None
        if asked is not None and asked.data is not None and whole is None:
            return tensor(call, None, dtype, value)
        whole = whole if whole is not None else 1 << max(width - 1, 0).bit_length()
        last = whole // 2 + 1
    return tensor(call, (*x.shape[:-1], Value(count, parts), Value(last, parts)), dtype, value)


# --- counting and choosing ------------------------------------------------------------------------


@MODELS.function(*names("math.bincount"))
def _bin_count(_: Interpreter, call: Call) -> Value:
    """Return how often each whole number occurs."""
    least, most = size(call.given(2, "minlength")), call.given(3, "maxlength")
    value = call.given(0, "arr")
    x = operand(value)
    if x is None or most is not None or call.keywords.keys() & {"axis", "binary_output", "weights"}:
        return tensor(call, None, None, *call.args)
    known = x.highest is not None and x.lowest == x.highest
    listed = value is not None and isinstance(value.data, (list, tuple))
    count: object = UNKNOWN
    if x.highest is not None and (listed or known) and call.given(2, "minlength") is None:
        count = x.highest + 1
    elif x.highest is not None and (listed or known) and least is not None:
        count = max(x.highest + 1, least)
    return tensor(call, (Value(count, merged(*call.args)),), "int32", *call.args)


@MODELS.function(*names("math.segment_sum math.segment_mean math.segment_max math.segment_min"))
def _segments(_: Interpreter, call: Call) -> Value:
    x, ids = operand(call.given(0, "data")), operand(call.given(1, "segment_ids"))
    if x is None or not x.shape or ids is None:
        return call.unknown()
    if ids.shape:
        arrays.same(x.shape[0], ids.shape[0], "segment_ids should be as many as the rows of data")
    return tensor(call, (Value(UNKNOWN), *x.shape[1:]), x.dtype, *call.args)


@MODELS.function(
    *names("math.unsorted_segment_sum math.unsorted_segment_mean math.unsorted_segment_max"),
    *names("math.unsorted_segment_min math.unsorted_segment_prod"),
)
def _unsorted(_: Interpreter, call: Call) -> Value:
    x, ids = operand(call.given(0, "data")), operand(call.given(1, "segment_ids"))
    count = call.given(2, "num_segments")
    if x is None or x.shape is None or ids is None or ids.shape is None or count is None:
        return call.unknown()
    first = Value(UNKNOWN if size(count) is None else count.data, count.origins)
    return tensor(call, (first, *x.shape[len(ids.shape) :]), x.dtype, *call.args)


@MODELS.function(*names("math.in_top_k nn.in_top_k"))
def _in_top(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(0, "targets"))
    return tensor(call, None if x is None else x.shape, "bool", *call.args)


@MODELS.function(*names("math.polyval"))
def _polynomial(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(1, "x"))
    return call.unknown() if x is None else tensor(call, x.shape, x.dtype, *call.args)


@MODELS.function(*names("searchsorted"))
def _searched(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(1, "values"))
    dtype = dtype_named(call.given(3, "out_type"), "int32")
    return tensor(call, None if x is None else x.shape, dtype, *call.args)


@MODELS.function(*names("histogram_fixed_width"))
def _histogram(_: Interpreter, call: Call) -> Value:
    count = call.given(2, "nbins") or Value(100)
    return tensor(call, (count,), dtype_named(call.given(3, "dtype"), "int32"), *call.args)


@MODELS.function(*names("where compat.v1.where where_v2"))
def _where(interpreter: Interpreter, call: Call) -> Value:
    """Return elements of one or the other tensor, or the places where a condition holds."""
    value = call.given(0, "condition")
    if len(call.args) + len(call.keywords) == 1 and value is not None:
        x = operand(value)
        rank = None if x is None or x.shape is None else len(x.shape)
        places = Value(UNKNOWN, value.origins), Value(UNKNOWN if rank is None else rank)
        return tensor(call, places, "int64", value)
    made = where(interpreter, call)
    if isinstance(made.data, Array) and made.data.dtype is None:
        made.data.dtype = plain_dtype(call.given(1, "x"), call.given(2, "y"))
    return made


@MODELS.function(*names("gather_nd"))
def _gather_nd(_: Interpreter, call: Call) -> Value:
    """Return what stands at places, which are the rows of an array."""
    value, chosen = call.given(0, "params"), call.given(1, "indices")
    x, ids = operand(value), operand(chosen)
    if x is None or value is None or x.shape is None or ids is None or not ids.shape:
        return call.unknown()
    depth = size(ids.shape[-1])
    if depth is None or size(call.given(2, "batch_dims")) or len(call.args) > 2:
        return tensor(call, None, x.dtype, value)
    if depth > len(x.shape):
        sides = Value(depth, merged(ids.shape[-1])), Value(len(x.shape), value.origins)
        raise Raised("size", "index innermost dimension length must be <= params rank", *sides)
    return tensor(call, (*ids.shape[:-1], *x.shape[depth:]), x.dtype, value, *call.args[1:2])


_gather_rows = MODELS.functions["tensorflow.gather"]


@MODELS.function(*names("gather nn.embedding_lookup"))
def _gather(interpreter: Interpreter, call: Call) -> Value:
    """Return rows by their indices, of batches each of its own."""
    batches = size(call.keywords.get("batch_dims"))
    value, chosen = call.given(0, "params"), call.given(1, "indices")
    x, ids = operand(value), operand(chosen)
    if not batches or x is None or x.shape is None or ids is None or ids.shape is None:
        return _gather_rows(interpreter, call)
    axis = call.keywords.get("axis") or Value(batches)
    at = axis_of(axis, len(x.shape))
    if at is None or at < batches or batches > len(ids.shape) or value is None:
        return call.unknown()
    shape = (*x.shape[:at], *ids.shape[batches:], *x.shape[at + 1 :])
    return tensor(call, shape, x.dtype, value)


@on_tensor("slice")
def _slice(call: Call, x: Array, value: Value) -> Value:
    """Return a part from some places on; a size of -1 takes the rest."""
    start, length = call.given(1, "begin"), call.given(2, "size")
    begins, sizes = dims(start), dims(length)
    if x.shape is None or begins is None or sizes is None or len(begins) != len(x.shape):
        return tensor(call, None, x.dtype, value)
    shape = []
    for dim, first, count in zip(x.shape, begins, sizes, strict=False):
        whole, begin, number = size(dim), size(first), size(count)
        if number == -1:
            rest = UNKNOWN if whole is None or begin is None else whole - begin
            shape.append(Value(rest, merged(dim, first)))
            continue
        end = None if begin is None or number is None else begin + number
        if whole is not None and end is not None and end > whole:
            sides = Value(end, merged(first, count)), dim
            raise Raised("size", "a part reaches beyond the end of a dimension", *sides)
        shape.append(Value(UNKNOWN if number is None else number, merged(count)))
    return tensor(call, shape, x.dtype, value)


@on_tensor("space_to_depth", "nn.space_to_depth", "nn.depth_to_space")
def _blocks(call: Call, x: Array, value: Value) -> Value:
    """Return images whose blocks of pixels became channels, or the other way round."""
    block = size(call.given(1, "block_size"))
    if x.shape is None or len(x.shape) != 4 or not block or "data_format" in call.keywords:
        return tensor(call, None, x.dtype, value)
    sizes = [size(d) for d in x.shape]
    apart = call.name.endswith("depth_to_space")
    made: list[object] = [UNKNOWN if n is None else n for n in sizes]
    for at in (1, 2, 3):
        number = sizes[at]
        if number is None:
            continue
        factor = block * block if at == 3 else block
        made[at] = number // factor if apart is (at == 3) else number * factor
    dims_made = [Value(n, d.origins | {call.place}) for n, d in zip(made, x.shape, strict=True)]
    return tensor(call, dims_made, x.dtype, value)


# --- networks -------------------------------------------------------------------------------------


@on_tensor("nn.crelu")
def _twice(call: Call, x: Array, value: Value) -> Value:
    if not x.shape or len(call.args) > 1 or "axis" in call.keywords:
        return tensor(call, None, x.dtype, value)
    number = size(x.shape[-1])
    last = Value(UNKNOWN if number is None else 2 * number, x.shape[-1].origins)
    return tensor(call, (*x.shape[:-1], last), x.dtype, value)


@MODELS.function(*names("nn.weighted_cross_entropy_with_logits"))
def _weighted(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(1, "logits"))
    return call.unknown() if x is None else tensor(call, x.shape, x.dtype, *call.args)


@MODELS.function(*names("nn.compute_average_loss nn.scale_regularization_loss"))
def _average(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(0, "per_example_loss", "regularization_loss"))
    return tensor(call, (), None if x is None else x.dtype or "float32", *call.args)


@MODELS.function(*names("nn.conv2d_transpose nn.conv1d_transpose nn.conv3d_transpose"))
def _transposed(_: Interpreter, call: Call) -> Value:
    """Return a transposed convolution, whose output's shape is given."""
    x, wanted = operand(call.given(0, "input")), dims(call.given(2, "output_shape"))
    return tensor(call, wanted, None if x is None else x.dtype, *call.args)


@MODELS.function(*names("nn.depthwise_conv2d"))
def _depthwise(interpreter: Interpreter, call: Call) -> Value:
    """Return a convolution of each channel by its own filters."""
    value, kernel = call.given(0, "input"), call.given(1, "filter")
    x, f = operand(value), operand(kernel)
    if x is None or f is None or not f.shape or len(f.shape) != 4 or not x.shape or value is None:
        return call.unknown()
    if len(x.shape) != 4:
        return call.unknown()
    arrays.same(x.shape[-1], f.shape[2], "input depth must match the filters' input depth")
    each = Array((*f.shape[:3], Value(UNKNOWN)), f.dtype, "tensorflow")
    keywords = {k: v for k, v in call.keywords.items() if k not in ("input", "filter")}
    args = (value, Value(each, kernel.origins if kernel else frozenset()), *call.args[2:])
    convolve = MODELS.functions["tensorflow.conv2d"]
    made = convolve(interpreter, Call("tensorflow.conv2d", args, keywords, call.place)).data
    if not isinstance(made, Array) or not made.shape:
        return call.unknown()
    last = arrays.product((f.shape[2], f.shape[3]))
    return tensor(call, (*made.shape[:-1], last), x.dtype, value)


# --- matrices -------------------------------------------------------------------------------------


def _matrix(x: Array) -> tuple[Shape, Value, Value] | None:
    """Return the axes before a matrix, and its rows and columns."""
    if x.shape is None or len(x.shape) < 2:
        return None
    return x.shape[:-2], x.shape[-2], x.shape[-1]


def _square(x: Array) -> None:
    parts = _matrix(x)
    if parts is not None:
        arrays.same(parts[1], parts[2], "Input must be a square matrix")


@on_tensor("linalg.det", "linalg.trace", "linalg.logdet")
def _number_of_matrix(call: Call, x: Array, value: Value) -> Value:
    if not call.name.endswith("trace"):
        _square(x)
    parts = _matrix(x)
    return tensor(call, None if parts is None else parts[0], x.dtype, value)


@on_tensor("linalg.diag_part")
def _diagonal(call: Call, x: Array, value: Value) -> Value:
    parts = _matrix(x)
    if parts is None or len(call.args) > 1 or call.keywords.keys() - {"input"}:
        return tensor(call, None, x.dtype, value)
    a, b = size(parts[1]), size(parts[2])
    least = UNKNOWN if a is None or b is None else min(a, b)
    return tensor(call, (*parts[0], Value(least, merged(*parts[1:]))), x.dtype, value)


@on_tensor("linalg.matrix_transpose", "linalg.adjoint", "linalg.pinv")
def _turned(call: Call, x: Array, value: Value) -> Value:
    parts = _matrix(x)
    shape = None if parts is None else (*parts[0], parts[2], parts[1])
    return tensor(call, shape, x.dtype, value)


@MODELS.function(*names("linalg.solve linalg.triangular_solve linalg.cholesky_solve"))
def _solve(_: Interpreter, call: Call) -> Value:
    """Return the solution of equations, which has the shape of the right side."""
    x, y = operand(call.given(0, "matrix", "chol")), operand(call.given(1, "rhs"))
    if x is None or y is None:
        return call.unknown()
    _square(x)
    p, q = _matrix(x), _matrix(y)
    if p is not None and q is not None:
        arrays.same(p[1], q[1], "Input matrix and rhs must have the same number of rows")
    return tensor(call, y.shape, y.dtype or x.dtype, *call.args)


@MODELS.function(*names("linalg.lstsq"))
def _least_squares(_: Interpreter, call: Call) -> Value:
    x, y = operand(call.given(0, "matrix")), operand(call.given(1, "rhs"))
    if x is None or y is None:
        return call.unknown()
    p, q = _matrix(x), _matrix(y)
    if p is None or q is None:
        return tensor(call, None, x.dtype, *call.args)
    arrays.same(p[1], q[1], "Input matrix and rhs must have the same number of rows")
    return tensor(call, (*p[0], p[2], q[2]), x.dtype, *call.args)


@on_tensor("linalg.svd")
def _singular(call: Call, x: Array, value: Value) -> Value:
    parts = _matrix(x)
    if parts is None or len(call.args) > 1 or call.keywords.keys() - {"tensor"}:
        return call.unknown()
    lead, rows, columns = parts
    a, b = size(rows), size(columns)
    least = Value(UNKNOWN if a is None or b is None else min(a, b), merged(rows, columns))
    shapes = (*lead, least), (*lead, rows, least), (*lead, columns, least)
    return Value(tuple(tensor(call, shape, x.dtype, value) for shape in shapes), value.origins)


@on_tensor("linalg.eigh", "linalg.qr")
def _factors(call: Call, x: Array, value: Value) -> Value:
    parts = _matrix(x)
    if parts is None or len(call.args) > 1 or call.keywords.keys() - {"tensor", "input"}:
        return call.unknown()
    lead, rows, columns = parts
    if call.name.endswith("eigh"):
        _square(x)
        shapes: tuple[Shape, ...] = (*lead, rows), (*lead, rows, columns)
    else:
        a, b = size(rows), size(columns)
        least = Value(UNKNOWN if a is None or b is None else min(a, b), merged(rows, columns))
        shapes = (*lead, rows, least), (*lead, least, columns)
    return Value(tuple(tensor(call, shape, x.dtype, value) for shape in shapes), value.origins)


@on_tensor("linalg.eigvalsh")
def _eigenvalues(call: Call, x: Array, value: Value) -> Value:
    _square(x)
    return tensor(call, x.shape[:-1] if x.shape else None, x.dtype, value)


@MODELS.function(*names("linalg.cross"))
def _cross(interpreter: Interpreter, call: Call) -> Value:
    keywords = {{"a": "x", "b": "y"}.get(k, k): v for k, v in call.keywords.items()}
    made = two_operands(interpreter, Call("cross", call.args, keywords, call.place))
    if isinstance(made.data, Array) and made.data.dtype is None:
        made.data.dtype = plain_dtype(*call.args)
    return made


@on_tensor("linalg.normalize")
def _unit(call: Call, x: Array, value: Value) -> Value:
    """Return a tensor of norm 1 with the norm that it had."""
    axis = call.given(2, "axis")
    norm = tensor(call, reduced(x, axis, Value(True)), x.dtype, value)
    return Value((tensor(call, x.shape, x.dtype, value), norm), value.origins)


@MODELS.function(*names("linalg.global_norm"))
def _global_norm(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "t_list")
    parts = given.data if given is not None else None
    first = operand(parts[0]) if isinstance(parts, (list, tuple)) and parts else None
    return tensor(call, (), None if first is None else first.dtype, *call.args)


@MODELS.function(*names("clip_by_global_norm"))
def _clipped(_: Interpreter, call: Call) -> Value:
    """Return tensors that are scaled together, and the norm that they had."""
    given = call.given(0, "t_list")
    parts = given.data if given is not None else None
    if not isinstance(parts, (list, tuple)):
        return call.unknown()
    made, dtype = [], None
    for part in parts:
        x = operand(part)
        dtype = x.dtype if x is not None else dtype
        made.append(unknown(part) if x is None else tensor(call, x.shape, x.dtype, part))
    return Value((Value(made), tensor(call, (), dtype)), merged(*call.args))


def _completed(count: int, model: Model, *, is_floating: bool) -> Model:
    """Return a model that tells the dtype that tensors made of plain numbers have."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        made = model(interpreter, call)
        data = made.data
        if isinstance(data, Array) and data.dtype is None and len(call.args) >= count:
            dtype = plain_dtype(*call.args[:count])
            is_refused = is_floating and dtype is not None and not dtype.startswith("float")
            data.dtype = None if is_refused else dtype
        return made

    return run


for _name in FLOATING:
    MODELS.function(_name)(_completed(1, MODELS.functions[_name], is_floating=True))
for _name in (
    *KEEPING,
    *REDUCTIONS,
    *names("reshape transpose expand_dims squeeze tile gather abs"),
):
    MODELS.function(_name)(_completed(1, MODELS.functions[_name], is_floating=False))
for _name in (*ALIKE, *names("matmul")):
    if not _name.endswith(("divide", "div", "divide_no_nan")):
        MODELS.function(_name)(_completed(2, MODELS.functions[_name], is_floating=False))


@MODELS.function(*names("bitcast"))
def _same_bits(_: Interpreter, call: Call) -> Value:
    """Return the same bits as numbers of another type, which may have another size."""
    x, dtype = operand(call.given(0, "input")), dtype_named(call.given(1, "type"))
    if x is None or dtype is None or x.dtype is None:
        return call.unknown()
    bits = [int("".join(c for c in name if c.isdigit()) or 8) for name in (x.dtype, dtype)]
    return tensor(call, x.shape if bits[0] == bits[1] else None, dtype, *call.args)


# --- tf.image -------------------------------------------------------------------------------------


def images(*functions: str) -> str:
    """Return names of functions on images, written with spaces between, as `on_tensor` has them."""
    return " ".join(f"image.{name}" for line in functions for name in line.split())


def channels_of(x: Array) -> Value | None:
    """Return the last dimension of images."""
    return x.shape[-1] if x.shape and len(x.shape) in (3, 4) else None


@on_tensor(
    images("adjust_brightness adjust_contrast adjust_hue adjust_saturation adjust_gamma"),
    images("random_brightness random_contrast random_hue random_saturation adjust_jpeg_quality"),
    images("random_jpeg_quality stateless_random_brightness stateless_random_contrast"),
    images("stateless_random_hue stateless_random_saturation flip_left_right flip_up_down"),
    images("random_flip_left_right random_flip_up_down stateless_random_flip_left_right"),
    images("stateless_random_flip_up_down rgb_to_hsv hsv_to_rgb rgb_to_yuv yuv_to_rgb rgb_to_yiq"),
    images("yiq_to_rgb stateless_random_jpeg_quality"),
)
def _changed(call: Call, x: Array, value: Value) -> Value:
    """Return images of the same size and type; raise for what is no image."""
    if x.shape is not None and len(x.shape) < 3 and "flip" in call.name:
        sides = Value(len(x.shape), value.origins), Value(3, frozenset({call.place}))
        raise Raised("size", "'image' must have either 3 or 4 dimensions.", *sides)
    return tensor(call, x.shape, x.dtype, value)


@on_tensor(images("per_image_standardization"))
def _standardized(call: Call, x: Array, value: Value) -> Value:
    dtype = x.dtype if x.dtype is None or x.dtype.startswith(("float", "bfloat")) else "float32"
    return tensor(call, x.shape, dtype, value)


@on_tensor(images("transpose"))
def _transposed_images(call: Call, x: Array, value: Value) -> Value:
    """Return images with height and width exchanged."""
    if x.shape is None or len(x.shape) not in (3, 4):
        return tensor(call, None, x.dtype, value)
    *lead, height, width, depth = x.shape
    return tensor(call, (*lead, width, height, depth), x.dtype, value)


@on_tensor(images("rot90"))
def _turned_images(call: Call, x: Array, value: Value) -> Value:
    """Return images that are turned by so many times 90 degrees."""
    times = call.given(1, "k")
    count = 1 if times is None else size(times)
    if x.shape is None or len(x.shape) not in (3, 4) or count is None:
        return tensor(call, None, x.dtype, value)
    *lead, height, width, depth = x.shape
    sides = (width, height) if count % 2 else (height, width)
    return tensor(call, (*lead, *sides, depth), x.dtype, value)


@MODELS.function(*names(images("resize")), "tensorflow.compat.v1.image.resize_images")
def _resized(interpreter: Interpreter, call: Call) -> Value:
    """Return images of another height and width; only neighbours keep the type."""
    value = call.given(0, "images", "image")
    x, wanted = operand(value), call.given(1, "size")
    made = resize(interpreter, call)
    data = made.data
    if not isinstance(data, Array) or x is None:
        sizes = dims(wanted)
        if x is not None and value is not None and sizes is None:
            return tensor(call, None, None, value)
        return made
    method = call.given(2, "method")
    if method is not None and method.data is not None:
        name = method.data if isinstance(method.data, str) else getattr(method.data, "name", "")
        last = name.rpartition(".")[2].lower() if isinstance(name, str) else ""
        data.dtype = x.dtype if last in ("nearest", "nearest_neighbor") else "float32"
        if not last:
            data.dtype = None
    keep = call.given(3, "preserve_aspect_ratio")
    if keep is not None and keep.data is not False and data.shape is not None:
        free = Value(UNKNOWN, merged(keep))
        data.shape = (*data.shape[:-3], free, free, data.shape[-1])
    return made


@on_tensor(images("resize_with_pad resize_with_crop_or_pad"))
def _fitted(call: Call, x: Array, value: Value) -> Value:
    """Return images of a height and a width; only scaled ones become floats."""
    height, width = call.given(1, "target_height"), call.given(2, "target_width")
    depth = channels_of(x)
    dtype = x.dtype if call.name.endswith("crop_or_pad") else "float32"
    if depth is None or height is None or width is None or x.shape is None:
        return tensor(call, None, dtype, value)
    sides = written(call, dims(Value((height, width)))) or (height, width)
    return tensor(call, (*x.shape[:-3], *sides, depth), dtype, value)


@on_tensor(images("central_crop"))
def _centre(call: Call, x: Array, value: Value) -> Value:
    """Return the middle part of images."""
    share = call.given(1, "central_fraction")
    number = share.data if share is not None else None
    depth = channels_of(x)
    if depth is None or x.shape is None or not isinstance(number, (int, float)) or share is None:
        return tensor(call, None, x.dtype, value)
    if not 0 < number <= 1:
        raise Raised("value", "central_fraction must be within (0, 1]", share)
    sides = []
    for dim in x.shape[-3:-1]:
        length = size(dim)
        cut = None if length is None else int((length - length * number) / 2)
        left = UNKNOWN if length is None or cut is None else length - 2 * cut
        sides.append(Value(left, merged(dim, share)))
    return tensor(call, (*x.shape[:-3], *sides, depth), x.dtype, value)


@on_tensor(images("crop_to_bounding_box pad_to_bounding_box"))
def _boxed(call: Call, x: Array, value: Value) -> Value:
    """Return a part of images, or images with a border; raise where the box does not fit."""
    starts = call.given(1, "offset_height"), call.given(2, "offset_width")
    wanted = call.given(3, "target_height"), call.given(4, "target_width")
    depth = channels_of(x)
    if depth is None or x.shape is None or wanted[0] is None or wanted[1] is None:
        return tensor(call, None, x.dtype, value)
    cuts = "crop" in call.name
    for dim, start, length in zip(x.shape[-3:-1], starts, wanted, strict=True):
        whole, begin, number = size(dim), size(start), size(length)
        if whole is None or begin is None or number is None or length is None:
            continue
        if cuts and begin + number > whole:
            message = "the image must be at least as big as the box that is cut"
            raise Raised("size", message, dim, Value(begin + number, merged(length)))
        if not cuts and begin + whole > number:
            raise Raised("size", "the image must be no bigger than the target", dim, length)
    sides = dims(Value((wanted[0], wanted[1])))
    return tensor(call, (*x.shape[:-3], *(sides or ()), depth), x.dtype, value)


@on_tensor(images("random_crop stateless_random_crop"))
def _cropped(call: Call, x: Array, value: Value) -> Value:
    """Return a part of a given size; raise where it is bigger than the whole."""
    wanted = dims(call.given(1, "size"))
    if wanted is None:
        return tensor(call, None, x.dtype, value)
    if x.shape is not None and len(wanted) != len(x.shape):
        sides = Value(len(wanted), merged(*wanted)), Value(len(x.shape), value.origins)
        raise Raised("size", "the size of a crop needs a number for each dimension", *sides)
    for dim, asked in zip(x.shape or (), wanted, strict=False):
        whole, number = size(dim), size(asked)
        if whole is not None and number is not None and number > whole:
            raise Raised("size", "Need value.shape >= size", dim, asked)
    return tensor(call, wanted, x.dtype, value)


@on_tensor(images("crop_and_resize"))
def _boxes(call: Call, x: Array, value: Value) -> Value:
    """Return a part of a given size for each box."""
    boxes, wanted = operand(call.given(1, "boxes")), dims(call.given(3, "crop_size"))
    depth = channels_of(x)
    if boxes is None or not boxes.shape or wanted is None or depth is None:
        return tensor(call, None, "float32", value)
    return tensor(call, (boxes.shape[0], *wanted, depth), "float32", value)


@on_tensor(images("total_variation"))
def _variation(call: Call, x: Array, value: Value) -> Value:
    known = x.shape is not None and len(x.shape) in (3, 4)
    return tensor(call, x.shape[:-3] if known and x.shape is not None else None, x.dtype, value)


@MODELS.function(*names(images("psnr ssim ssim_multiscale")))
def _likeness(_: Interpreter, call: Call) -> Value:
    """Return a number for each image."""
    x = operand(call.given(0, "a", "img1"))
    known = x is not None and x.shape is not None and len(x.shape) >= 3
    shape = x.shape[:-3] if known and x is not None and x.shape is not None else None
    return tensor(call, shape, "float32", *call.args)


@on_tensor(images("extract_patches"))
def _patches(call: Call, x: Array, value: Value) -> Value:
    """Return the pixels of each window as channels."""
    wide, steps = numbers(call.given(1, "sizes")), numbers(call.given(2, "strides"))
    rates, padding = numbers(call.given(3, "rates")), call.given(4, "padding")
    known = wide and steps and rates and len(wide) == len(steps) == len(rates) == 4
    if not known or x.shape is None or len(x.shape) != 4 or padding is None:
        return tensor(call, None, x.dtype, value)
    assert wide is not None and steps is not None and rates is not None
    shape: list[Value] = [x.shape[0]]
    for dim, window, step, rate in zip(
        x.shape[1:3], wide[1:3], steps[1:3], rates[1:3], strict=True
    ):
        length, spread = size(dim), (window - 1) * rate + 1
        number: object = UNKNOWN
        if length is not None and step and padding.data in ("SAME", "VALID"):
            valid = (length - spread) // step + 1
            number = -(-length // step) if padding.data == "SAME" else valid
        shape.append(Value(number, merged(dim, *call.args[1:])))
    depth = arrays.product((x.shape[3], Value(wide[1] * wide[2])))
    return tensor(call, (*shape, depth), x.dtype, value)


@on_tensor(images("sobel_edges"))
def _edges(call: Call, x: Array, value: Value) -> Value:
    shape: Shape | None = None if x.shape is None else (*x.shape, Value(2))
    return tensor(call, shape, x.dtype, value)


@on_tensor(images("image_gradients"))
def _gradients(call: Call, x: Array, value: Value) -> Value:
    made = tensor(call, x.shape, x.dtype, value), tensor(call, x.shape, x.dtype, value)
    return Value(made, value.origins)


@MODELS.function(*names(images("non_max_suppression")))
def _kept(_: Interpreter, call: Call) -> Value:
    """Return the numbers of the boxes that are kept; how many depends on where they lie."""
    return tensor(call, (Value(UNKNOWN, merged(*call.args)),), "int32", *call.args)


@MODELS.function(*names(images("convert_image_dtype")))
def _converted(interpreter: Interpreter, call: Call) -> Value:
    keywords = dict(call.keywords)
    if "image" in keywords:
        keywords["x"] = keywords.pop("image")
    return cast_image(interpreter, Call("convert_image_dtype", call.args, keywords, call.place))


@MODELS.function(
    *names("io.decode_jpeg io.decode_png io.decode_image io.decode_bmp io.decode_gif"),
    *names("image.decode_jpeg image.decode_png image.decode_image image.decode_bmp"),
    *names("image.decode_gif io.decode_and_crop_jpeg image.decode_and_crop_jpeg"),
)
def _decoded(_: Interpreter, call: Call) -> Value:
    """Return an image of unknown size; a GIF, or what may be one, is several."""
    last = call.name.rpartition(".")[2]
    at = {"decode_and_crop_jpeg": 2}.get(last, 1)
    channels = call.given(at, "channels")
    depth = Value(UNKNOWN) if channels is None or not size(channels) else channels
    free = Value(UNKNOWN)
    asked = call.keywords.get("dtype") or (call.args[2] if len(call.args) > 2 and at == 1 else None)
    dtype = dtype_named(asked, "uint8")
    if last == "decode_gif":
        return tensor(call, (free, free, free, Value(3)), "uint8", *call.args)
    grows = call.keywords.get("expand_animations")
    if last == "decode_image" and (grows is None or grows.data is not False):
        made = tensor(call, None, dtype, *call.args)
        assert isinstance(made.data, Array)
        made.data.last = depth if size(depth) is not None else None
        return made
    return tensor(call, (free, free, depth), dtype, *call.args)
