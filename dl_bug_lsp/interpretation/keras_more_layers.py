"""More layers of Keras: attention, dot products, sums by names of axes, cells, tables of words.

Sources: the layers' reference in the Keras API documentation and the messages of Keras 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.keras_layers import (
    LAYERS,
    PARAMETERS,
    Shape,
    by_shape,
    channels_first,
    check_axes,
    define,
    dim,
    dim_of,
    each,
    flag,
    items,
    option,
    padded,
    remember,
    result,
    shown,
    slid,
    text,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import Array, LibraryObject, Raised, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def _parts(inputs: Value) -> list[tuple[Value, Array, Shape]] | None:
    """Return the tensors of a list of inputs, None where the axes of one are not known."""
    found = []
    for item in items(inputs) or ():
        data = arrays.array(item)
        if data is None or data.shape is None:
            return None
        found.append((item, data, data.shape))
    return found


def _dot(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return a dot product of two inputs along an axis of each."""
    parts, given = _parts(inputs), option(layer, "axes")
    if parts is None or len(parts) != 2 or given is None:
        return call.unknown()
    (a, x), (b, y) = ((part, shape) for part, _, shape in parts)
    chosen = items(given) or (given, given)
    if len(chosen) != 2 or size(chosen[0]) is None or size(chosen[1]) is None:
        return call.unknown()
    at, to = arrays.axis_of(chosen[0], len(x)), arrays.axis_of(chosen[1], len(y))
    if at is None or to is None:
        return call.unknown()
    message = f"Incompatible input shapes: {shown(x)}, {shown(y)}"
    arrays.same(x[at], y[to], message)
    left = [d for i, d in enumerate(x) if i != at]
    right = [d for i, d in enumerate(y) if i not in (0, to)]
    shape = (*left, *right)
    return result(layer, shape if len(shape) > 1 else (*shape, dim(1, layer)), a, b)


