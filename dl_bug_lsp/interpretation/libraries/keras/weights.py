"""What Keras's layers and models hold: variables with their shapes, names, parts, settings.

Models that a program saves and loads again hold the same. Sources: the layers' reference in the
Keras API documentation, ``Layer.build`` of each, and "Model saving & serialization APIs".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

import dl_bug_lsp.interpretation.libraries.keras.applications
import dl_bug_lsp.interpretation.libraries.keras.layer_rules
import dl_bug_lsp.interpretation.libraries.keras.preprocessing  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.keras.layers import (
    LAYERS,
    Shape,
    Symbolic,
    add_weight,
    batchless,
    each,
    flag,
    items,
    option,
    spellings,
    tensors,
)
from dl_bug_lsp.interpretation.libraries.keras.models import OPTIMIZER_CLASSES
from dl_bug_lsp.interpretation.libraries.tensorflow.variables import Variable
from dl_bug_lsp.interpretation.model_helpers import text_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model, state_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Instance,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MODEL_KINDS = ("Sequential", "Model")
NO_PARTS = frozenset(["_built", "_loss", "_metrics", "_optimizer"])
"""What the interpretation keeps among the attributes of an object of the program."""
DEEPEST = 8
MOST_LAYERS = 2_000


@dataclass(frozen=True, slots=True)
class Held:
    """A variable of a layer: its name in it, its shape, and whether it is one that is trained."""

    name: str
    shape: Shape
    is_trained: bool = True


Holding: TypeAlias = Callable[[LibraryObject, Shape], "list[Held] | None"]


def _one(layer: LibraryObject, name: str) -> Value | None:
    """Return an option that is a known whole number."""
    given = option(layer, name)
    return given if size(given) is not None else None


def _product(*parts: Value) -> Value:
    return arrays.product(parts)


def _biased(layer: LibraryObject) -> bool | None:
    return flag(option(layer, "use_bias"), default=True)


def _with_bias(layer: LibraryObject, held: list[Held], count: Value) -> list[Held] | None:
    biased = _biased(layer)
    if biased is None:
        return None
    return [*held, Held("bias", (count,))] if biased else held


def _dense(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    units = _one(layer, "units")
    if units is None:
        return None
    return _with_bias(layer, [Held("kernel", (shape[-1], units))], units)


def _kernel(layer: LibraryObject, shape: Shape) -> Shape | None:
    """Return the spatial sizes of a kernel; None where the channels are not the last axis."""
    channels = option(layer, "data_format")
    if channels is not None and channels.data != "channels_last":
        return None
    return each(option(layer, "kernel_size"), len(shape) - 2)


def _convolution(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    kernel, filters = _kernel(layer, shape), _one(layer, "filters")
    groups = option(layer, "groups")
    count = 1 if groups is None else size(groups)
    channels = size(shape[-1])
    if kernel is None or filters is None or not count:
        return None
    inner = shape[-1]
    if count > 1:
        inner = Value(UNKNOWN if channels is None else channels // count, shape[-1].origins)
    return _with_bias(layer, [Held("kernel", (*kernel, inner, filters))], filters)


def _transposed(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    kernel, filters = _kernel(layer, shape), _one(layer, "filters")
    if kernel is None or filters is None:
        return None
    return _with_bias(layer, [Held("kernel", (*kernel, filters, shape[-1]))], filters)


def _depthwise(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    kernel, times = _kernel(layer, shape), option(layer, "depth_multiplier") or Value(1)
    if kernel is None or size(times) is None:
        return None
    name = "depthwise_kernel"
    kernels = [Held(name, (*kernel, shape[-1], times))]
    return _with_bias(layer, kernels, _product(shape[-1], times))


def _separable(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    kernel, times = _kernel(layer, shape), option(layer, "depth_multiplier") or Value(1)
    filters = _one(layer, "filters")
    if kernel is None or size(times) is None or filters is None:
        return None
    ones = tuple(Value(1) for _ in kernel)
    parts = [
        Held("depthwise_kernel", (*kernel, shape[-1], times)),
        Held("pointwise_kernel", (*ones, _product(shape[-1], times), filters)),
    ]
    return _with_bias(layer, parts, filters)


def _along(layer: LibraryObject, shape: Shape) -> Value | None:
    """Return the size of the one axis that a layer normalizes."""
    axis = option(layer, "axis")
    parts = items(axis)
    if parts is not None:
        axis = parts[0] if len(parts) == 1 else Value(UNKNOWN)
    at = arrays.axis_of(-1 if axis is None else axis, len(shape))
    return None if at is None else shape[at]


def _normalizing(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    along = _along(layer, shape)
    scaled, centred = flag(option(layer, "scale"), True), flag(option(layer, "center"), True)
    if along is None or scaled is None or centred is None or "rms_scaling" in layer.keywords:
        return None
    held = [Held("gamma", (along,))] if scaled else []
    if centred and layer.short != "RMSNormalization":
        held.append(Held("beta", (along,)))
    if layer.short == "BatchNormalization":
        held.append(Held("moving_mean", (along,), is_trained=False))
        held.append(Held("moving_variance", (along,), is_trained=False))
    return held


_GATES = {"LSTM": 4, "CuDNNLSTM": 4, "GRU": 3, "SimpleRNN": 1}


def _recurrent(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    units, biased = _one(layer, "units"), _biased(layer)
    gates = _GATES.get(layer.short)
    if units is None or biased is None or gates is None or layer.short.startswith("CuDNN"):
        return None
    wide = _product(units, Value(gates))
    held = [Held("kernel", (shape[-1], wide)), Held("recurrent_kernel", (units, wide))]
    if not biased:
        return held
    apart = flag(option(layer, "reset_after"), True) if layer.short == "GRU" else False
    if apart is None:
        return None
    return [*held, Held("bias", (Value(2), wide) if apart else (wide,))]


def _embedding(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    del shape
    rows, width = _one(layer, "input_dim"), _one(layer, "output_dim")
    return None if rows is None or width is None else [Held("embeddings", (rows, width))]


def _attending(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    heads, wide = _one(layer, "num_heads"), _one(layer, "key_dim")
    deep = _one(layer, "value_dim") or wide
    biased = _biased(layer)
    value = arrays.array(layer.state.get("_value"))
    given = option(layer, "value_dim")
    if given is not None and given.data is not None and size(given) is None:
        return None
    if heads is None or wide is None or deep is None or biased is None or not shape:
        return None
    if value is None or not value.shape:
        return None
    if option(layer, "output_shape") is not None or "attention_axes" in layer.keywords:
        return None
    held: list[Held] = []
    sources = (("query", shape[-1], wide), ("key", value.shape[-1], wide))
    for name, inner, outer in (*sources, ("value", value.shape[-1], deep)):
        held.append(Held(f"{name}_kernel", (inner, heads, outer)))
        held.extend([Held(f"{name}_bias", (heads, outer))] if biased else [])
    held.append(Held("output_kernel", (heads, deep, shape[-1])))
    return [*held, Held("output_bias", (shape[-1],))] if biased else held


def _none(layer: LibraryObject, shape: Shape) -> list[Held] | None:
    del layer, shape
    return []


HOLDING: dict[str, Holding] = {
    "Dense": _dense,
    "Embedding": _embedding,
    "MultiHeadAttention": _attending,
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN"), _recurrent),
    **dict.fromkeys(
        ("BatchNormalization", "LayerNormalization", "GroupNormalization"), _normalizing
    ),
}
for _n in ("1D", "2D", "3D"):
    HOLDING[f"Conv{_n}"] = HOLDING[f"Convolution{_n}"] = _convolution
    HOLDING[f"Conv{_n}Transpose"] = _transposed
    HOLDING[f"DepthwiseConv{_n}"] = _depthwise
    HOLDING[f"SeparableConv{_n}"] = _separable
RANDOM = frozenset(
    [
        *(
            "Dropout",
            "AlphaDropout",
            "GaussianDropout",
            "GaussianNoise",
            "RandomFlip",
            "RandomCrop",
        ),
        *(
            "RandomRotation",
            "RandomZoom",
            "RandomContrast",
            "RandomBrightness",
            "RandomTranslation",
        ),
        *("SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"),
    ]
)
"""Layers with the state of a generator, which is a variable in Keras 3 but no weight."""
WITHOUT = RANDOM | {
    *("Flatten", "Reshape", "Permute", "RepeatVector", "Resizing", "CenterCrop", "Activation"),
    *("ActivityRegularization", "Masking", "ReLU", "LeakyReLU", "ELU", "Softmax", "Rescaling"),
    *("UnitNormalization", "Identity", "Concatenate", "Add", "Subtract", "Multiply", "Average"),
    *("Maximum", "Minimum", "Dot", "InputLayer"),
}
for _n in ("1D", "2D", "3D"):
    for _start in ("Max", "Average"):
        WITHOUT |= {f"{_start}Pooling{_n}", f"Global{_start}Pooling{_n}"}
    WITHOUT |= {f"MaxPool{_n}", f"AvgPool{_n}", f"GlobalMaxPool{_n}", f"GlobalAvgPool{_n}"}
    WITHOUT |= {f"UpSampling{_n}", f"ZeroPadding{_n}", f"Cropping{_n}"}
HOLDING |= dict.fromkeys(WITHOUT, _none)


# --- variables ------------------------------------------------------------------------------------


def held_by(layer: LibraryObject) -> list[Value] | None:
    """Return the variables of a layer in order, None where they, or its input, are not known."""
    known = layer.state.get("_variables")
    if known is not None:
        return list(known.data) if isinstance(known.data, list) else None
    found: list[Value] | None
    if layer.short in ("Bidirectional", "TimeDistributed"):
        found = _of_wrapper(layer)
    else:
        holding = HOLDING.get(layer.short)
        if holding is None:
            return None
        if holding is _none:
            return []
        data = arrays.array(layer.state.get("_inputs"))
        is_embedding = layer.short == "Embedding"
        if "_inputs" not in layer.state or (not is_embedding and (data is None or not data.shape)):
            return None
        shape = data.shape if data is not None and data.shape is not None else ()
        found = _made(layer, shape, holding)
    if found is not None:
        layer.state["_variables"] = Value(found)
    return found


def _made(layer: LibraryObject, shape: Shape, holding: Holding) -> list[Value] | None:
    held = holding(layer, shape)
    if held is None or "lora_rank" in layer.keywords:
        return None
    dtype = layer.keywords.get("dtype")
    kind = "float32" if dtype is None else dtype.data if dtype.data in _PLAIN_DTYPES else None
    made = []
    for part in held:
        variable = Variable(
            part.shape,
            kind if isinstance(kind, str) else None,
            "tensorflow",
            trainable=Value(part.is_trained),
            name=Value(part.name),
            keras=True,
        )
        made.append(Value(variable, merged(*part.shape) | {layer.made}))
    return made


_PLAIN_DTYPES = ("float32", "float64", "float16")


def _of_wrapper(layer: LibraryObject) -> list[Value] | None:
    """Return the variables of a layer that applies another one, twice for both directions."""
    inner = option(layer, "layer")
    data = None if inner is None else inner.data
    seen = arrays.array(layer.state.get("_inputs"))
    if not isinstance(data, LibraryObject) or seen is None or not seen.shape:
        return None
    holding = HOLDING.get(data.short)
    shape = seen.shape
    if holding is None or option(layer, "backward_layer") is not None:
        return None
    if layer.short == "TimeDistributed":
        return _made(data, (shape[0], *shape[2:]), holding)
    forwards = _made(data, shape, holding)
    backwards = _made(data, shape, holding)
    return None if forwards is None or backwards is None else [*forwards, *backwards]


def parts_of(value: Value | None) -> list[Value] | None:
    """Return the layers of a model in order, None where they are not all known."""
    data = None if value is None else value.data
    if isinstance(data, LibraryObject) and "application" not in data.state:
        if data.short == "Sequential":
            found = data.state.get("layers")
            return list(found.data) if found is not None and isinstance(found.data, list) else None
        if data.short == "Model":
            return _of_graph(data)
    return None


def _of_graph(model: LibraryObject) -> list[Value] | None:
    """Return the layers between the inputs and outputs of a functional model.

    Those of a chain are in order. Of others the order is not known here: None.
    """
    known = model.state.get("_layers")
    if known is not None:
        return list(known.data) if isinstance(known.data, list) else None
    found = graph_of(model)
    chain = found is not None and found[1]
    layers = found[0] if found is not None and chain else None
    model.state["_layers"] = unknown() if layers is None else Value(layers)
    return layers


def graph_of(model: LibraryObject) -> tuple[list[Value], bool] | None:
    """Return the layers of a functional model and whether they are one chain, None if not known."""
    inputs, outputs = model.state.get("inputs"), model.state.get("outputs")
    if inputs is None or outputs is None:
        return None
    starts = list(tensors(inputs))
    ends = {id(t.data) for t in starts}
    found: list[Value] = []
    seen: set[int] = set()
    waiting = list(tensors(outputs))
    is_chain = len(waiting) == 1 and len(starts) == 1
    while waiting:
        tensor = waiting.pop()
        data = tensor.data
        if id(data) in ends:
            continue
        if not isinstance(data, Symbolic) or data.layer is None or len(found) > MOST_LAYERS:
            return None
        before = [t for given in (*data.inputs, *data.keywords.values()) for t in tensors(given)]
        if not before:
            return None
        is_chain = is_chain and len(before) == 1
        if id(data.layer.data) in seen:
            is_chain = False
            continue
        seen.add(id(data.layer.data))
        found.insert(0, data.layer)
        waiting.extend(before)
    layers = [_input_layer(start) for start in starts]
    return [*layers, *found], is_chain


def _input_layer(start: Value) -> Value:
    data = start.data
    name = data.named if isinstance(data, Symbolic) else None
    keywords = {} if name is None else {"name": name}
    place = next(iter(start.origins), ("", 0))
    made = LibraryObject("keras.layers.InputLayer", (), keywords, place)
    made.state["_output"] = start
    return Value(made, start.origins)


def variables_of(
    value: Value | None, depth: int = 0, *, ordered: bool = True
) -> list[tuple[Value, bool | None]] | None:
    """Return the variables of a layer or model, each with whether it is trained.

    None where they are not all known. Whether a variable is trained is None where it depends on
    the order in which parts were frozen and thawed.
    """
    data = None if value is None else value.data
    if depth > DEEPEST or value is None:
        return None
    state = state_of(value) or {}
    own = state.get("trainable")
    given = data.keywords.get("trainable") if isinstance(data, LibraryObject) else None
    own = own or given
    found: list[tuple[Value, bool | None]] = []
    inner: list[Value] | None = []
    if isinstance(data, LibraryObject) and data.short in MODEL_KINDS:
        inner = parts_of(value)
        if inner is None and not ordered and "application" not in data.state:
            graph = graph_of(data) if data.short == "Model" else None
            inner = None if graph is None else graph[0]
    elif isinstance(data, LibraryObject):
        held = held_by(data) if data.short in LAYERS or data.short == "InputLayer" else None
        if held is None:
            return None
        found = [(v, getattr(getattr(v.data, "trainable", None), "data", None)) for v in held]
    elif isinstance(data, Instance):
        found, inner = _of_instance(data)
    else:
        return None
    if inner is None:
        return None
    for part in inner:
        variables = variables_of(part, depth + 1, ordered=ordered)
        if variables is None:
            return None
        found.extend(variables)
    if own is not None and own.data is True and any("trainable" in _state(p) for p in inner):
        # Setting it reaches all parts, which may have been set before or later.
        found = [(v, None) for v, _ in found]
    elif own is not None and own.data is not True:
        found = [(v, False if own.data is False else None) for v, _ in found]
    return found


def _state(value: Value) -> dict[str, Value]:
    return state_of(value) or {}


def _of_instance(data: Instance) -> tuple[list[tuple[Value, bool | None]], list[Value] | None]:
    """Return the variables of an object of the program and the layers and models in it."""
    own: list[tuple[Value, bool | None]] = []
    inner: list[Value] = []
    seen: set[int] = set()
    waiting = [v for name, v in data.attributes.items() if name not in NO_PARTS]
    while waiting:
        value = waiting.pop(0)
        part = value.data
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Variable) and not part.keras:
            return own, None  # Keras 2 counts them among the weights, Keras 3 does not.
        if isinstance(part, Variable):
            trained = None if part.trainable is None else part.trainable.data
            own.append((value, trained if isinstance(trained, bool) else None))
        elif isinstance(part, (list, tuple)) and len(part) < MOST_LAYERS:
            waiting[:0] = list(part)
        elif isinstance(part, dict):
            waiting[:0] = list(part.values())
        elif isinstance(part, LibraryObject):
            if part.short in LAYERS or part.short in MODEL_KINDS:
                inner.append(value)
            elif ".layers." in part.name or ".applications." in part.name or "hub" in part.name:
                return own, None
        elif isinstance(part, Instance):
            inner.append(value)
        elif part is UNKNOWN or type(part).__name__ == "Lazy":
            return own, None
    return own, inner


def _listed(call: Call, *, trained: bool | None) -> Value:
    """Return the variables of what an attribute belongs to as a list."""
    known = (state_of(call.receiver) or {}).get(call.name)
    if known is not None:
        return known
    found = variables_of(call.receiver)
    if found is None or call.receiver is None:
        return call.unknown()
    if trained is not None:
        if any(state is None for _, state in found):
            return call.unknown()
        found = [(v, state) for v, state in found if state is trained]
    return Value([v for v, _ in found], call.receiver.origins)


def _weights(_: Interpreter, call: Call) -> Value:
    return _listed(call, trained=None)


def _trained(_: Interpreter, call: Call) -> Value:
    return _listed(call, trained=True)


def _fixed(_: Interpreter, call: Call) -> Value:
    return _listed(call, trained=False)


def _get_weights(_: Interpreter, call: Call) -> Value:
    """Return the variables' numbers as arrays of NumPy."""
    found = variables_of(call.receiver)
    if found is None:
        return call.unknown()
    made = []
    for variable, _state in found:
        data = variable.data
        assert isinstance(data, Array)
        made.append(Value(Array(data.shape, data.dtype, "numpy"), variable.origins))
    return Value(made, merged(*made))


