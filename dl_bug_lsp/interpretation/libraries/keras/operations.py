"""Models of ``keras.ops`` and ``keras.random``, and of the rest of ``tf.data``.

``keras.ops`` follows NumPy, with 32-bit numbers.
Sources: the Keras 3 reference ("Ops API", "Random operations"), TensorFlow's (``tf.data``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.keras.models  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import words
from dl_bug_lsp.interpretation.libraries.jax.arrays import as_jax
from dl_bug_lsp.interpretation.libraries.python.files import file_of, text_in
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    DATASET,
    batch,
    dataset,
    dims,
    dtype_named,
    operand,
    state_of,
    with_batch,
)
from dl_bug_lsp.interpretation.model_helpers import listed, nothing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    LibraryObject,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

CONSTANTS["tensorflow.data.AUTOTUNE"] = -1
CONSTANTS["tensorflow.data.experimental.AUTOTUNE"] = -1
PREFIXES = ("keras.", "tensorflow.keras.", "tf.keras.")


def as_tensor(value: Value) -> Value:
    """Return NumPy's result as TensorFlow's: its library, and no 64-bit dtypes."""
    result = as_jax(value)
    data = result.data
    if isinstance(data, Array):
        made = Array(data.shape, data.dtype, "tensorflow", None, data.lowest, data.highest)
        return Value(made, result.origins)
    if isinstance(data, (list, tuple)):
        parts = [as_tensor(item) for item in data]
        return Value(parts if isinstance(data, list) else tuple(parts), result.origins)
    return result


def _like_numpy(name: str, model: Model) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        args, keywords = call.args, dict(call.keywords)
        if not args and "x" in keywords:
            args = (keywords.pop("x"),)
        return as_tensor(model(interpreter, Call(name, args, keywords, call.place)))

    return run


NUMPY = words(
    "absolute add amax amin append arange arccos arcsin arctan arctan2 argsort average bincount "
    "broadcast_to ceil conjugate copy correlate cos cosh count_nonzero cross cumprod cumsum "
    "diagonal diff digitize divide dot einsum empty equal expm1 eye flip floor floor_divide full "
    "full_like greater greater_equal histogram hstack identity isclose isfinite isinf isnan less "
    "less_equal linspace log10 log1p log2 logaddexp logical_and logical_not logical_or "
    "logical_xor logspace maximum median meshgrid minimum mod moveaxis multiply nan_to_num ndim "
    "negative nonzero norm not_equal ones ones_like outer pad power quantile ravel reciprocal "
    "repeat roll rot90 searchsorted sin sinh size sort split stack subtract swapaxes take "
    "take_along_axis tan tensordot tile trace transpose tri tril triu true_divide trunc vdot "
    "vstack where zeros zeros_like"
)
for _name in NUMPY:
    _model = MODELS.functions.get(f"numpy.{_name}")
    if _model is not None:
        for _prefix in PREFIXES:
            MODELS.functions.setdefault(
                f"{_prefix}ops.{_name}", _like_numpy(f"numpy.{_name}", _model)
            )


def ops(*names: str) -> list[str]:
    """Return the names of functions of ``keras.ops`` as programs write them."""
    return [f"{prefix}ops.{name}" for prefix in PREFIXES for name in names]


SAME_SHAPE = words(
    "gelu silu swish elu selu celu leaky_relu hard_sigmoid hard_silu hard_swish hard_tanh "
    "log_sigmoid log_softmax relu6 softplus softsign soft_shrink sparse_plus sparsemax tanh_shrink "
    "threshold mish glu_ normalize erf erfinv rsqrt stop_gradient sort convert_to_tensor "
    "convert_to_numpy copy custom_gradient unfold_ layer_normalization rms_normalization"
)


@MODELS.function(*ops(*SAME_SHAPE))
def _same_shape(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "x", "inputs")
    data = operand(value)
    if value is None or data is None:
        return call.unknown()
    dtype = data.dtype
    if "convert" in call.name:
        dtype = dtype_named(call.given(1, "dtype"), dtype or "") or dtype
        dtype = {"float64": "float32", "int64": "int32"}.get(dtype or "", dtype)
    library = "numpy" if call.name.endswith("to_numpy") else "tensorflow"
    return Value(Array(data.shape, dtype, library, None, data.lowest, data.highest), value.origins)


@MODELS.function(*ops("one_hot", "multi_hot"))
def _one_hot(_: Interpreter, call: Call) -> Value:
    value, classes = call.given(0, "x", "inputs"), call.given(1, "num_classes")
    data = operand(value)
    if value is None or classes is None or data is None or data.shape is None:
        return call.unknown()
    if "axis" in call.keywords or call.name.endswith("multi_hot"):
        return call.unknown()
    width = Value(UNKNOWN if size(classes) is None else classes.data, classes.origins)
    dtype = dtype_named(call.keywords.get("dtype"), "float32")
    return Value(Array((*data.shape, width), dtype, "tensorflow"), merged(*call.args))


@MODELS.function(*ops("top_k"))
def _top(_: Interpreter, call: Call) -> Value:
    value, count = call.given(0, "x"), call.given(1, "k")
    data = operand(value)
    if data is None or not data.shape or count is None:
        return call.unknown()
    shape = (*data.shape[:-1], count)
    best = Value(Array(shape, data.dtype, "tensorflow"), merged(*call.args))
    return Value((best, Value(Array(shape, "int32", "tensorflow"), best.origins)))


@MODELS.function(*ops("logsumexp"))
def _log_sum(interpreter: Interpreter, call: Call) -> Value:
    model = MODELS.functions["numpy.sum"]
    return _like_numpy("numpy.sum", model)(interpreter, call)


@MODELS.function(*ops("shape"))
def _shape(_: Interpreter, call: Call) -> Value:
    data = operand(call.given(0, "x"))
    return call.unknown() if data is None or data.shape is None else Value(tuple(data.shape))


LOSSES = words("binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy")


@MODELS.function(*ops(*LOSSES))
def _loss(_: Interpreter, call: Call) -> Value:
    data = operand(call.given(1, "output"))
    if data is None or data.shape is None or "axis" in call.keywords:
        return call.unknown()
    shape = data.shape if call.name.endswith("binary_crossentropy") else data.shape[:-1]
    return Value(Array(shape, "float32", "tensorflow"), merged(*call.args))


@MODELS.function(*ops("cond"))
def _either(interpreter: Interpreter, call: Call) -> Value:
    branch = call.given(1, "true_fn")
    return call.unknown() if branch is None else interpreter.call(branch, (), {}, call.place)


# --- keras.random ---------------------------------------------------------------------------------

DRAWN = words("normal uniform truncated_normal randint")


@MODELS.function(*(f"{prefix}random.{name}" for prefix in PREFIXES for name in DRAWN))
def _drawn(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "shape")
    shape = None if given is None else dims(given)
    dtype = "int32" if call.name.endswith("randint") else "float32"
    dtype = dtype_named(call.keywords.get("dtype"), dtype) or dtype
    return Value(Array(shape, dtype, "tensorflow"), merged(*call.args) | {call.place})


@MODELS.function(*(f"{p}random.{name}" for p in PREFIXES for name in ("dropout", "shuffle")))
def _mixed(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "inputs", "x")
    data = operand(value)
    if value is None or data is None:
        return call.unknown()
    return Value(Array(data.shape, data.dtype, "tensorflow"), value.origins)


@MODELS.function(*(f"{prefix}random.categorical" for prefix in PREFIXES))
def _categorical(_: Interpreter, call: Call) -> Value:
    data, count = operand(call.given(0, "logits")), call.given(1, "num_samples")
    if data is None or not data.shape or count is None:
        return call.unknown()
    return Value(Array((data.shape[0], count), "int32", "tensorflow"), merged(*call.args))


# --- layers ---------------------------------------------------------------------------------------

for _short in ("Normalization", "TextVectorization", "StringLookup", "IntegerLookup"):
    if (_short, "adapt") not in MODELS.methods:
        MODELS.method(_short, "adapt")(nothing)
MODELS.method("Discretization", "adapt")(nothing)


@MODELS.object(*(f"{prefix}layers.HashedCrossing" for prefix in PREFIXES), "keras.HashedCrossing")
def _crossed(interpreter: Interpreter, call: Call) -> Value:
    """Return the bin of a pair of features, or one column for each bin."""
    layer = call.held
    parts = listed(interpreter, call.given(0, "inputs"))
    data = operand(parts[0]) if parts else None
    if layer is None or data is None or data.shape is None:
        return call.unknown()
    mode = layer.keywords.get("output_mode")
    if mode is None or mode.data == "int":
        return Value(Array(data.shape, "int64", "tensorflow"), merged(*call.args))
    bins = layer.keywords.get("num_bins") or (layer.args[0] if layer.args else Value(UNKNOWN))
    lead = data.shape[:-1] if data.shape and size(data.shape[-1]) == 1 else data.shape
    return Value(Array((*lead, bins), "float32", "tensorflow"), merged(*call.args, bins))


# --- tf.data --------------------------------------------------------------------------------------


@MODELS.function("tensorflow.data.TextLineDataset", "tensorflow.data.TFRecordDataset")
def _lines(interpreter: Interpreter, call: Call) -> Value:
    """Return a data set of a file's lines."""
    path = call.given(0, "filenames")
    length = Value(UNKNOWN, merged(*call.args))
    if path is not None and isinstance(path.data, str) and call.name.endswith("TextLineDataset"):
        text = text_in(interpreter, file_of(interpreter, path))
        if text is not None:
            length = Value(text.count("\n") + bool(text and not text.endswith("\n")), path.origins)
    return dataset(call, Value(Array((), "str", "tensorflow"), merged(*call.args)), length)


