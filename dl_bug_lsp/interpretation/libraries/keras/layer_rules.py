"""What each layer of Keras makes of its input's shape, and what it refuses.

Sources: the layers' reference in the Keras API documentation and the messages of Keras 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.keras.layers import (
    LAYERS,
    PARAMETERS,
    Shape,
    ShapeRule,
    apply,
    by_shape,
    check_axes,
    define,
    dim,
    each,
    flag,
    items,
    named,
    option,
    rank_value,
    remember,
    result,
    shown,
    spellings,
    text,
    told,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, LibraryObject, Raised, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def channels_first(layer: LibraryObject) -> bool | None:
    """Return whether a layer's channels come before its spatial axes, None if not known."""
    given = text(option(layer, "data_format"), "channels_last")
    return None if given is None else given == "channels_first"


def slid(
    length: Value, kernel: Value, stride: Value, dilation: Value, layer: LibraryObject
) -> Value:
    """Return the length that a window leaves (Keras, "Conv1D": valid, same and causal padding)."""
    padding = option(layer, "padding")
    kind = text(padding, "valid")
    n, k, s, d = size(length), size(kernel), size(stride), size(dilation)
    if n is None or kind is None or not s:
        return dim(UNKNOWN, layer, length, kernel, stride, dilation, padding)
    if kind.lower() in {"same", "causal"}:
        return dim(-(-n // s), layer, length, stride, padding)
    if k is None or d is None:
        return dim(UNKNOWN, layer, length, kernel, stride, dilation)
    left = (n - d * (k - 1) - 1) // s + 1
    if left < 1:
        raise Raised(
            "size",
            f'Computed output size would be negative in layer "{named(layer)}": input length {n}, '
            f"kernel size {k}",
            length,
            Value(k, kernel.origins | {layer.made}),
        )
    return dim(left, layer, length, kernel, stride, dilation)


def windowed(depth: str) -> ShapeRule:
    """Return the rule of convolutions; ``depth`` says what gives the number of channels."""

    def rule(layer: LibraryObject, shape: Shape) -> Shape | None:
        first = channels_first(layer)
        if first is None:
            return None
        count = len(shape) - 2
        channels = shape[1] if first else shape[-1]
        spatial = shape[2:] if first else shape[1:-1]
        if depth != "pool":
            remember(layer, channels, shape, 1 if first else -1)
        single = Value(1)
        kernels = each(option(layer, "kernel_size") or option(layer, "pool_size"), count)
        if depth == "pool":
            kernels = each(option(layer, "pool_size"), count, Value(2))
        given = option(layer, "strides")
        default = kernels if depth == "pool" else (single,) * count
        strides = each(given, count) if given is not None and given.data is not None else default
        dilations = each(option(layer, "dilation_rate"), count, single)
        lengths = tuple(
            slid(*each_axis, layer)
            for each_axis in zip(spatial, kernels, strides, dilations, strict=True)
        )
        if depth == "filters":
            channels = dim_of(layer, "filters")
            groups(layer, shape[1] if first else shape[-1])
        elif depth == "multiplier":
            times = option(layer, "depth_multiplier") or single
            both = size(times), size(channels)
            number = UNKNOWN if None in both else (both[0] or 0) * (both[1] or 0)
            channels = dim(number, layer, channels, times)
        return (shape[0], channels, *lengths) if first else (shape[0], *lengths, channels)

    return rule


def groups(layer: LibraryObject, channels: Value) -> None:
    """Raise where a convolution's groups do not divide its input's channels."""
    given = option(layer, "groups")
    count, total = size(given), size(channels)
    if given is not None and count and total and total % count:
        raise Raised(
            "size",
            "The number of input channels must be evenly divisible by the number of groups. "
            f"Received: groups={count}, input channels={total}",
            channels,
            given,
        )


def dim_of(layer: LibraryObject, name: str) -> Value:
    """Return an argument of a layer as a dimension."""
    given = option(layer, name)
    number = size(given)
    return dim(UNKNOWN if number is None else number, layer, given)


def _windows(layer: LibraryObject, count: int) -> tuple[tuple[Value, ...], ...]:
    """Return the kernels, strides and dilations of a layer along some axes."""
    return (
        each(option(layer, "kernel_size"), count),
        each(option(layer, "strides"), count, Value(1)),
        each(option(layer, "dilation_rate"), count, Value(1)),
    )


def transposed(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after a transposed convolution (Keras, "Conv2DTranspose")."""
    first = channels_first(layer)
    if first is None or option(layer, "output_padding") is not None:
        return None
    spatial = shape[2:] if first else shape[1:-1]
    remember(layer, shape[1] if first else shape[-1], shape)
    count, kind = len(spatial), text(option(layer, "padding"), "valid")
    kernels, strides, dilations = _windows(layer, count)
    lengths = []
    for length, kernel, stride, dilation in zip(spatial, kernels, strides, dilations, strict=True):
        n, k, s, d = size(length), size(kernel), size(stride), size(dilation)
        number: object = UNKNOWN
        if n is not None and s is not None and kind == "same":
            number = n * s
        elif n is not None and s is not None and k is not None and d is not None:
            number = n * s + max(d * (k - 1) + 1 - s, 0)
        lengths.append(dim(number, layer, length, kernel, stride, dilation))
    depth = dim_of(layer, "filters")
    return (shape[0], depth, *lengths) if first else (shape[0], *lengths, depth)


def dense(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after a dense layer."""
    remember(layer, shape[-1], shape)
    return (*shape[:-1], dim_of(layer, "units"))


def globally_pooled(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after a global pooling."""
    first, keep = channels_first(layer), flag(option(layer, "keepdims"))
    if first is None or keep is None:
        return None
    ones = tuple(dim(1, layer) for _ in shape[2:]) if keep else ()
    return (shape[0], shape[1], *ones) if first else (shape[0], *ones, shape[-1])


def flat(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after flattening all axes but the first."""
    total = arrays.product(shape[1:])
    return (shape[0], dim(total.data, layer, total))


def reshape(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after a reshape of all axes but the first; raise where elements differ."""
    given = option(layer, "target_shape")
    wanted = items(given)
    if wanted is None:
        return None
    target = [dim(w.data, layer, w, given) for w in wanted]
    return (shape[0], *arrays.reshaped(shape[1:], target))


def permute(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after a permutation of the axes from 1."""
    wanted = items(option(layer, "dims"))
    order = [size(w) for w in wanted or ()]
    if wanted is None or None in order:
        return None
    if len(order) != len(shape) - 1 or sorted(o or 0 for o in order) != list(range(1, len(shape))):
        raise Raised(
            "size",
            f"Permute dims {tuple(order)} do not fit an input of shape {shown(shape)}",
            rank_value(shape),
            dim(len(order) + 1, layer, *wanted),
        )
    return (shape[0], *(shape[o or 0] for o in order))


def same_shape(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape unchanged."""
    return shape


def normalized(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape unchanged; the size of the normalized axis must stay the same."""
    axis = option(layer, "axis")
    if axis is None:
        remember(layer, shape[-1], shape)
    elif size(axis) is not None:
        at = arrays.axis_of(axis, len(shape))
        if at is not None:
            remember(layer, shape[at], shape, at)
    return shape


def repeated(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after a repetition along a new axis 1."""
    return (shape[0], dim_of(layer, "n"), shape[1])


def padded(sign: int) -> ShapeRule:
    """Return the rule of zero padding (1) and of cropping (-1)."""

    def rule(layer: LibraryObject, shape: Shape) -> Shape | None:
        first = channels_first(layer)
        if first is None:
            return None
        count = len(shape) - 2
        name = "padding" if sign > 0 else "cropping"
        default = Value(0) if sign < 0 and count > 1 else Value(1)
        given = option(layer, name)
        whole = each(given, count, default)
        if count == 1 and given is not None and items(given) is not None:
            whole = (given,)
        spatial = shape[2:] if first else shape[1:-1]
        lengths = []
        for length, part in zip(spatial, whole, strict=True):
            sides = each(part, 2)
            a, b, n = size(sides[0]), size(sides[1]), size(length)
            number: object = UNKNOWN
            if a is not None and b is not None and n is not None:
                number = n + sign * (a + b)
            lengths.append(dim(number, layer, length, *sides))
        return (shape[0], shape[1], *lengths) if first else (shape[0], *lengths, shape[-1])

    return rule


def upsampled(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after each spatial axis was repeated."""
    first = channels_first(layer)
    if first is None:
        return None
    spatial = shape[2:] if first else shape[1:-1]
    times = each(option(layer, "size"), len(spatial), Value(2))
    lengths = []
    for length, factor in zip(spatial, times, strict=True):
        total = arrays.product((length, factor))
        lengths.append(dim(total.data, layer, total))
    return (shape[0], shape[1], *lengths) if first else (shape[0], *lengths, shape[-1])


def resized(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after an image was resized, cropped to or filled up to a size."""
    if channels_first(layer) is not False or len(shape) not in {3, 4}:
        return None
    return (*shape[:-3], dim_of(layer, "height"), dim_of(layer, "width"), shape[-1])


def embed(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return looked-up vectors; raise where an index is at or beyond ``input_dim``."""
    data = arrays.array(inputs)
    if data is None:
        return call.unknown()
    rows = option(layer, "input_dim")
    count = size(rows)
    if rows is not None and count is not None:
        for bound in (data.highest, data.lowest):
            if bound is not None and not 0 <= bound < count:
                raise Raised(
                    "index",
                    f"indices = {bound} is not in [0, {count})",
                    Value(bound, inputs.origins),
                    rows,
                )
    if data.shape is None:
        return result(layer, None, inputs)
    return result(layer, (*data.shape, dim_of(layer, "output_dim")), inputs)


def recur(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return a recurrent layer's output, with its states where asked for."""
    data = arrays.array(inputs)
    if data is None:
        return call.unknown()
    shape = data.shape
    if shape is not None:
        check_axes(layer, shape)
        remember(layer, shape[-1], shape)
    output = recurrent_output(layer, shape, inputs)
    states = flag(option(layer, "return_state"))
    if states is None:
        return call.unknown()
    if not states:
        return output
    units = dim_of(layer, "units")
    first = shape[0] if shape is not None else Value(UNKNOWN)
    state = [result(layer, (first, units), inputs)] * (2 if layer.short.endswith("LSTM") else 1)
    return Value([output, *state], output.origins)


def recurrent_output(layer: LibraryObject, shape: Shape | None, inputs: Value) -> Value:
    """Return the sequences or the last state that a recurrent layer gives."""
    given = option(layer, "return_sequences")
    sequences = flag(given)
    if shape is None or sequences is None:
        return result(layer, None, inputs)
    units = dim_of(layer, "units")
    if given is not None:
        units.origins = merged(units, given)
    if not sequences:
        return result(layer, (shape[0], units), inputs)
    # That the axis of time is still there is what the layer was told.
    steps = Value(shape[1].data, merged(shape[1], *([given] if given is not None else [])))
    return result(layer, (shape[0], steps, units), inputs)


def inner(layer: LibraryObject) -> LibraryObject | None:
    """Return the layer that a wrapper was made with, where it is one of Keras."""
    given = option(layer, "layer")
    data = given.data if given is not None else None
    return data if isinstance(data, LibraryObject) and data.short in LAYERS else None


def both_ways(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return a bidirectional layer's output: the two directions joined, or merged."""
    inside, data = inner(layer), arrays.array(inputs)
    if inside is None or data is None or LAYERS[inside.short].family != "Recurrent":
        return call.unknown()
    if data.shape is not None:
        check_axes(inside, data.shape)
        remember(inside, data.shape[-1], data.shape)
    if flag(option(inside, "return_state")) is not False:
        return call.unknown()
    output = recurrent_output(inside, data.shape, inputs)
    mode = option(layer, "merge_mode")
    kind = text(mode, "concat") if mode is None or mode.data is not None else None
    if not isinstance(output.data, Array) or output.data.shape is None or kind is None:
        return result(layer, None, inputs) if kind is not None else call.unknown()
    if kind == "concat":
        units = size(output.data.shape[-1])
        twice = dim(UNKNOWN if units is None else 2 * units, layer, output.data.shape[-1], mode)
        output.data.shape = (*output.data.shape[:-1], twice)
    return Value(output.data, merged(output) | {layer.made})


def each_step(interpreter: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return a time-distributed layer's output: its layer applied without axis 1."""
    data, given = arrays.array(inputs), option(layer, "layer")
    if data is None or data.shape is None or given is None:
        return call.unknown()
    if len(data.shape) < 3:
        raise Raised(
            "size",
            "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, "
            f"received: {shown(data.shape)}",
            rank_value(data.shape),
            Value(3, frozenset({layer.made})),
        )
    step = Array((data.shape[0], *data.shape[2:]), data.dtype, "tensorflow")
    step.lowest, step.highest = data.lowest, data.highest
    output = interpreter.call(given, (Value(step, inputs.origins),), {}, call.place)
    step_output = arrays.array(output)
    if step_output is None or step_output.shape is None or not step_output.shape:
        return call.unknown()
    return result(
        layer, (step_output.shape[0], data.shape[1], *step_output.shape[1:]), inputs, output
    )


def join(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return tensors joined along an axis; the other axes must have the same sizes."""
    parts = [arrays.array(item) for item in items(inputs) or ()]
    known = [p for p in parts if p is not None]
    axis = option(layer, "axis")
    at = -1 if axis is None else size(axis)
    if not known or len(known) != len(parts) or at is None:
        return call.unknown()
    return result(layer, arrays.concatenated(known, at), inputs, *(items(inputs) or ()))


def combine(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return the elementwise sum, product, mean or maximum of tensors that broadcast."""
    parts = [arrays.array(item) for item in items(inputs) or ()]
    if not parts or any(p is None or p.shape is None for p in parts):
        return call.unknown()
    shape: Shape | None = None
    for part in parts:
        if part is not None and part.shape is not None:
            shape = part.shape if shape is None else arrays.broadcast(shape, part.shape)
    return result(layer, shape, inputs, *(items(inputs) or ()))


def call_function(
    interpreter: Interpreter, layer: LibraryObject, inputs: Value, call: Call
) -> Value:
    """Return what a lambda layer's function gives."""
    function = option(layer, "function")
    if function is None or not function.known:
        return call.unknown()
    extra = option(layer, "arguments")
    keywords: dict[str, Value] = {}
    if extra is not None:
        if not isinstance(extra.data, dict):
            return call.unknown()
        keywords = {str(k): v for k, v in extra.data.items()}
    return interpreter.call(function, (inputs,), keywords, call.place)


def unknown_rule(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return a tensor of unknown shape."""
    return result(layer, None, inputs)


for _n, _axes in (("1D", 3), ("2D", 4), ("3D", 5)):
    define(
        f"Conv{_n} Convolution{_n}", by_shape(windowed("filters")), "Conv", axes=_axes, least=False
    )
    define(
        f"Conv{_n}Transpose Convolution{_n}Transpose Deconvolution{_n}",
        by_shape(transposed),
        "ConvTranspose",
        axes=_axes,
    )
    define(f"SeparableConv{_n}", by_shape(windowed("filters")), "SeparableConv", axes=_axes)
    define(f"DepthwiseConv{_n}", by_shape(windowed("multiplier")), "DepthwiseConv", axes=_axes)
    define(
        f"MaxPooling{_n} MaxPool{_n} AveragePooling{_n} AvgPool{_n}",
        by_shape(windowed("pool")),
        "Pooling",
        axes=_axes,
    )
    define(
        f"GlobalMaxPooling{_n} GlobalMaxPool{_n} GlobalAveragePooling{_n} GlobalAvgPool{_n}",
        by_shape(globally_pooled),
        "GlobalPooling",
        axes=_axes,
    )
    define(f"UpSampling{_n}", by_shape(upsampled), parameters="size data_format", axes=_axes)
    define(f"ZeroPadding{_n}", by_shape(padded(1)), parameters="padding data_format", axes=_axes)
    define(f"Cropping{_n}", by_shape(padded(-1)), parameters="cropping data_format", axes=_axes)
    define(f"SpatialDropout{_n}", by_shape(same_shape), parameters="rate data_format", axes=_axes)
define("Dense", by_shape(dense), "Dense", axes=2, least=True)
define("Flatten", by_shape(flat, keeps=True), parameters="data_format")
define("Reshape", by_shape(reshape, keeps=True), parameters="target_shape")
define("Permute", by_shape(permute, keeps=True), parameters="dims")
define("RepeatVector", by_shape(repeated), parameters="n", axes=2)
define("Resizing CenterCrop RandomCrop", by_shape(resized), parameters="height width")
define(
    "BatchNormalization LayerNormalization GroupNormalization RMSNormalization",
    by_shape(normalized),
    parameters="axis",
)
define("Activation", by_shape(same_shape), parameters="activation")
define(
    "Dropout AlphaDropout GaussianDropout GaussianNoise ActivityRegularization Masking ReLU "
    "LeakyReLU PReLU ELU Softmax ThresholdedReLU Rescaling Normalization UnitNormalization "
    "RandomFlip RandomRotation RandomZoom RandomContrast RandomBrightness RandomTranslation",
    by_shape(same_shape),
)
define("Identity", by_shape(same_shape, keeps=True))
define("Embedding", embed, parameters="input_dim output_dim")
define("LSTM GRU SimpleRNN CuDNNLSTM CuDNNGRU", recur, "Recurrent", axes=3)
define("Bidirectional", both_ways, parameters="layer merge_mode weights backward_layer")
define("TimeDistributed", each_step, parameters="layer")
define("Concatenate", join, parameters="axis")
define("Add Subtract Multiply Average Maximum Minimum", combine)
define("Lambda", call_function, parameters="function output_shape mask arguments")
define(
    "StackedRNNCells SpectralNormalization LSTMCell GRUCell SimpleRNNCell",
    unknown_rule,
)


@MODELS.function(
    *spellings(
        *(
            f"layers.{n}"
            for n in ["concatenate", "add", "subtract", "multiply", "average", "maximum", "minimum"]
        )
    )
)
def merge_function(interpreter: Interpreter, call: Call) -> Value:
    """Return what the functional form of a merging layer gives."""
    short = call.name.rpartition(".")[2].capitalize()
    layer = LibraryObject(f"keras.layers.{short}", call.args[1:], call.keywords, call.place)
    made = Value(layer, frozenset({call.place}))
    given = tuple(told(value) for value in call.args[:1])
    return apply(interpreter, Call(short, given, {}, call.place, made))


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
    kernels, strides, dilations = _windows(layer, count)
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


_STEPS = "return_sequences return_state go_backwards stateful unroll"
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


# --- dot products and attention -------------------------------------------------------------------


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


define("Dot", _dot, parameters="axes normalize")
define("Attention AdditiveAttention", _attention, parameters="use_scale score_mode dropout")
define("MultiHeadAttention", _attend, parameters="num_heads key_dim value_dim dropout use_bias")