def _set_weights(_: Interpreter, call: Call) -> Value:
    """Check the shapes of what the variables are set to."""
    found, given = variables_of(call.receiver), items(call.given(0, "weights"))
    if found is None or given is None:
        return Value(None)
    if not found and not arrays.is_failing():
        # Layers that another model has built have their variables from there.
        return Value(None)
    if len(found) != len(given):
        sides = Value(len(given), merged(*given)), Value(len(found), merged(*(v for v, _ in found)))
        raise Raised("size", "the layer expects another number of weights", *sides)
    for (variable, _state), value in zip(found, given, strict=True):
        x, y = arrays.array(variable), arrays.array(value)
        if x is None or y is None or x.shape is None or y.shape is None:
            continue
        message = "Layer weight shape is not compatible with provided weight shape"
        if len(x.shape) != len(y.shape):
            sides = Value(len(y.shape), value.origins), Value(len(x.shape), variable.origins)
            raise Raised("size", message, *sides)
        for a, b in zip(y.shape, x.shape, strict=True):
            arrays.same(a, b, message)
    return Value(None)


def _count_params(_: Interpreter, call: Call) -> Value:
    """Return how many numbers the variables have."""
    found = variables_of(call.receiver, ordered=False)
    if found is None:
        return call.unknown()
    total = 0
    for variable, _state in found:
        data = arrays.array(variable)
        number = None if data is None or data.shape is None else size(arrays.product(data.shape))
        if number is None:
            return call.unknown()
        total += number
    return Value(total, merged(*(v for v, _ in found)))


