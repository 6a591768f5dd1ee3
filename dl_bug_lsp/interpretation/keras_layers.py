"""Keras layers: the shape each gives for its input's, and where Keras refuses it.

Sources: the layers' reference in the Keras API documentation and the messages of Keras 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryObject,
    Origin,
    Origins,
    Raised,
    Value,
    merged,
    refused_axes,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Shape: TypeAlias = tuple[Value, ...]
Rule: TypeAlias = "Callable[[Interpreter, LibraryObject, Value, Call], Value]"
ShapeRule: TypeAlias = Callable[[LibraryObject, Shape], "Shape | None"]


def _words(names: str) -> list[str]:
    return names.split()


PREFIXES = ("keras.", "tensorflow.keras.", "tf.keras.", "tf_keras.", "tensorflow.python.keras.")
COMMON = frozenset(
    _words(
        "name dtype trainable autocast input_shape batch_input_shape batch_shape input_dim "
        "batch_size input_length weights seed data_format implementation sparse dynamic"
    )
)
ACTIVATIONS = frozenset(
    _words(
        "celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_swish hard_tanh "
        "leaky_relu linear log_sigmoid log_softmax mish relu relu6 selu sigmoid silu soft_shrink "
        "softmax softplus softsign sparse_plus sparse_sigmoid sparsemax squareplus swish tanh "
        "tanh_shrink threshold leakyrelu"
    )
)
_CONVOLUTION = (
    "filters kernel_size strides padding data_format dilation_rate groups activation use_bias"
)
_TRANSPOSED = (
    "filters kernel_size strides padding output_padding data_format dilation_rate activation "
    "use_bias"
)
_DEPTHWISE = (
    "kernel_size strides padding depth_multiplier data_format dilation_rate activation use_bias"
)
_RECURRENT = (
    "units activation recurrent_activation use_bias dropout recurrent_dropout return_sequences "
    "return_state go_backwards stateful unroll unit_forget_bias reset_after use_cudnn time_major"
)
PARAMETERS: dict[str, str] = {
    "Dense": "units activation use_bias",
    "Conv": _CONVOLUTION,
    "ConvTranspose": _TRANSPOSED,
    "DepthwiseConv": _DEPTHWISE,
    "SeparableConv": _CONVOLUTION.replace("groups", "depth_multiplier"),
    "Pooling": "pool_size strides padding data_format",
    "GlobalPooling": "data_format keepdims",
    "Recurrent": _RECURRENT,
    "ConvLSTM": _CONVOLUTION,
}
"""Positional parameters in order, and (for those of `CHECKED`) every keyword beside `COMMON`."""
ALSO_SHORT = frozenset({"to_categorical", "pad_sequences"})
"""Functions that are found by their last name under any module of Keras."""
CHECKED = frozenset({"Dense", "Conv", "ConvTranspose", "Pooling", "Recurrent"})


@dataclass(slots=True, eq=False)
class Symbolic(Array):
    """A tensor of a functional model: an input, or what a layer gave for others."""

    layer: Value | None = None
    inputs: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = field(default_factory=dict)
    part: int | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """How a layer class is treated: its parameters' names, its input's number of axes, its rule."""

    family: str
    parameters: tuple[str, ...]
    axes: int | None
    rule: Rule
    least: bool = False


LAYERS: dict[str, Layer] = {}
"""Layer classes by their last name."""


def spellings(*names: str) -> Iterable[str]:
    """Yield dotted names below ``keras`` under each package that Keras is imported from."""
    for name in names:
        for prefix in PREFIXES:
            yield prefix + name
            last = name.rpartition(".")[2]
            if last != name and (last[:1].isupper() or last in ALSO_SHORT):
                yield f"{prefix.partition('.')[0]}.{last}"


def option(layer: LibraryObject, name: str) -> Value | None:
    """Return what a layer was made with for a parameter, None where it was not given."""
    if name in layer.keywords:
        return layer.keywords[name]
    known = LAYERS.get(layer.short)
    names = known.parameters if known else ()
    if name in names and names.index(name) < len(layer.args):
        return layer.args[names.index(name)]
    return None


def text(value: Value | None, default: str = "") -> str | None:
    """Return a string argument, the default where it is absent, None where it is not known."""
    if value is None or value.data is None:
        return default
    return value.data if isinstance(value.data, str) else None


def flag(value: Value | None, default: bool = False) -> bool | None:
    """Return a truth argument, the default where it is absent, None where it is not known."""
    if value is None:
        return default
    return bool(value.data) if isinstance(value.data, (bool, int)) or value.data is None else None


def items(value: Value | None) -> tuple[Value, ...] | None:
    """Return the items of a list or tuple, None for anything else."""
    if value is not None and isinstance(value.data, (list, tuple)):
        return tuple(value.data)
    return None


def each(value: Value | None, count: int, default: Value | None = None) -> tuple[Value, ...]:
    """Return an argument per spatial axis from one number or one for each axis."""
    if value is None or value.data is None:
        return (default or Value(UNKNOWN),) * count
    parts = items(value)
    if parts is None:
        return (value,) * count
    if len(parts) == 1:
        return parts * count
    return parts if len(parts) == count else (Value(UNKNOWN, value.origins),) * count


def dim(number: object, layer: LibraryObject, *parts: Value | None) -> Value:
    """Return a dimension that a layer made of others, with the layer's line among its origins."""
    origins: Origins = merged(*(p for p in parts if p is not None)) | {layer.made}
    return Value(number, origins)