def _attention(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return dot-product attention of a query over values: one value's size for each query."""
    parts = _parts(inputs)
    if parts is None or len(parts) not in (2, 3) or any(len(p[2]) < 2 for p in parts):
        return call.unknown()
    if flag(call.keywords.get("return_attention_scores")) is not False:
        return call.unknown()
    query, value = parts[0], parts[1]
    key = parts[2] if len(parts) == 3 else value
    arrays.same(query[2][-1], key[2][-1], "the last axes of query and key differ")
    arrays.same(value[2][-2], key[2][-2], "value and key have different lengths")
    arrays.broadcast(query[2][:-2], value[2][:-2])
    shape = (*query[2][:-1], value[2][-1])
    return result(layer, shape, *(part[0] for part in parts))


def _attend(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return multi-head attention's output: the query's shape; batches, lengths and mask fit."""
    given = call.given(1, "value")
    if given is None:
        raise Raised("arguments", "missing a required argument: 'value'", Value(None))
    query, value = arrays.array(inputs), arrays.array(given)
    key = arrays.array(call.given(2, "key")) or value
    if query is None or query.shape is None or option(layer, "output_shape") is not None:
        return call.unknown()
    if flag(call.given(4, "return_attention_scores")) is not False:
        return call.unknown()
    if value is not None and key is not None and value.shape and key.shape:
        for i in range(1, min(len(value.shape), len(key.shape)) - 1):
            arrays.same(key.shape[i], value.shape[i], "key and value lengths differ")
        if len(query.shape) == len(value.shape) == 3:
            arrays.broadcast(query.shape[:1], value.shape[:1])
            mask = arrays.array(call.given(3, "attention_mask"))
            if mask is not None and mask.shape is not None and 1 < len(mask.shape) < 4:
                wanted = (query.shape[0], query.shape[1], key.shape[1])
                arrays.broadcast(mask.shape, wanted[-len(mask.shape) :])
    remember(layer, query.shape[-1], query.shape)
    return result(layer, query.shape, inputs)


def _stepped(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return what a recurrent layer made of a cell gives."""
    data, cell = arrays.array(inputs), option(layer, "cell")
    made = cell.data if cell is not None else None
    if data is None or not isinstance(made, LibraryObject):
        return call.unknown()
    units = made.keywords.get("units") or next(iter(made.args), None)
    whole, states = flag(option(layer, "return_sequences")), flag(option(layer, "return_state"))
    if units is None or whole is None or states is not False or data.shape is None:
        return call.unknown()
    check_axes(layer, data.shape)
    width = dim(units.data, layer, units)
    shape = (*data.shape[:2], width) if whole else (data.shape[0], width)
    return result(layer, shape, inputs)


def _convolved_steps(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after a recurrent layer whose cells are convolutions."""
    whole = flag(option(layer, "return_sequences"))
    if channels_first(layer) is not False or whole is None:
        return None
    remember(layer, shape[-1], shape)
    count = len(shape) - 3
    kernels = each(option(layer, "kernel_size"), count)
    strides = each(option(layer, "strides"), count, Value(1))
    dilations = each(option(layer, "dilation_rate"), count, Value(1))
    lengths = tuple(
        slid(*axis, layer) for axis in zip(shape[2:-1], kernels, strides, dilations, strict=True)
    )
    start = shape[:2] if whole else shape[:1]
    return (*start, *lengths, dim_of(layer, "filters"))


def _cropped(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after cropping; raise where nothing would be left."""
    after = padded(-1)(layer, shape)
    for before, left in zip(shape, after or (), strict=False):
        number = size(left)
        if number is not None and number <= 0 and number != size(before):
            message = "Values in `cropping` argument should be smaller than the corresponding axis"
            given = option(layer, "cropping") or Value(1, frozenset({layer.made}))
            raise Raised("size", f"{message} of the input: {shown(shape)}", before, given)
    return after


def _grouped(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape unchanged; the groups must divide the channels."""
    axis = option(layer, "axis")
    at = -1 if axis is None else size(axis)
    groups = option(layer, "groups") or Value(32, frozenset({layer.made}))
    count = size(groups)
    if at is None or count is None or not -len(shape) <= at < len(shape):
        return shape
    channels = size(shape[at])
    if channels is not None and count != -1 and (count > channels or channels % count):
        message = f"Number of groups ({count}) must be a multiple of the number of channels"
        raise Raised("size", f"{message} ({channels}).", groups, shape[at])
    return shape


def _summed(interpreter: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return a dense layer that is written as a sum by names of axes (``"abc,cd->abd"``)."""
    data, equation = arrays.array(inputs), text(option(layer, "equation"))
    given = option(layer, "output_shape")
    if data is None or data.shape is None or not equation or given is None:
        return call.unknown()
    left, _, right = equation.replace(" ", "").partition("->")
    first, _, weights = left.partition(",")
    if "." in equation or not right:
        return result(layer, None, inputs)
    if len(first) != len(data.shape):
        message = f"the equation {equation} does not fit an input of shape {shown(data.shape)}"
        count = Value(len(data.shape), merged(*data.shape))
        raise Raised("size", message, count, Value(len(first), frozenset({layer.made})))
    known = dict(zip(first, data.shape, strict=True))
    wanted = list(items(given) or (given,))
    rest = dict(zip(right[len(right) - len(wanted) :], wanted, strict=False))
    shape = []
    for letter in right:
        asked = rest.get(letter)
        own = known.get(letter)
        if own is None and asked is not None and letter in weights:
            own = dim(asked.data, layer, asked)
        if own is None:
            return result(layer, None, inputs)
        shape.append(own)
    del interpreter
    return result(layer, tuple(shape), inputs)


def _numbered(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return the numbers of words or values in a table of them."""
    data, mode = arrays.array(inputs), text(option(layer, "output_mode"), "int")
    if data is None or mode != "int" or "output_mode" in layer.keywords:
        return call.unknown()
    made = result(layer, data.shape, inputs)
    if isinstance(made.data, Array):
        made.data.dtype = "int64"
    return made


_STEPS = "return_sequences return_state go_backwards stateful unroll"
define("Dot", _dot, parameters="axes normalize")
define("Attention AdditiveAttention", _attention, parameters="use_scale score_mode dropout")
define("MultiHeadAttention", _attend, parameters="num_heads key_dim value_dim dropout use_bias")
define("RNN", _stepped, parameters=f"cell {_STEPS}", axes=3, least=True)
for _count in (1, 2, 3):
    define(
        f"ConvLSTM{_count}D",
        by_shape(_convolved_steps),
        "ConvLSTM",
        PARAMETERS["ConvLSTM"],
        _count + 3,
    )
    define(
        f"Cropping{_count}D",
        by_shape(_cropped),
        parameters="cropping data_format",
        axes=_count + 2,
    )
define("GroupNormalization", by_shape(_grouped), parameters="groups axis epsilon")
define("EinsumDense", _summed, parameters="equation output_shape activation bias_axes")
define("StringLookup IntegerLookup", _numbered, parameters="max_tokens num_oov_indices")

_combined = LAYERS["Subtract"].rule


def _difference(interpreter: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return the difference of two inputs; more are refused."""
    parts = items(inputs)
    if parts is not None and len(parts) != 2:
        message = "A `Subtract` layer should be called on exactly 2 inputs"
        raise Raised("size", message, Value(len(parts), merged(*parts)), Value(2))
    return _combined(interpreter, layer, inputs, call)


define("Subtract", _difference)


_make_dropout = MODELS.functions["keras.layers.Dropout"]


@MODELS.function("keras.layers.Dropout", "tensorflow.keras.layers.Dropout")
def _dropout(interpreter: Interpreter, call: Call) -> Value:
    """Return a dropout layer; raise where its rate is no share."""
    rate = call.given(0, "rate")
    number = rate.data if rate is not None else None
    if isinstance(number, (int, float)) and not 0 <= number <= 1:
        message = (
            "Invalid value received for argument `rate`. Expected a float value between 0 and 1"
        )
        raise Raised("value", message, rate or Value(None))
    return _make_dropout(interpreter, call)