def _variable(_: Interpreter, call: Call) -> Value:
    """Return a variable of a layer by its name."""
    layer = call.held
    if layer is None:
        return call.unknown()
    if call.name in layer.state:
        return layer.state[call.name]
    for variable in held_by(layer) or ():
        data = variable.data
        if isinstance(data, Variable) and data.name is not None and data.name.data == call.name:
            return variable
    is_biasless = call.name == "bias" and _biased(layer) is False
    return Value(None, frozenset({layer.made})) if is_biasless else call.unknown()


def _name(_: Interpreter, call: Call) -> Value:
    """Return the name that something was given; others are numbered as they are made."""
    state = state_of(call.receiver) or {}
    if "name" in state:
        return state["name"]
    given = call.held.keywords.get("name") if call.held is not None else None
    return call.unknown() if given is None or given.data is None else given


def _trainable(_: Interpreter, call: Call) -> Value:
    known = (state_of(call.receiver) or {}).get("trainable")
    given = call.held.keywords.get("trainable") if call.held is not None else None
    # A model that holds it may have been frozen as a whole.
    return known or given or call.unknown()


def _output(_: Interpreter, call: Call) -> Value:
    """Return what a layer gave, or was given, as a part of a model."""
    held = call.held
    if held is None:
        return call.unknown()
    key = "_inputs" if call.name.startswith("input") else "_output"
    found = held.state.get(key)
    data = None if found is None else arrays.array(found)
    if not isinstance(data, Symbolic) or found is None:
        return call.unknown()
    if not call.name.endswith("_shape"):
        return found
    if data.shape is None or any(size(d) is None for d in data.shape[1:]):
        return call.unknown()
    first = data.shape[0] if size(data.shape[0]) is not None else Value(None)
    return Value((first, *data.shape[1:]), found.origins)