def named(layer: LibraryObject) -> str:
    """Return how a message names a layer."""
    name = text(layer.keywords.get("name"))
    return name or layer.short.lower()


def shown(shape: Shape) -> str:
    """Return a shape as Keras writes it."""
    return "(" + ", ".join(str(size(d)) for d in shape) + ("," if len(shape) == 1 else "") + ")"


def rank_value(shape: Shape, *origins: Value) -> Value:
    """Return the number of axes of a shape as a value that has the origins of its dimensions."""
    return Value(len(shape), merged(*shape, *origins))


def remember(layer: LibraryObject, dimension: Value, shape: Shape, axis: int = -1) -> None:
    """Keep the size that a layer's weights were made for; raise where a later input differs."""
    before = layer.state.get("input size")
    known, now = size(before), size(dimension)
    if known is None:
        if now is not None:
            layer.state["input size"] = Value(now, dimension.origins | {layer.made})
    elif now is not None and now != known and before is not None:
        raise Raised(
            "size",
            f'Input 0 of layer "{named(layer)}" is incompatible with the layer: expected axis '
            f"{axis} of input shape to have value {known}, but received input with shape "
            f"{shown(shape)}",
            dimension,
            before,
        )


def member(cls: ClassValue, name: str) -> FunctionValue | None:
    """Return the function that a workspace class or a workspace base of it defines."""
    member_found = cls.members.get(name)
    if member_found is not None:
        return member_found.data if isinstance(member_found.data, FunctionValue) else None
    for base in cls.bases:
        if isinstance(base.data, ClassValue):
            inherited = member(base.data, name)
            if inherited is not None:
                return inherited
    return None


def check_made(call: Call, short: str) -> None:
    """Raise where Keras refuses the arguments that a layer is made with."""
    known = LAYERS[short]
    if known.family in CHECKED:
        for name, value in call.keywords.items():
            if not (
                name in known.parameters
                or name in COMMON
                or name.endswith(("_initializer", "_regularizer", "_constraint"))
            ):
                raise Raised(
                    "arguments",
                    f"Unrecognized keyword arguments passed to {short}: {name}",
                    Value(name, value.origins),
                )
    made = LibraryObject(short, call.args, call.keywords, call.place)
    for name in ("activation", "recurrent_activation"):
        given = option(made, name)
        if given is not None and isinstance(given.data, str):
            check_activation(given)
    for name in ("units", "filters"):
        number = option(made, name)
        if number is None:
            continue
        if isinstance(number.data, float) or ((size(number) or 1) <= 0):
            raise Raised(
                "value",
                f"Received an invalid value for `{name}`, expected a positive integer. "
                f"Received: {name}={number.data}",
                number,
            )
    padding = option(made, "padding")
    if known.family in {"Conv", "Pooling", "ConvTranspose"} and padding is not None:
        given_padding = padding.data
        if isinstance(given_padding, str) and given_padding.lower() not in {
            "valid",
            "same",
            "causal",
        }:
            raise Raised("value", f"Invalid padding: {given_padding}", padding)


