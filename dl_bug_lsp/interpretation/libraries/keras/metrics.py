"""Keras's metrics and losses: those of the library beyond `models.py`, and the program's own.

Source: the "Metrics" and "Losses" pages of the Keras API documentation.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.keras.layers import (
    Shape,
    batchless,
    items,
    member,
    spellings,
    text,
)
from dl_bug_lsp.interpretation.libraries.tensorflow.functions import plain_dtype
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import keeps_shape, operand
from dl_bug_lsp.interpretation.libraries.tensorflow.variables import Variable
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    Array,
    BoundMethod,
    ClassValue,
    Instance,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

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


@MODELS.method("Metric", "reset_state", "reset_states")
def _reset(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)


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