def _build(interpreter: Interpreter, call: Call) -> Value:
    """Build a layer for inputs of a shape."""
    shape = batchless(call.given(0, "input_shape"), None, call.place)
    if call.held is not None and shape:
        held = Value(Array(shape, None, "tensorflow"), merged(*shape) | {call.place})
        call.held.state.setdefault("_inputs", held)
    del interpreter
    return Value(None)


def _unknown(_: Interpreter, call: Call) -> Value:
    known = (state_of(call.receiver) or {}).get(call.name)
    return call.unknown() if known is None else known


def _setting(_: Interpreter, call: Call) -> Value:
    """Return what a layer was made with, as it keeps it."""
    layer = call.held
    if layer is None:
        return call.unknown()
    if call.name in layer.state:
        return layer.state[call.name]
    given = option(layer, call.name)
    if given is None and call.name == "rate" and layer.args:
        given = layer.args[0]
    if given is None:
        default = DEFAULTS.get(call.name)
        return call.unknown() if default is None else Value(default, frozenset({layer.made}))
    plain = isinstance(given.data, (int, float, bool))
    if call.name in PER_AXIS:
        axes = LAYERS[layer.short].axes
        parts = each(given, axes - 2) if axes is not None else ()
        whole = parts and all(size(part) is not None for part in parts)
        return Value(tuple(parts), given.origins) if whole else call.unknown()
    return given if plain else call.unknown()