def _of_specification(value: Value) -> Value:
    """Return what a ``tf.TensorSpec``, or a structure of them, tells of elements."""
    data = value.data
    if isinstance(data, (tuple, list)):
        return Value(tuple(_of_specification(item) for item in data), value.origins)
    if isinstance(data, dict):
        return Value({k: _of_specification(v) for k, v in data.items()}, value.origins)
    if not isinstance(data, LibraryObject) or data.short != "TensorSpec":
        return unknown(value)
    given = data.keywords.get("shape") or (data.args[0] if data.args else Value(()))
    kind = data.keywords.get("dtype") or (data.args[1] if len(data.args) > 1 else None)
    parts = given.data if isinstance(given.data, (tuple, list)) else None
    shape = None
    if parts is not None:
        shape = tuple(
            Value(UNKNOWN if item.data is None else item.data, item.origins) for item in parts
        )
    return Value(Array(shape, dtype_named(kind, "float32"), "tensorflow"), value.origins)


def _of_types(kinds: Value, shapes: Value | None) -> Value:
    """Return what types, and shapes where they are given, tell of elements."""
    given = None if shapes is None else shapes.data
    data = kinds.data
    if isinstance(data, (tuple, list)):
        known = isinstance(given, (tuple, list)) and len(given) == len(data)
        inner = list(given) if known and isinstance(given, (tuple, list)) else [None] * len(data)
        pairs = zip(data, inner, strict=True)
        return Value(tuple(_of_types(kind, own) for kind, own in pairs), kinds.origins)
    if isinstance(data, dict):
        own = given if isinstance(given, dict) else {}
        return Value({k: _of_types(v, own.get(k)) for k, v in data.items()}, kinds.origins)
    shape = None
    if isinstance(given, (tuple, list)):
        shape = tuple(Value(UNKNOWN if d.data is None else d.data, d.origins) for d in given)
    return Value(Array(shape, dtype_named(kinds), "tensorflow"), kinds.origins)