def check_activation(given: Value) -> None:
    """Raise where a name is no activation of Keras."""
    if isinstance(given.data, str) and given.data.lower() not in ACTIVATIONS:
        raise Raised(
            "value", f"Could not interpret activation function identifier: {given.data}", given
        )


def check_axes(layer: LibraryObject, shape: Shape) -> None:
    """Raise where an input has another number of axes than a layer takes."""
    known = LAYERS.get(layer.short)
    wanted = known.axes if known else None
    if known is None or wanted is None:
        return
    if len(shape) == wanted or (known.least and len(shape) > wanted):
        return
    sort = "min_ndim" if known.least or known.family == "Conv" else "ndim"
    message = (
        f'Input 0 of layer "{named(layer)}" is incompatible with the layer: expected '
        f"{sort}={wanted}, found ndim={len(shape)}. Full shape received: {shown(shape)}"
    )
    made = Value(wanted, frozenset({layer.made}))
    raise refused_axes(message, rank_value(shape), len(shape), made)


# --- shapes -------------------------------------------------------------------------------------


def floating(dtype: str | None) -> str | None:
    """Return the dtype that Keras casts an input to: floats become float32."""
    return "float32" if dtype is None or dtype.startswith(("float", "int", "uint")) else dtype


def result(
    layer: LibraryObject, shape: Shape | None, *parts: Value, like: Array | None = None
) -> Value:
    """Return a tensor that a layer gives."""
    dtype = floating(like.dtype) if like is not None else "float32"
    wanted = layer.keywords.get("dtype")
    if wanted is not None:
        dtype = wanted.data if isinstance(wanted.data, str) else None
    return Value(Array(shape, dtype, "tensorflow"), merged(*parts) | {layer.made})