DEFAULTS: dict[str, object] = {
    "use_bias": True,
    "return_sequences": False,
    "return_state": False,
    "stateful": False,
    "go_backwards": False,
}
PLAIN_SETTINGS = frozenset(
    [
        *("units", "filters", "rate", "input_dim", "output_dim", "n", "num_heads", "key_dim"),
        *DEFAULTS,
    ]
)
PER_AXIS = frozenset(["kernel_size", "pool_size"])
OF_VARIABLES = (
    *("kernel", "bias", "recurrent_kernel", "embeddings", "gamma", "beta", "moving_mean"),
    *("moving_variance", "depthwise_kernel", "pointwise_kernel"),
)


def _of_all(kind: str, *, keeps_state: bool) -> None:
    """Register what layers and models have alike."""
    MODELS.attribute(kind, "weights")(_weights)
    MODELS.attribute(kind, "trainable_weights", "trainable_variables")(_trained)
    MODELS.attribute(kind, "non_trainable_weights")(_fixed)
    MODELS.attribute(kind, "variables")(_unknown if keeps_state else _weights)
    MODELS.attribute(kind, "non_trainable_variables")(_unknown if keeps_state else _fixed)
    MODELS.method(kind, "get_weights")(_get_weights)
    MODELS.method(kind, "set_weights")(_set_weights)
    MODELS.method(kind, "count_params")(_count_params)
    MODELS.attribute(kind, "name")(_name)
    MODELS.attribute(kind, "trainable")(_trainable)


