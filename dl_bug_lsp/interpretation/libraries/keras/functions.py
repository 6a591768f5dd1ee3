"""Keras's functions: ``keras.ops``, ``keras.random``, metrics, losses, schedules, activations.

``keras.ops`` follows NumPy, with 32-bit numbers. Metrics and losses are those of the library beyond
`models.py`, and the program's own. Sources: the Keras 3 reference ("Ops API", "Random operations",
"Metrics", "Losses").
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.keras.models  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import words
from dl_bug_lsp.interpretation.libraries.jax.arrays import as_jax
from dl_bug_lsp.interpretation.libraries.keras.layers import (
    Shape,
    batchless,
    items,
    member,
    spellings,
    text,
)
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.libraries.tensorflow.functions import plain_dtype
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    dims,
    dtype_named,
    keeps_shape,
    operand,
)
from dl_bug_lsp.interpretation.libraries.tensorflow.variables import Variable
from dl_bug_lsp.interpretation.model_helpers import listed, nothing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    Instance,
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


# --- metrics, losses, schedules, activations ------------------------------------------------------

OWN_METRIC = tuple(spellings("metrics.Metric"))
OWN_LOSS = tuple(spellings("losses.Loss"))


@MODELS.object(*OWN_METRIC)
def _call_metric(interpreter: Interpreter, call: Call) -> Value:
    """Return the result of a metric of the program after it was updated."""
    receiver = call.receiver
    if receiver is None or not isinstance(receiver.data, Instance):
        return call.unknown()
    update = member(receiver.data.cls, "update_state")
    result = member(receiver.data.cls, "result")
    if update is not None:
        bound = Value(BoundMethod(update, receiver))
        interpreter.call(bound, call.args, dict(call.keywords), call.place)
    if result is None:
        return call.unknown()
    return interpreter.call(Value(BoundMethod(result, receiver)), (), {}, call.place)


@MODELS.method("Metric", "add_weight", "add_variable")
def _add_weight(_: Interpreter, call: Call) -> Value:
    """Return a variable of a metric: a number, where no shape is given."""
    given = call.keywords.get("shape")
    if given is None:
        given = next((a for a in call.args[:2] if items(a) is not None), None)
    shape: Shape | None = () if given is None else batchless(given, None, call.place)
    dtype = text(call.keywords.get("dtype"), "float32")
    trained, name = Value(False), call.keywords.get("name")
    kept = Variable(shape, dtype, "tensorflow", trainable=trained, name=name, keras=True)
    return Value(kept, merged(*call.args) | {call.place})


MODELS.method("Metric", "reset_state", "reset_states")(nothing)


@MODELS.object(*OWN_LOSS)
def _call_loss(interpreter: Interpreter, call: Call) -> Value:
    """Return the mean of what a loss of the program gives, where it is reduced."""
    receiver = call.receiver
    if receiver is None or not isinstance(receiver.data, Instance):
        return call.unknown()
    function = member(receiver.data.cls, "call")
    if function is None:
        return call.unknown()
    bound = Value(BoundMethod(function, receiver))
    given = interpreter.call(bound, call.args[:2], {}, call.place)
    if _names_reduction(receiver.data.cls):
        return unknown(given)
    return Value(Array((), "float32", "tensorflow"), merged(given, *call.args))


def _names_reduction(cls: ClassValue) -> bool:
    """Whether a class of the program, or one that it derives from, sets how losses are reduced."""
    named = any(
        getattr(node, "arg", None) == "reduction" or getattr(node, "attr", None) == "reduction"
        for node in ast.walk(cls.node)
    )
    bases = [base.data for base in cls.bases if isinstance(base.data, ClassValue)]
    return named or any(_names_reduction(base) for base in bases)


# --- functions ------------------------------------------------------------------------------------

ALONG_LAST = (
    *("mean_squared_error", "mse", "mean_absolute_error", "mae", "categorical_accuracy"),
    *("mean_absolute_percentage_error", "mape", "mean_squared_logarithmic_error", "msle"),
    *("sparse_top_k_categorical_accuracy", "top_k_categorical_accuracy", "binary_crossentropy"),
    *("categorical_crossentropy", "sparse_categorical_crossentropy", "kl_divergence", "hinge"),
    *("sparse_categorical_accuracy", "squared_hinge", "poisson", "log_cosh", "logcosh"),
)


def _along_last(_: Interpreter, call: Call) -> Value:
    """Return a number for each row."""
    given = call.given(1, "y_pred")
    x = operand(given)
    if x is None or given is None or not x.shape:
        return call.unknown()
    return Value(Array(x.shape[:-1], None, "tensorflow"), merged(*call.args))


SCHEDULES = (
    *("ExponentialDecay", "PiecewiseConstantDecay", "PolynomialDecay", "InverseTimeDecay"),
    *("CosineDecay", "CosineDecayRestarts"),
)


def _number(_: Interpreter, call: Call) -> Value:
    """Return the number that a schedule gives for a step, or a regularizer for a tensor."""
    return Value(Array((), "float32", "tensorflow"), merged(*call.args))


for _name in SCHEDULES:
    MODELS.object(*spellings(f"optimizers.schedules.{_name}"))(_number)
for _name in ("L1", "L2", "L1L2"):
    MODELS.object(*spellings(f"regularizers.{_name}"))(_number)


@MODELS.function(*spellings("utils.img_to_array", "preprocessing.image.img_to_array"))
def _image_as_array(_: Interpreter, call: Call) -> Value:
    """Return an image as an array of floats with an axis of colours."""
    x = arrays.array(call.given(0, "img"))
    if len(call.args) > 1 or call.keywords.keys() - {"img"}:
        return call.unknown()
    shape = None if x is None else x.shape
    if shape is not None and len(shape) == 2:
        shape = (*shape, Value(1, frozenset({call.place})))
    return Value(Array(shape, "float32", "numpy"), merged(*call.args))


for _name in ALONG_LAST:
    MODELS.function(*(s for s in spellings(f"metrics.{_name}") if ".metrics." in s))(_along_last)

ACTIVATIONS = (
    *("relu", "softmax", "sigmoid", "tanh", "elu", "selu", "gelu", "softplus", "softsign", "swish"),
    *(
        "silu",
        "exponential",
        "hard_sigmoid",
        "linear",
        "leaky_relu",
        "relu6",
        "log_softmax",
        "mish",
    ),
)


def _activated(interpreter: Interpreter, call: Call) -> Value:
    """Return a tensor of the same shape."""
    value = call.given(0, "x")
    made = keeps_shape(interpreter, Call("activation", call.args, call.keywords, call.place))
    data = arrays.array(made)
    if data is not None and data.dtype is None and value is not None:
        data.dtype = plain_dtype(value)
    return made


for _name in ACTIVATIONS:
    MODELS.function(*(s for s in spellings(f"activations.{_name}") if ".activations." in s))(
        _activated
    )