def by_shape(rule: ShapeRule, keeps: bool = False) -> Rule:
    """Return the rule of a layer whose output's shape follows from its input's alone."""

    def run(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
        data = arrays.array(inputs)
        if data is None:
            return call.unknown()
        if data.shape is None:
            return result(layer, None, inputs)
        check_axes(layer, data.shape)
        output = result(layer, rule(layer, data.shape), inputs, like=data)
        if keeps and isinstance(output.data, Array):
            output.data.dtype = "float32" if data.dtype == "float64" else data.dtype
            output.data.lowest, output.data.highest = data.lowest, data.highest
        return output

    return run


def define(
    names: str,
    rule: Rule,
    family: str = "",
    parameters: str = "",
    axes: int | None = None,
    least: bool = False,
) -> None:
    """Register layer classes under every package that Keras is imported from."""
    positional = tuple((parameters or PARAMETERS.get(family, "")).split())
    for name in names.split():
        LAYERS[name] = Layer(family, positional, axes, rule, least)
        full = list(spellings(f"layers.{name}"))
        MODELS.function(*full)(make)
        MODELS.object(*full)(apply)


def make(_: Interpreter, call: Call) -> Value:
    """Return a layer object."""
    short = call.name.rpartition(".")[2]
    if short in LAYERS:
        check_made(call, short)
    made = LibraryObject(f"keras.layers.{short}", call.args, dict(call.keywords), call.place)
    return Value(made, merged(*call.args, *call.keywords.values()) | {call.place})


def apply(interpreter: Interpreter, call: Call) -> Value:
    """Return what calling a layer gives; calls on symbolic tensors are recorded."""
    layer = call.receiver.data if call.receiver is not None else None
    inputs = call.given(0, "inputs", "x", "input", "query")
    if not isinstance(layer, LibraryObject) or inputs is None or layer.short not in LAYERS:
        return call.unknown()
    return recorded(call, LAYERS[layer.short].rule(interpreter, layer, inputs, call))


def tensors(value: Value) -> Iterable[Value]:
    """Yield the arrays in nested lists, tuples and dictionaries."""
    data = value.data
    if isinstance(data, Array):
        yield value
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from tensors(item)
    elif isinstance(data, dict):
        for item in data.values():
            yield from tensors(item)


def symbolic(call: Call) -> bool:
    """Return whether a call has a tensor of a functional model among its arguments."""
    given = (*call.args, *call.keywords.values())
    return any(isinstance(t.data, Symbolic) for value in given for t in tensors(value))


def recorded(call: Call, output: Value) -> Value:
    """Return a layer's output with its call kept, where it was called on symbolic tensors."""
    if not symbolic(call):
        return output
    parts = items(output)
    if parts is not None:
        kept = [_recorded(call, part, i) for i, part in enumerate(parts)]
        return Value(kept if isinstance(output.data, list) else tuple(kept), output.origins)
    return _recorded(call, output, None)


def _recorded(call: Call, output: Value, part: int | None) -> Value:
    data = output.data
    if not isinstance(data, Array):
        if output.known:
            return output
        data = Array(None, None, "tensorflow")
    kept = Symbolic(
        data.shape,
        data.dtype,
        data.library,
        layer=call.receiver,
        inputs=call.args,
        keywords=call.keywords,
        part=part,
    )
    return Value(kept, output.origins)


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


def transposed(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the shape after a transposed convolution (Keras, "Conv2DTranspose")."""
    first = channels_first(layer)
    if first is None or option(layer, "output_padding") is not None:
        return None
    spatial = shape[2:] if first else shape[1:-1]
    remember(layer, shape[1] if first else shape[-1], shape)
    count, kind = len(spatial), text(option(layer, "padding"), "valid")
    kernels = each(option(layer, "kernel_size"), count)
    strides = each(option(layer, "strides"), count, Value(1))
    dilations = each(option(layer, "dilation_rate"), count, Value(1))
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


# --- layers that need more than a shape -------------------------------------------------------


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


def vectorize(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return the numbers of a text's words: a row of them for each text."""
    data, length = arrays.array(inputs), layer.keywords.get("output_sequence_length")
    mode = layer.keywords.get("output_mode")
    if data is None or data.shape is None or (mode is not None and mode.data != "int"):
        return result(layer, None, inputs)
    width = dim(UNKNOWN if size(length) is None else size(length), layer, length)
    first = data.shape[:-1] if len(data.shape) > 1 and size(data.shape[-1]) == 1 else data.shape
    output = result(layer, (*first, width), inputs)
    if isinstance(output.data, Array):
        output.data.dtype = "int64"
    return output


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
define("TextVectorization", vectorize, parameters="max_tokens standardize split ngrams output_mode")
define("Lambda", call_function, parameters="function output_shape mask arguments")
define(
    "Hashing CategoryEncoding Discretization StackedRNNCells SpectralNormalization "
    "LSTMCell GRUCell SimpleRNNCell",
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
    return apply(interpreter, Call(short, call.args[:1], {}, call.place, made))


def batchless(given: Value | None, layer: LibraryObject | None, place: Origin) -> Shape | None:
    """Return a shape argument (without the batch) as dimensions; None in it is unknown."""
    parts = items(given)
    if parts is None:
        if given is None or size(given) is None:
            return None
        parts = (given,)
    return tuple(Value(UNKNOWN if size(p) is None else p.data, p.origins | {place}) for p in parts)


def input_tensor(shape: Shape | None, dtype: str | None, first: Value, origins: Origins) -> Value:
    """Return the symbolic tensor of a model's input."""
    whole = None if shape is None else (first, *shape)
    return Value(Symbolic(whole, dtype, "tensorflow"), origins)


@MODELS.function(*spellings("Input", "layers.Input", "engine.Input"))
def make_input(_: Interpreter, call: Call) -> Value:
    """Return a symbolic input; its first axis is the batch."""
    dtype = text(call.given(2, "dtype"), "float32")
    batch = call.keywords.get("batch_shape") or call.keywords.get("batch_input_shape")
    origins = merged(*call.args, *call.keywords.values()) | {call.place}
    if batch is not None:
        whole = batchless(batch, None, call.place)
        if not whole:
            return input_tensor(None, dtype, Value(UNKNOWN), origins)
        return input_tensor(whole[1:], dtype, whole[0], origins)
    given = call.given(0, "shape")
    if given is not None and size(given) is not None:
        raise Raised("type", "Cannot convert an int to a shape: `shape` must be a tuple", given)
    first = call.given(1, "batch_size")
    start = Value(UNKNOWN) if size(first) is None or first is None else first
    return input_tensor(batchless(given, None, call.place), dtype, start, origins)


@MODELS.function(*spellings("layers.InputLayer", "InputLayer"))
def make_input_layer(interpreter: Interpreter, call: Call) -> Value:
    """Return a model's input layer as its symbolic tensor."""
    names = {"input_shape": "shape"}
    keywords = {names.get(k, k): v for k, v in call.keywords.items()}
    return make_input(interpreter, Call(call.name, call.args, keywords, call.place))


def stated_input(layer: LibraryObject) -> Value | None:
    """Return the symbolic input that a model's first layer states by ``input_shape`` and others."""
    keywords = layer.keywords
    batch = keywords.get("batch_input_shape")
    shape: Shape | None = None
    first = Value(UNKNOWN)
    if batch is not None:
        whole = batchless(batch, layer, layer.made)
        if whole:
            first, shape = whole[0], whole[1:]
    elif "input_shape" in keywords:
        if size(keywords["input_shape"]) is not None:
            given = keywords["input_shape"]
            raise Raised("type", "`input_shape` must be a tuple, not a number", given)
        shape = batchless(keywords["input_shape"], layer, layer.made)
    elif "input_dim" in keywords and layer.short != "Embedding":
        shape = batchless(keywords["input_dim"], layer, layer.made)
        if shape is not None and LAYERS[layer.short].family == "Recurrent":
            length = keywords.get("input_length")
            shape = (length if size(length) is not None and length else Value(UNKNOWN), *shape)
    elif "input_length" in keywords and layer.short == "Embedding":
        shape = batchless(keywords["input_length"], layer, layer.made)
    if shape is None:
        return None
    return input_tensor(shape, None, first, frozenset({layer.made}))


@MODELS.object(*spellings("Layer", "layers.Layer"))
def call_own_layer(interpreter: Interpreter, call: Call) -> Value:
    """Return what a workspace layer's ``call`` gives, after its ``build``."""
    receiver = call.receiver
    if receiver is None or not isinstance(receiver.data, Instance):
        return call.unknown()
    owner = receiver.data
    build = member(owner.cls, "build")
    if build is not None and "_built" not in owner.attributes:
        owner.attributes["_built"] = Value(True)
        given = arrays.array(call.args[0]) if call.args else None
        if given is not None and given.shape is not None:
            shape = Value(given.shape, merged(*given.shape))
            interpreter.call(Value(BoundMethod(build, receiver)), (shape,), {}, call.place)
        elif build.node.args.args[1:]:
            interpreter.call(Value(BoundMethod(build, receiver)), (unknown(),), {}, call.place)
    function = member(owner.cls, "call")
    if function is None:
        return call.unknown()
    bound = Value(BoundMethod(function, receiver))
    return recorded(call, interpreter.call(bound, call.args, dict(call.keywords), call.place))


@MODELS.method("Layer", "add_weight")
@MODELS.method("Model", "add_weight")
def add_weight(_: Interpreter, call: Call) -> Value:
    """Return a weight of a shape, which is given first (Keras 3) or after the name (Keras 2)."""
    given = call.keywords.get("shape")
    if given is None:
        given = next((a for a in call.args[:2] if items(a) is not None), None)
    shape = batchless(given, None, call.place)
    dtype = text(call.keywords.get("dtype"), "float32")
    return Value(Array(shape, dtype, "tensorflow"), merged(*call.args) | {call.place})


@MODELS.function(*(f"{prefix}ops.matmul" for prefix in PREFIXES), "keras.backend.dot")
def matrix_product(_: Interpreter, call: Call) -> Value:
    """Return a matrix product."""
    a, b = arrays.array(call.given(0, "x1")), arrays.array(call.given(1, "x2"))
    if a is None or b is None:
        return call.unknown()
    dtype = a.dtype if a.dtype == b.dtype else None
    return Value(Array(arrays.matmul(a, b), dtype, "tensorflow"), merged(*call.args))