for _short, _layer in LAYERS.items():
    _of_all(_short, keeps_state=_short in RANDOM)
    MODELS.attribute(_short, *OF_VARIABLES)(_variable)
    MODELS.attribute(_short, "input", "output", "input_shape", "output_shape")(_output)
    MODELS.attribute(_short, "activation", "built", "losses", "metrics")(_unknown)
    MODELS.method(_short, "build")(_build)
    for _given in _layer.parameters:
        if _given in PLAIN_SETTINGS or _given in PER_AXIS:
            MODELS.attribute(_short, _given)(_setting)
for _short in (
    "Dropout",
    "AlphaDropout",
    "GaussianDropout",
    "SpatialDropout1D",
    "SpatialDropout2D",
):
    MODELS.attribute(_short, "rate")(_setting)
for _kind in MODEL_KINDS:
    _of_all(_kind, keeps_state=True)
_of_all("Layer", keeps_state=True)
_of_all("InputLayer", keeps_state=False)
MODELS.attribute("InputLayer", "input", "output")(_output)


@MODELS.method("Layer", "add_weight", "add_variable")
@MODELS.method("Model", "add_weight", "add_variable")
def _add_weight(interpreter: Interpreter, call: Call) -> Value:
    """Return a variable of a shape; which numbers it holds may change."""
    made = add_weight(interpreter, call)
    data = arrays.array(made)
    trained = call.keywords.get("trainable") or Value(True)
    name = call.keywords.get("name")
    shape = None if data is None else data.shape
    dtype = None if data is None else data.dtype
    kept = Variable(shape, dtype, "tensorflow", trainable=trained, name=name, keras=True)
    return Value(kept, made.origins)