_from_generator = MODELS.functions[f"{DATASET}.from_generator"]


@MODELS.function(f"{DATASET}.from_generator")
def _generated(interpreter: Interpreter, call: Call) -> Value:
    """Return a data set of a generator's elements, as its signature tells."""
    signature = call.keywords.get("output_signature")
    kinds = call.given(1, "output_types")
    if signature is None and kinds is not None and kinds.data is not None:
        element = _of_types(kinds, call.given(2, "output_shapes"))
        return dataset(call, element, Value(UNKNOWN, merged(kinds)))
    if signature is None:
        return _from_generator(interpreter, call)
    function = call.given(0, "generator")
    if function is not None:
        more = call.keywords.get("args")
        given = (
            tuple(more.data) if more is not None and isinstance(more.data, (tuple, list)) else ()
        )
        interpreter.call(function, given, {}, call.place)
    return dataset(call, _of_specification(signature), Value(UNKNOWN, merged(signature)))


@MODELS.method("Dataset", "window")
def _windows(_: Interpreter, call: Call) -> Value:
    """Return a data set of data sets, each of some elements that follow one another."""
    item, length = state_of(call)
    count = call.given(0, "size") or Value(UNKNOWN)
    shift = call.given(1, "shift") or count
    stride = call.given(2, "stride") or Value(1)
    drop = call.given(3, "drop_remainder")
    whole, width, step, apart = size(length), size(count), size(shift), size(stride)
    number: object = UNKNOWN
    if whole is not None and width and step and apart:
        span = (width - 1) * apart + 1
        dropped = drop is not None and drop.data is True
        number = max((whole - span) // step + 1, 0) if dropped else -(-whole // step)
    inner = LibraryObject(DATASET, (), {}, call.place)
    inner.state["item"], inner.state["length"] = item, count
    return dataset(call, Value(inner, merged(item, count)), Value(number, merged(length, count)))


@MODELS.method("Dataset", "flat_map", "interleave")
def _flat(interpreter: Interpreter, call: Call) -> Value:
    """Return a data set of the elements of the data sets that a function gives."""
    item, length = state_of(call)
    function = call.given(0, "map_func")
    if function is None:
        return call.unknown()
    parts = item.data if isinstance(item.data, tuple) else (item,)
    output = interpreter.call(function, tuple(parts), {}, call.place).data
    if not isinstance(output, LibraryObject) or "item" not in output.state:
        return dataset(call, unknown(item), Value(UNKNOWN))
    own, whole = size(output.state["length"]), size(length)
    number = UNKNOWN if own is None or whole is None else own * whole
    return dataset(call, output.state["item"], Value(number, merged(length)))


@MODELS.method("Dataset", "concatenate")
def _joined(_: Interpreter, call: Call) -> Value:
    item, length = state_of(call)
    other = call.given(0, "dataset")
    data = None if other is None else other.data
    more = data.state.get("length") if isinstance(data, LibraryObject) else None
    first, second = size(length), size(more)
    number = UNKNOWN if first is None or second is None else first + second
    return dataset(call, item, Value(number, merged(length)))


@MODELS.method("Dataset", "apply")
def _applied(interpreter: Interpreter, call: Call) -> Value:
    function = call.given(0, "transformation_func")
    if function is None or call.receiver is None:
        return call.unknown()
    return interpreter.call(function, (call.receiver,), {}, call.place)


@MODELS.method("Dataset", "get_single_element")
def _single(_: Interpreter, call: Call) -> Value:
    return state_of(call)[0]


@MODELS.method("Dataset", "ragged_batch", "bucket_by_sequence_length")
def _other_batches(interpreter: Interpreter, call: Call) -> Value:
    if call.name == "ragged_batch":
        return batch(interpreter, call)
    item, _length = state_of(call)
    return dataset(call, with_batch(item, Value(UNKNOWN)), Value(UNKNOWN))


@MODELS.function("tensorflow.io.decode_csv")
def _decoded(interpreter: Interpreter, call: Call) -> Value:
    """Return a scalar for each field, of the kind of its default."""
    defaults, records = (
        listed(interpreter, call.given(1, "record_defaults")),
        call.given(0, "records"),
    )
    data = operand(records)
    if defaults is None:
        return call.unknown()
    shape = () if data is None else data.shape
    dims_found = []
    for default in defaults:
        kind = operand(default)
        dtype = kind.dtype if kind is not None and isinstance(default.data, Array) else None
        if dtype is None:
            inner = (
                default.data[0]
                if isinstance(default.data, (list, tuple)) and default.data
                else default
            )
            dtype = {int: "int32", float: "float32", str: "str"}.get(type(inner.data))
        dims_found.append(Value(Array(shape, dtype, "tensorflow"), merged(*call.args[:1])))
    return Value(dims_found, merged(*call.args))


@MODELS.function("tensorflow.io.parse_tensor")
def _parsed(_: Interpreter, call: Call) -> Value:
    kind = call.given(1, "out_type")
    return Value(Array(None, dtype_named(kind, "float32"), "tensorflow"), merged(*call.args))


# --- what a model gives for a data set -----------------------------------------------------------


def _predicting(before: Model) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        result = before(interpreter, call)
        given = call.given(0, "x")
        data = None if given is None else given.data
        if result.known or not isinstance(data, LibraryObject) or call.receiver is None:
            return result
        item = data.state.get("item")
        if item is None or not item.known:
            return result
        parts = item.data if isinstance(item.data, tuple) else (item,)
        output = interpreter.call(call.receiver, tuple(parts[:1]), {}, call.place)
        x = arrays.array(output)
        if x is None or not x.shape:
            return result
        rows = data.state.get("rows", Value(UNKNOWN))
        shape = (Value(rows.data, merged(rows, output)), *x.shape[1:])
        return Value(Array(shape, x.dtype, "numpy"), output.origins)

    return run


for _short in ("Model", "Sequential", "Functional"):
    if (_short, "predict") in MODELS.methods:
        MODELS.methods[_short, "predict"] = _predicting(MODELS.methods[_short, "predict"])
