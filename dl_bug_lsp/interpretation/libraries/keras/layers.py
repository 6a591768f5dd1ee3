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
    Lazy,
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
    named: Value | None = None


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
    layer = call.held
    inputs = call.given(0, "inputs", "x", "input", "query")
    if layer is None or inputs is None or layer.short not in LAYERS:
        return call.unknown()
    inputs = told(inputs)
    output = LAYERS[layer.short].rule(interpreter, layer, inputs, call)
    layer.state.setdefault("_inputs", inputs)
    if "value" in call.keywords or len(call.args) > 1:
        layer.state.setdefault("_value", call.given(1, "value") or unknown(inputs))
    made = recorded(call, output)
    if made is not output:
        layer.state.setdefault("_output", made)
    return made


MOST_TOLD = 64
"""Items of an outline of a list up to which they are told one by one."""


def told(value: Value) -> Value:
    """Return a list whose items are alike as one that has each of them."""
    data = value.data
    count = size(data.length) if isinstance(data, Lazy) and not data.others else None
    if not isinstance(data, Lazy) or count is None or not 0 < count <= MOST_TOLD:
        return value
    return Value([data.item] * count, value.origins)


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
    made = _input_of(call)
    if isinstance(made.data, Symbolic):
        made.data.named = call.given(4, "name")
    return made


def _input_of(call: Call) -> Value:
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