# --- parts of models ------------------------------------------------------------------------------


@MODELS.attribute("Model", "layers")
def _layers(_: Interpreter, call: Call) -> Value:
    found = parts_of(call.receiver)
    if found is None or call.receiver is None:
        return call.unknown()
    return Value(list(found), call.receiver.origins)


def _snake(name: str) -> str:
    """Return the name that Keras numbers for objects of a class."""
    plain = re.sub(r"\W+", "", name)
    plain = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", plain)
    return re.sub("([a-z])([A-Z])", r"\1_\2", plain).lower()


@MODELS.method("Sequential", "get_layer")
@MODELS.method("Model", "get_layer")
def _get_layer(_: Interpreter, call: Call) -> Value:
    """Return a layer by its name or number; raise where there is none.

    Names that are not given are numbered: one is found where only one layer can have it.
    """
    found = parts_of(call.receiver)
    name, index = call.given(0, "name"), call.given(1, "index")
    if found is None:
        graph = graph_of(call.held) if call.held is not None and name is not None else None
        is_made = call.held is not None and "application" in call.held.state
        found = None if graph is None or is_made else graph[0]
    if found is None:
        return call.unknown()
    if index is not None and index.data is not None:
        number = size(index)
        if number is None or not -len(found) <= number < len(found):
            return call.unknown()
        return found[number]
    if name is None or not isinstance(name.data, str):
        return call.unknown()
    unnamed: list[Value] = []
    for layer in found:
        data = layer.data
        own = data.keywords.get("name") if isinstance(data, LibraryObject) else None
        if own is not None and own.data == name.data:
            return layer
        if own is None or not isinstance(own.data, str):
            unnamed.append(layer)
    made = [v for v in unnamed if isinstance(v.data, LibraryObject)]
    fitting = [v for v in made if isinstance(v.data, LibraryObject) and _may_be(v.data, name.data)]
    if len(made) == len(unnamed) and not fitting:
        raise Raised("value", f"No such layer: {name.data}", name, unknown(*found[:8]))
    if len(made) == len(unnamed) and len(fitting) == 1:
        return fitting[0]
    return call.unknown()


ALIASES = ("MaxPool", "AvgPool", "GlobalMaxPool", "GlobalAvgPool", "Conv", "Deconv", "CuDNN")
"""How classes begin that have several names, or one that is not split as others are."""


def _may_be(layer: LibraryObject, name: str) -> bool:
    """Whether a layer without a given name may have a name."""
    stem = {"Model": "(functional|model)"}.get(layer.short, re.escape(_snake(layer.short)))
    is_other = layer.short not in LAYERS and layer.short not in (*MODEL_KINDS, "InputLayer")
    if is_other or "application" in layer.state or layer.short.startswith(ALIASES):
        return True
    if layer.short == "InputLayer":
        return name.startswith("input")
    return re.fullmatch(rf"{stem}(_\d+)?", name) is not None


@MODELS.function(*spellings("models.clone_model"))
def _clone(interpreter: Interpreter, call: Call) -> Value:
    """Return a model of new layers like those of another one; one of a chain of layers."""
    given = call.given(0, "model")
    layers = parts_of(given)
    data = None if given is None else given.data
    if layers is None or len(call.args) + len(call.keywords) > 1:
        return call.unknown()
    if not isinstance(data, LibraryObject) or data.short != "Sequential":
        return call.unknown()
    made = []
    for layer in layers:
        part = layer.data
        if not isinstance(part, LibraryObject) or part.short not in LAYERS:
            return call.unknown()
        kept = {"trainable": part.state["trainable"]} if "trainable" in part.state else {}
        again = LibraryObject(part.name, part.args, part.keywords, part.made, kept)
        made.append(Value(again, layer.origins))
    start = data.state.get("input")
    listed = [start, *made] if start is not None else made
    model = MODELS.functions["keras.Sequential"]
    asked = Call("keras.Sequential", (Value(listed),), {}, call.place)
    return model(interpreter, asked)


@MODELS.attribute("Sequential", "loss", "optimizer")
@MODELS.attribute("Model", "loss", "optimizer")
def _compiled(_: Interpreter, call: Call) -> Value:
    """Return the loss or the optimizer that a model was compiled with."""
    state = state_of(call.receiver) or {}
    if call.name in state:
        return state[call.name]
    found = state.get(f"_{call.name}")
    if found is None:
        return call.unknown()
    if call.name == "optimizer" and isinstance(found.data, str):
        named = {name.lower(): name for name in OPTIMIZER_CLASSES}.get(found.data.lower())
        if named is None:
            return call.unknown()
        made = LibraryObject(f"keras.optimizers.{named}", (), {}, call.place)
        state["optimizer"] = Value(made, found.origins)
        return state["optimizer"]
    return found


@MODELS.method("Sequential", "to_json", "get_config")
@MODELS.method("Model", "to_json", "get_config")
def _described(_: Interpreter, call: Call) -> Value:
    return call.unknown()


_name_before = MODELS.attributes["array", "name"]


@MODELS.attribute("array", "name")
def _name_of_tensor(interpreter: Interpreter, call: Call) -> Value:
    """Return the name that an input of a model was given."""
    data = arrays.array(call.receiver)
    if not isinstance(data, Symbolic):
        return _name_before(interpreter, call)
    is_given = data.named is not None and isinstance(data.named.data, str)
    return data.named if is_given and data.named is not None else call.unknown()


# --- optimizers -----------------------------------------------------------------------------------


def _rate(_: Interpreter, call: Call) -> Value:
    """Return the variable of a learning rate; a schedule gives another number at each step."""
    optimizer = call.held
    if optimizer is None:
        return call.unknown()
    given = optimizer.state.get(call.name)
    if given is None:
        asked = Call("", optimizer.args, optimizer.keywords, call.place)
        given = asked.given(0, "learning_rate", "lr")
    if given is not None and not isinstance(given.data, (int, float)):
        return call.unknown()
    made = Variable((), "float32", "tensorflow", name=Value("learning_rate"), keras=True)
    return Value(made, frozenset({optimizer.made}) if given is None else given.origins)


for _optimizer in OPTIMIZER_CLASSES:
    MODELS.attribute(_optimizer, "learning_rate", "lr")(_rate)
    MODELS.attribute(_optimizer, "iterations", "variables")(_unknown)


# --- what training has left -----------------------------------------------------------------------


@MODELS.attribute("History", "params", "epoch", "model")
def _of_history(_: Interpreter, call: Call) -> Value:
    """Return what ``fit`` was asked for, and the numbers of the epochs that it trained."""
    return call.state.get(call.name) or call.unknown()


# --- saving ---------------------------------------------------------------------------------------

SAVED: WeakKeyDictionary[Interpreter, dict[str, Value]] = WeakKeyDictionary()
"""The models that each program saved, by their paths."""
COMPILED = ("_loss", "_metrics", "_optimizer", "loss", "optimizer")


def _copied(value: Value) -> Value | None:
    """Return a model like another one, whose settings change by themselves."""
    data = value.data
    made = copy(data) if isinstance(data, (LibraryObject, Instance)) else None
    if isinstance(made, LibraryObject):
        made.state = dict(made.state)
        layers = made.state.get("layers")
        if layers is not None and isinstance(layers.data, list):
            made.state["layers"] = Value(list(layers.data), layers.origins)
    elif isinstance(made, Instance):
        made.attributes = dict(made.attributes)
    return None if made is None else Value(made, value.origins)


def _saving(before: Model) -> Model:
    """Return a model of ``save`` that keeps what was saved."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        path = text_of(call.given(0, "filepath"))
        kept = _copied(call.receiver) if call.receiver is not None else None
        if path is not None and kept is not None:
            SAVED.setdefault(interpreter, {})[path] = kept
        return before(interpreter, call)

    return run


for _kind in ("Sequential", "Model"):
    MODELS.method(_kind, "save")(_saving(MODELS.methods[_kind, "save"]))


@MODELS.function(*spellings("models.load_model", "saving.load_model"))
def _load(interpreter: Interpreter, call: Call) -> Value:
    """Return the model that the program saved under a path."""
    path = text_of(call.given(0, "filepath"))
    held = SAVED.get(interpreter, {}).get(path) if path is not None else None
    made = None if held is None else _copied(held)
    if made is None:
        return call.unknown()
    wanted = call.given(2, "compile")
    data = made.data
    state = data.state if isinstance(data, LibraryObject) else getattr(data, "attributes", {})
    if wanted is not None and wanted.data is not True:
        for name in COMPILED:
            state.pop(name, None)
    return Value(data, made.origins | {call.place})
