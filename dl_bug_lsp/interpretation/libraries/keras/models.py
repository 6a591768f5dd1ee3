"""Keras models: Sequential, functional and subclassed ones, their fitting, losses and utilities.

Sources: the "Models API" and "Losses" pages of the Keras documentation, and what Keras 3 raises.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.keras.layers import (
    LAYERS,
    Shape,
    Symbolic,
    apply,
    call_own_layer,
    flag,
    items,
    member,
    named,
    rank_value,
    recorded,
    shown,
    spellings,
    stated_input,
    tensors,
    text,
)
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import operand
from dl_bug_lsp.interpretation.model_helpers import fill_names, grown, make_object, nothing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model, state_of
from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    BoundMethod,
    FunctionValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    Origin,
    Raised,
    Table,
    Unknown,
    Value,
    merged,
    refused_axes,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

SEQUENTIAL = "keras.Sequential"
FUNCTIONAL = "keras.Model"
KINDS = ("Sequential", "Model")
BATCH = 32
"""The batch size of ``fit`` where none is given (Keras, "Model training APIs")."""
MAX_EPOCHS = 10_000
MOST_TOLD = 1_000
"""Epochs up to which their numbers are told one by one."""

LOSSES = {
    "categorical_crossentropy": "categorical",
    "categorical_focal_crossentropy": "categorical",
    "sparse_categorical_crossentropy": "sparse",
    "binary_crossentropy": "binary",
    "bce": "binary",
    "binary_focal_crossentropy": "binary",
    "mean_squared_error": "elementwise",
    "mse": "elementwise",
    "mean_absolute_error": "elementwise",
    "mae": "elementwise",
    "mean_absolute_percentage_error": "elementwise",
    "mape": "elementwise",
    "mean_squared_logarithmic_error": "elementwise",
    "msle": "elementwise",
    "huber": "elementwise",
    "log_cosh": "elementwise",
    "logcosh": "elementwise",
    "hinge": "elementwise",
    "squared_hinge": "elementwise",
    "categorical_hinge": "elementwise",
    "poisson": "elementwise",
    "kl_divergence": "elementwise",
    "kld": "elementwise",
    "kullback_leibler_divergence": "elementwise",
    "cosine_similarity": "elementwise",
    "cosine_proximity": "elementwise",
    "ctc": "",
    "circle": "",
    "dice": "",
    "tversky": "",
}
"""Losses by name, with how their targets are compared with a model's output."""
FULL_NAMES = {
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
    "kld": "kl_divergence",
    "logcosh": "log_cosh",
}
"""The names of functions that have a short one as well."""
OPTIMIZER_CLASSES = (
    *("Adadelta", "Adafactor", "Adagrad", "Adam", "Adamax", "AdamW", "Ftrl", "Lion", "Muon"),
    *("Nadam", "RMSprop", "SGD"),
)
OPTIMIZERS = frozenset(name.lower() for name in OPTIMIZER_CLASSES)
RECORDING = frozenset(["ReduceLROnPlateau", "LearningRateScheduler", "LambdaCallback"])
"""Callbacks that add keys to a history."""


def _plain_name(name: str) -> str:
    """Return a class's name as Keras makes a metric's or loss's name of it (snake case)."""
    plain = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    return plain.lstrip("_").replace("_a_u_c", "auc").replace("a_u_c", "auc")


def loss_kind(loss: Value) -> str | None:
    """Return how a loss compares targets with outputs, None where that is not known."""
    data = loss.data
    if isinstance(data, str):
        name = data if data.islower() else _plain_name(data)
        return LOSSES.get(name, LOSSES.get(data.lower()))
    if isinstance(data, LibraryObject):
        return LOSSES.get(_plain_name(data.short)) if ".losses." in data.name else None
    if isinstance(data, Library):
        last = data.name.rpartition(".")[2]
        return LOSSES.get(last) or LOSSES.get(_plain_name(last))
    return None


# --- targets ------------------------------------------------------------------------------------


def ranks_made_equal(a: Shape, b: Shape) -> tuple[Shape, Shape]:
    """Return two shapes after Keras dropped or added a last axis of one."""
    if len(a) == len(b) + 1 and size(a[-1]) == 1:
        return (a, (*b, Value(1))) if len(b) == 1 else (a[:-1], b)
    if len(b) == len(a) + 1 and size(b[-1]) == 1:
        return ((*a, Value(1)), b) if len(a) == 1 else (a, b[:-1])
    return a, b


def check_loss(loss: Value, target: Value, output: Value) -> None:
    """Raise where a loss refuses its targets: other sizes, or labels beyond the outputs."""
    kind, y, p = loss_kind(loss), arrays.array(target), arrays.array(output)
    if kind and y is not None and y.dtype in ("string", "object") and _is_of_texts(y):
        raise Raised("type", "Cast string to float is not supported", target, loss)
    if not kind or y is None or p is None or y.shape is None or p.shape is None or not p.shape:
        return
    if kind == "sparse":
        _check_labels(y, p, target, output, loss)
        return
    a, b = ranks_made_equal(y.shape, p.shape)
    both = f"Received: target.shape={shown(a)}, output.shape={shown(b)}"
    if kind in {"categorical", "binary"}:
        if len(a) != len(b):
            raise Raised(
                "size",
                f"Arguments `target` and `output` must have the same rank (ndim). {both}",
                rank_value(a, target),
                rank_value(b, output),
                loss,
            )
        for x, z in zip(a[1:], b[1:], strict=True):
            if size(x) is not None and size(z) is not None and size(x) != size(z):
                raise Raised(
                    "size",
                    f"Arguments `target` and `output` must have the same shape. {both}",
                    x,
                    z,
                    loss,
                )
        return
    if len(a) == len(b):
        a, b = a[1:], b[1:]
    arrays.broadcast(a, b)


def _is_of_texts(y: Array) -> bool:
    """Whether an array is known to hold texts."""
    cells = y.cells if isinstance(y, Series) else None
    return y.dtype == "string" or bool(cells and all(isinstance(cell, str) for cell in cells))


def _check_labels(y: Array, p: Array, target: Value, output: Value, loss: Value) -> None:
    """Raise where class numbers do not fit the outputs' axes or their number."""
    if y.shape is None or not p.shape:
        return
    labels = y.shape
    if len(labels) == len(p.shape) and size(labels[-1]) == 1:
        labels = labels[:-1]
    if len(labels) == len(p.shape) and size(labels[-1]) is None:
        return
    if len(labels) != len(p.shape) - 1:
        if len(p.shape) > 1 or not labels:
            raise Raised(
                "size",
                "Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
                f"target.shape={shown(labels)}, output.shape={shown(p.shape)}",
                rank_value(labels, target),
                rank_value(p.shape, output),
                loss,
            )
        return
    for x, z in zip(labels[1:], p.shape[1:-1], strict=True):
        arrays.same(x, z, "target and output must have the same shape except for the last axis")
    classes = p.shape[-1]
    count = size(classes)
    if count is None:
        return
    for bound in (y.highest, y.lowest):
        is_there = y.attained or arrays.is_failing()
        if bound is not None and is_there and not 0 <= bound < count:
            raise Raised(
                "index",
                f"Received a label value of {bound} which is outside the valid range of "
                f"[0, {count})",
                Value(bound, target.origins),
                classes,
                loss,
            )


# --- data ---------------------------------------------------------------------------------------


def as_array(value: Value | None) -> Value | None:
    """Return data given to ``fit`` as an array; raise for dtypes that Keras does not take."""
    if value is None or value.data is None:
        return None
    data = value.data
    if isinstance(data, Table):
        for column, dtype in data.columns.items():
            if dtype in {"object", "str", "string"}:
                named_column = Value(column, data.origins_of.get(column, NOWHERE) | value.origins)
                raise Raised("type", "Invalid dtype: object", named_column, value)
        width = Value(len(data.columns), value.origins)
        return Value(Array((data.rows, width), None), value.origins)
    if isinstance(data, Array) and data.dtype == "object":
        raise Raised("type", "Invalid dtype: object", value)
    if isinstance(data, list) and data and not any(True for _ in tensors(value)):
        numbers = [i.data for i in data[:4]]
        if all(isinstance(n, (int, float)) for n in numbers):
            raise Raised("type", "Unrecognized data type: <class 'list'>", value)
    return value


def batch_of(value: Value | None, count: Value) -> Value | None:
    """Return data with its first axis cut to one batch; containers part by part."""
    if value is None:
        return None
    data = value.data
    if isinstance(data, Array):
        if data.shape is None or not data.shape:
            return value
        first = Value(count.data, merged(count, data.shape[0]))
        dtype = "float32" if data.dtype == "float64" else data.dtype
        cut = Array((first, *data.shape[1:]), dtype, "tensorflow")
        cut.lowest, cut.highest = data.lowest, data.highest
        return Value(cut, value.origins)
    if isinstance(data, (list, tuple)):
        parts = [batch_of(item, count) or item for item in data]
        return Value(parts if isinstance(data, list) else tuple(parts), value.origins)
    if isinstance(data, dict):
        return Value({k: batch_of(v, count) or v for k, v in data.items()}, value.origins)
    return value


def samples(*values: Value | None) -> Value:
    """Return the number of samples of arrays; raise where they differ."""
    count: Value | None = None
    for value in values:
        for tensor in tensors(value) if value is not None else ():
            data = tensor.data
            if isinstance(data, Array) and data.shape and size(data.shape[0]) is not None:
                if count is None:
                    count = data.shape[0]
                else:
                    arrays.same(
                        count,
                        data.shape[0],
                        "Data cardinality is ambiguous. Make sure all arrays contain the same "
                        f"number of samples. 'x' sizes: {size(count)}, 'y' sizes: "
                        f"{size(data.shape[0])}",
                    )
    return count or Value(UNKNOWN)


def batches(x: Value | None, y: Value | None, batch: Value | None) -> list[Value]:
    """Return the sizes of a whole batch and of the last, smaller one."""
    count = samples(x, y)
    number = size(count)
    wanted = batch if batch is not None and batch.data is not None else Value(BATCH)
    each = size(wanted)
    if number is None or each is None or each < 1:
        return [Value(UNKNOWN, merged(count, wanted))]
    sizes = [Value(min(number, each), merged(count, wanted))]
    if number > each and number % each:
        sizes.append(Value(number % each, merged(count, wanted)))
    return sizes


def first_item(interpreter: Interpreter, value: Value) -> Value | None:
    """Return one batch of a dataset, generator or sequence of batches, None where not known."""
    data = value.data
    if isinstance(data, Lazy):
        return data.item
    if isinstance(data, Instance):
        function = member(data.cls, "__getitem__")
        if function is None:
            return None
        bound = Value(BoundMethod(function, value))
        return interpreter.call(bound, (Value(0),), {}, (data.cls.file, data.cls.node.lineno))
    if isinstance(data, LibraryObject):
        items_found = interpreter.iterate(value)
        if isinstance(items_found, Lazy):
            return items_found.item
        if isinstance(items_found, list):
            return items_found[0] if items_found else None
    return None


def last_item(interpreter: Interpreter, value: Value) -> Value | None:
    """Return the last batch of a sequence of batches of the program, None where not known.

    It may be a smaller one, and an empty one where the sequence says that it has one more.
    """
    data = value.data
    function = member(data.cls, "__getitem__") if isinstance(data, Instance) else None
    counting = member(data.cls, "__len__") if isinstance(data, Instance) else None
    if function is None or counting is None or not isinstance(data, Instance):
        return None
    place = (data.cls.file, data.cls.node.lineno)
    count = interpreter.call(Value(BoundMethod(counting, value)), (), {}, place)
    number = size(count)
    if number is None or number < 2:
        return None
    index = Value(number - 1, count.origins)
    return interpreter.call(Value(BoundMethod(function, value)), (index,), {}, place)


# --- models -------------------------------------------------------------------------------------


@MODELS.function(*spellings("Sequential", "models.Sequential", "engine.sequential.Sequential"))
def make_sequential(interpreter: Interpreter, call: Call) -> Value:
    """Return a sequential model; its layers are applied at once where its input is known."""
    model = LibraryObject(SEQUENTIAL, call.args, dict(call.keywords), call.place)
    model.state["layers"] = Value([])
    value = Value(model, merged(*call.args) | {call.place})
    given = call.given(0, "layers")
    if given is not None and given.data is not None:
        parts = items(given)
        if parts is None:
            if isinstance(given.data, LibraryObject):
                raise Raised("type", f"'{given.data.short}' object is not iterable", given)
            model.state["layers"] = unknown(given)
            return value
        for part in parts:
            _append(interpreter, model, part, call.place)
    return value


@MODELS.method("Sequential", "add")
def add_layer(interpreter: Interpreter, call: Call) -> Value:
    """Append a layer; it is applied at once where the model's input is known."""
    model = call.held
    layer = call.given(0, "layer")
    if model is not None and layer is not None:
        _append(interpreter, model, layer, call.place)
    return Value(None)


def _append(interpreter: Interpreter, model: LibraryObject, layer: Value, place: Origin) -> None:
    state = model.state
    layers = state["layers"].data
    if not isinstance(layers, list) or not layer.known:
        state["layers"] = unknown(layer)
        state.pop("output", None)
        return
    if isinstance(layer.data, Symbolic) and not layers:
        state["input"] = state["output"] = layer
        return
    made = layer.data
    if not layers and "input" not in state:
        stated = None
        if isinstance(made, LibraryObject):
            layer_class = made.short in LAYERS
            stated = stated_input(made) if layer_class else made.state.get("input")
        if stated is not None:
            state["input"] = state["output"] = stated
    layers.append(layer)
    if "output" in state:
        state["output"] = interpreter.call(layer, (state["output"],), {}, place)


@MODELS.method("Sequential", "pop")
def drop_layer(_: Interpreter, call: Call) -> Value:
    """Drop the last layer."""
    model = call.held
    if model is not None:
        layers = model.state["layers"].data
        model.state.pop("output", None)
        if isinstance(layers, list) and layers:
            last = layers.pop()
            before = layers[-1].data if layers else None
            if isinstance(before, LibraryObject) and "_output" in before.state:
                model.state["output"] = before.state["_output"]
            return last if isinstance(last, Value) else call.unknown()
    return call.unknown()


@MODELS.object(*spellings("Sequential", "models.Sequential"))
def call_sequential(interpreter: Interpreter, call: Call) -> Value:
    """Return what a sequential model's layers give, one after the other."""
    model = call.receiver.data if call.receiver is not None else None
    given = call.given(0, "inputs", "x")
    if isinstance(model, Instance):
        return call_model(interpreter, call)
    if not isinstance(model, LibraryObject) or given is None:
        return call.unknown()
    layers = model.state["layers"].data
    if not isinstance(layers, list):
        return call.unknown()
    stated = model.state.get("input")
    output = _fitted_rank(model, given, stated)
    if stated is None and (before := model.state.get(BUILT_FOR)) is not None:
        with suppress(Raised):
            output = _fitted_rank(model, given, before)
    first = output
    for layer in layers:
        output = interpreter.call(layer, (output,), {}, call.place)
    if stated is None:
        model.state.setdefault(BUILT_FOR, first)
    return recorded(call, output)


BUILT_FOR = "built for"
"""What the first input of a sequential model was that states none: later ones get its axes."""


def _fitted_rank(model: LibraryObject, given: Value, stated: Value | None) -> Value:
    """Return an input with a last axis of 1 dropped or added as the model's input has it."""
    data, wanted = arrays.array(given), arrays.array(stated)
    if data is None or wanted is None or data.shape is None or wanted.shape is None:
        return given
    shape: Shape = data.shape
    if len(shape) == len(wanted.shape) + 1 and size(shape[-1]) == 1:
        shape = shape[:-1]
    elif len(shape) == len(wanted.shape) - 1 and size(wanted.shape[-1]) == 1:
        shape = (*shape, Value(1, given.origins))
    elif len(shape) != len(wanted.shape):
        raise Raised(
            "size",
            f"Invalid input shape for input. Expected shape {shown(wanted.shape)}, but input has "
            f"incompatible shape {shown(shape)}",
            rank_value(shape, given),
            rank_value(wanted.shape, *(() if stated is None else (stated,))),
        )
    if shape is data.shape:
        return given
    kept = Array(shape, data.dtype, data.library)
    kept.lowest, kept.highest = data.lowest, data.highest
    return Value(kept, given.origins)


@MODELS.function(*spellings("Model", "models.Model", "engine.training.Model", "Functional"))
def make_model(_: Interpreter, call: Call) -> Value:
    """Return a functional model of symbolic inputs and outputs."""
    inputs = call.given(0, "inputs", "input")
    outputs = call.given(1, "outputs", "output")
    model = LibraryObject(FUNCTIONAL, call.args, dict(call.keywords), call.place)
    for name in ("input", "output"):
        if name in call.keywords:
            raise Raised(
                "arguments",
                f"Model got an unexpected keyword argument '{name}'",
                Value(name, frozenset({call.place})),
            )
    if (inputs is None) is not (outputs is None):
        lacking = "Layer.__init__() takes 1 positional argument but 2 were given"
        if not call.args:
            lacking = f"Unrecognized keyword arguments passed to Model: {list(call.keywords)}"
        raise Raised("arguments", lacking, inputs or outputs or call.unknown())
    if inputs is not None and outputs is not None:
        model.state["inputs"], model.state["outputs"] = inputs, outputs
        model.state["input"], model.state["output"] = inputs, outputs
    return Value(model, merged(*call.args, *call.keywords.values()) | {call.place})


@MODELS.object(*spellings("Model", "models.Model"))
def call_model(interpreter: Interpreter, call: Call) -> Value:
    """Return what a functional model's recorded layers, or a subclassed model's ``call``, give."""
    model = call.receiver.data if call.receiver is not None else None
    given = call.given(0, "inputs", "x")
    if isinstance(model, Instance):
        return call_own_layer(interpreter, call)
    if not isinstance(model, LibraryObject) or given is None:
        return call.unknown()
    inputs, outputs = model.state.get("inputs"), model.state.get("outputs")
    if inputs is None or outputs is None:
        return call.unknown()
    given = _by_name(model, inputs, given)
    wanted, parts = list(tensors(inputs)), list(tensors(given))
    if len(wanted) != len(parts) or not wanted:
        return call.unknown()
    _check_order(parts, wanted, call.place)
    fitted = [_fitted(model, p, w) for p, w in zip(parts, wanted, strict=True)]
    replay = Replay(interpreter, wanted, fitted, call.place)
    return recorded(call, replay.all(outputs))


def _by_name(model: LibraryObject, inputs: Value, given: Value) -> Value:
    """Return a dictionary of inputs in the order in which a functional model states them.

    Raises where an input has no data (Keras, ``Functional._standardize_inputs``).
    """
    if not isinstance(given.data, dict):
        return given
    names: list[object] = []
    if isinstance(inputs.data, dict):
        names = list(inputs.data)
    else:
        for stated in tensors(inputs):
            own = stated.data.named if isinstance(stated.data, Symbolic) else None
            names.append(own.data if own is not None and isinstance(own.data, str) else None)
    if not names or None in names:
        return given
    for name in names:
        if name not in given.data:
            unasked = [value for key, value in given.data.items() if key not in names]
            message = f'Missing data for input "{name}"'
            raise Raised("value", message, unknown(*unasked, given), unknown(inputs))
    result = [given.data[name] for name in names]
    if isinstance(inputs.data, dict):
        return Value(dict(zip(names, result, strict=True)), given.origins)
    return Value(result, given.origins)


MOST_INPUTS = 6


def _check_order(parts: list[Value], wanted: list[Value], place: Origin) -> None:
    """Raise where inputs do not fit a model's in their order, and do in another one."""
    if not 2 <= len(parts) <= MOST_INPUTS:
        return
    given = [arrays.array(part) for part in parts]
    stated = [arrays.array(item) for item in wanted]
    if all(_may_fit(x, z) for x, z in zip(given, stated, strict=True)):
        return
    for order in itertools.permutations(given):
        if all(_may_fit(x, z) for x, z in zip(order, stated, strict=True)):
            arrays.note_reason(place, "these fit the model's inputs in another order")
            sides = [p for p, x, z in zip(parts, given, stated, strict=True) if not _may_fit(x, z)]
            raise Raised(
                "size", "the inputs are in another order", Value(None, frozenset({place})), *sides
            )


def _may_fit(given: Array | None, stated: Array | None) -> bool:
    """Whether the sizes of an input after the batch may be those that a model states."""
    if given is None or stated is None or given.sizes is None or stated.sizes is None:
        return True
    own, other = given.sizes[1:], stated.sizes[1:]
    return len(own) == len(other) and all(
        a == b or a is None or b is None for a, b in zip(own, other, strict=True)
    )


def _fitted(model: LibraryObject, given: Value, stated: Value) -> Value:
    """Return a functional model's input; raise where a size differs from the stated one."""
    inputs = _fitted_rank(model, given, stated)
    data, wanted = arrays.array(inputs), arrays.array(stated)
    if wanted is not None and (data is None or data.shape is None):
        arrays.unlike(wanted.shape or (), given, "the input is incompatible with the layer")
    if data is not None and wanted is not None and data.shape and wanted.shape:
        message = (
            f'Input 0 of layer "{named(model)}" is incompatible with the layer: expected '
            f"shape={shown(wanted.shape)}, found shape={shown(data.shape)}"
        )
        _check_rank(message, arrays.array(given), data, wanted)
        for x, z in zip(data.shape[1:], wanted.shape[1:], strict=False):
            arrays.same(x, z, message)
    return inputs


def _check_rank(message: str, given: Array | None, fitted: Array, wanted: Array) -> None:
    """Raise where an input has an axis too many or too few, and without or with it does not fit."""
    if given is None or given.shape is None or wanted.shape is None:
        return
    own, count = len(given.shape), len(wanted.shape)
    if own != count and not _may_fit(fitted, wanted):
        # Batches are made last: of too many axes the first ones are those that were added.
        shape = given.shape[: own - count] if own > count else given.shape
        stated = Value(count, merged(*wanted.shape))
        raise refused_axes(message, rank_value(shape), own, stated)


class Replay:
    """The layers of a functional model, called again on other inputs.

    Where an operation between layers was not recorded, the output's recorded shape is taken with
    the dimensions that it shares with an input replaced.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        inputs: list[Value],
        given: list[Value],
        place: Origin,
    ) -> None:
        self.interpreter = interpreter
        self.place = place
        self.done = {id(w.data): g for w, g in zip(inputs, given, strict=True)}
        self.dims: dict[int, Value] = {}
        self.calls: dict[tuple[int, int], Value] = {}
        for w, g in zip(inputs, given, strict=True):
            a, b = arrays.array(w), arrays.array(g)
            if a is not None and b is not None and a.shape and b.shape:
                for x, z in zip(a.shape, b.shape, strict=False):
                    self.dims.setdefault(id(x), z)

    def all(self, value: Value) -> Value:
        """Return outputs, nested as they were stated."""
        data = value.data
        if isinstance(data, (list, tuple)):
            parts = [self.all(item) for item in data]
            return Value(parts if isinstance(data, list) else tuple(parts), value.origins)
        if isinstance(data, dict):
            return Value({k: self.all(v) for k, v in data.items()}, value.origins)
        return self.one(value)

    def one(self, value: Value) -> Value:
        """Return one tensor."""
        data = value.data
        if not isinstance(data, Array):
            return value
        if id(data) in self.done:
            return self.done[id(data)]
        result: Value | None = None
        if isinstance(data, Symbolic) and data.layer is not None and self._reaches(data):
            key = (id(data.layer.data), id(data.inputs))
            if key not in self.calls:
                self.calls[key] = self.interpreter.call(
                    data.layer,
                    tuple(self.all(v) for v in data.inputs),
                    {k: self.all(v) for k, v in data.keywords.items()},
                    self.place,
                )
            result = self.calls[key]
            if data.part is not None:
                parts = items(result)
                result = parts[data.part] if parts and data.part < len(parts) else None
        if result is None:
            result = self._replaced(value, data)
        self.done[id(data)] = result
        return result

    def _replaced(self, value: Value, data: Array) -> Value:
        if data.shape is None:
            return value
        shape = tuple(self.dims.get(id(d), d) for d in data.shape)
        return Value(Array(shape, data.dtype, data.library), value.origins)

    def _reaches(self, data: Symbolic) -> bool:
        """Return whether each of a call's tensors is recorded."""
        given = (*data.inputs, *data.keywords.values())
        return all(
            isinstance(t.data, Symbolic) or id(t.data) in self.done
            for v in given
            for t in tensors(v)
        )


# --- compile and fit --------------------------------------------------------------------------


def compile_model(_: Interpreter, call: Call) -> Value:
    """Keep a model's loss and metrics; raise for names that Keras does not know."""
    state = state_of(call.receiver)
    loss, optimizer = call.given(1, "loss"), call.given(0, "optimizer")
    metrics = call.given(3, "metrics") or call.keywords.get("metrics")
    if len(call.args) > 2 and "metrics" not in call.keywords:
        metrics = None
    for given in items(loss) or (loss,):
        if given is not None and isinstance(given.data, str) and loss_kind(given) is None:
            raise Raised("value", f"Could not interpret loss identifier: {given.data}", given)
    if optimizer is not None and isinstance(optimizer.data, str):
        name = optimizer.data.lower()
        if name not in OPTIMIZERS:
            raise Raised(
                "value", f"Could not interpret optimizer identifier: {optimizer.data}", optimizer
            )
    if state is not None:
        state.pop("optimizer", None)
        state.pop("loss", None)
        state["_loss"] = loss or Value(None)
        state["_metrics"] = metrics or Value(None)
        state["_optimizer"] = optimizer or Value(None)
        if len(call.args) > 2 or "weighted_metrics" in call.keywords:
            state["_metrics"] = unknown(*call.args)
    return Value(None)


def metric_names(receiver: Value | None) -> list[str] | None:
    """Return the names of a compiled model's metrics, None where they are not all known."""
    state = state_of(receiver)
    given = state.get("_metrics") if state is not None else None
    if given is None:
        return None
    if given.data is None:
        return []
    names = []
    for metric in items(given) or (given,):
        data = metric.data
        if isinstance(data, str):
            names.append(data)
        elif isinstance(data, LibraryObject):
            name = text(data.keywords.get("name"), _plain_name(data.short))
            if name is None or data.args:
                return None
            names.append(name)
        elif isinstance(data, FunctionValue) and hasattr(data.node, "name"):
            names.append(data.node.name)
        elif isinstance(data, Library) and data.short.islower() and ".keras." in f".{data.name}":
            names.append(FULL_NAMES.get(data.short, data.short))
        else:
            return None
    return names


def forward(interpreter: Interpreter, model: Value, x: Value, place: Origin) -> Value:
    """Return a model's output for a batch."""
    return interpreter.call(model, (x,), {}, place)


def train_step(
    interpreter: Interpreter, model: Value, x: Value, y: Value | None, place: Origin
) -> Value:
    """Run a model on one batch and compare its output with the targets."""
    if isinstance(model.data, Instance):
        own = member(model.data.cls, "train_step")
        if own is not None:
            data = Value((x, y)) if y is not None else x
            return interpreter.call(Value(BoundMethod(own, model)), (data,), {}, place)
    output = forward(interpreter, model, x, place)
    state = state_of(model)
    loss = state.get("_loss") if state is not None else None
    if loss is not None and y is not None:
        by_name = named_outputs(model, output)
        if by_name is not None and (isinstance(loss.data, dict) or isinstance(y.data, dict)):
            compare_by_name(interpreter, loss, y, by_name, place)
        else:
            compare(interpreter, loss, y, output, place)
    return output


def named_outputs(model: Value, output: Value) -> dict[str, Value] | None:
    """Return a functional model's outputs by name, None where a name is not known.

    The name of an output is its key, or the name of the layer that makes it.
    """
    if isinstance(output.data, dict):
        return {str(name): value for name, value in output.data.items()}
    stated = (state_of(model) or {}).get("output")
    if stated is None:
        return None
    if isinstance(stated.data, dict):
        given = items(output)
        names = [Value(name, stated.origins) for name in stated.data]
    else:
        given = items(output) or (output,)
        names = [_layer_name(value) for value in items(stated) or (stated,)]
    texts = [name.data for name in names if isinstance(name.data, str)]
    if given is None or not len(texts) == len(given) == len(names):
        return None
    pairs = zip(texts, given, names, strict=True)
    return {text: Value(v.data, v.origins | name.origins) for text, v, name in pairs}


def _layer_name(tensor: Value) -> Value:
    layer = tensor.data.layer if isinstance(tensor.data, Symbolic) else None
    if layer is None or not isinstance(layer.data, LibraryObject):
        return Value(UNKNOWN)
    return layer.data.keywords.get("name", Value(UNKNOWN))


def compare_by_name(
    interpreter: Interpreter, loss: Value, y: Value, outputs: dict[str, Value], place: Origin
) -> None:
    """Check the targets against the outputs of a model, where losses or targets have names.

    Raises `Raised` for a name that no output has ("Model training APIs" of Keras).
    """
    for given, what in ((loss, "loss"), (y, "y")):
        for name, own in given.data.items() if isinstance(given.data, dict) else ():
            if isinstance(name, str) and name not in outputs:
                message = f"Expected keys {sorted(outputs)} in {what} dict"
                stated = Value(name, given.origins | own.origins)
                raise Raised("key", message, stated, unknown(*outputs.values()))
    numbers = {name: number for number, name in enumerate(outputs)}

    def part(of: Value, name: str) -> Value | None:
        if isinstance(of.data, dict):
            return of.data.get(name)
        parts = items(of)
        if parts is not None:
            return parts[numbers[name]] if len(parts) == len(outputs) else None
        return of if len(outputs) == 1 or of is loss else None

    for name, output in outputs.items():
        own, target = part(loss, name), part(y, name)
        if own is not None and target is not None and own.data is not None:
            compare(interpreter, own, target, output, place)


def compare(interpreter: Interpreter, loss: Value, y: Value, output: Value, place: Origin) -> None:
    """Check the targets against the outputs, one loss or one for each output."""
    outputs, targets, losses = items(output), items(y), items(loss)
    if outputs is not None:
        if targets is None or len(targets) != len(outputs):
            return
        each = losses if losses is not None else (loss,) * len(outputs)
        if isinstance(loss.data, dict) or len(each) != len(outputs):
            return
        for loss_of_output, target, out in zip(each, targets, outputs, strict=True):
            compare(interpreter, loss_of_output, target, out, place)
        return
    if losses is not None:
        if len(losses) != 1:
            return
        loss = losses[0]
    if isinstance(loss.data, (FunctionValue, BoundMethod)):
        given = arrays.array(y)
        if given is not None:
            y = Value(Array(given.shape, None, "tensorflow"), y.origins)
        interpreter.call(loss, (y, output), {}, place)
        return
    check_loss(loss, y, output)


def stated_output(interpreter: Interpreter, call: Call, targets: Value | None) -> None:
    """Compare targets with the output that a model states, where its data is not known."""
    state = state_of(call.receiver) or {}
    loss, output = state.get("_loss"), state.get("output")
    if loss is None or output is None or targets is None:
        return
    compare(interpreter, loss, targets, output, call.place)


def over_batches(
    interpreter: Interpreter, call: Call, x: Value, y: Value | None, batch: Value | None
) -> Value | None:
    """Run a model on a whole batch and on a smaller last one; return the first output."""
    model = call.receiver
    if model is None:
        return None
    elements = x.data.state.get("item", Value(None)) if isinstance(x.data, LibraryObject) else x
    known = any(True for _ in tensors(elements))
    inputs = (state_of(model) or {}).get("inputs", Value(None))
    for stated in () if known else tensors(inputs):
        if isinstance(stated.data, Array):
            arrays.unlike(stated.data.shape or (), x, "the input is incompatible with the layer")
    if y is None or y.data is None:
        first_batch = first_item(interpreter, x)
        if first_batch is not None:
            parts = first_batch.data if isinstance(first_batch.data, (tuple, list)) else None
            if parts is None:
                return train_step(interpreter, model, first_batch, None, call.place)
            if not 2 <= len(parts) <= 3:
                return None
            given, targets = as_array(parts[0]), as_array(parts[1])
            if given is None:
                return None
            output = train_step(interpreter, model, given, targets, call.place)
            last_item(interpreter, x)
            return output
        if not known and not isinstance(x.data, Table):
            return None
    given, targets = as_array(x), as_array(y)
    if given is None:
        return None
    if not any(True for _ in tensors(given)) and isinstance(given.data, Unknown):
        stated_output(interpreter, call, targets)
        return None
    first_output: Value | None = None
    for count in batches(given, targets, batch):
        cut = batch_of(given, count) or given
        output = train_step(interpreter, model, cut, batch_of(targets, count), call.place)
        first_output = first_output or output
    return first_output


def fit(interpreter: Interpreter, call: Call) -> Value:
    """Run a model on its training and validation data; return the history with its keys."""
    x, y = call.given(0, "x", "generator"), call.given(1, "y")
    if call.name == "fit_generator":
        y = None
    batch = call.given(2, "batch_size") if call.name == "fit" else None
    if x is None:
        return call.unknown()
    bind_optimizer(call)
    over_batches(interpreter, call, x, y, batch)
    validation = call.keywords.get("validation_data")
    if validation is not None and validation.data is not None:
        parts = validation.data if isinstance(validation.data, (tuple, list)) else None
        if parts is None:
            over_batches(interpreter, call, validation, None, batch)
        elif 2 <= len(parts) <= 3:
            over_batches(interpreter, call, parts[0], parts[1], batch)
    return history(call)


def bind_optimizer(call: Call) -> None:
    """Build a model's optimizer for its variables; raise where it was built for other ones.

    An optimizer is built once, for the variables that are trained at the first training that it
    takes part in (Keras, ``Optimizer.build``). A model that shares a layer with that one may be
    known to it, but not what was frozen then.
    """
    held = (state_of(call.receiver) or {}).get("_optimizer")
    optimizer = held.data if held is not None else None
    if held is None or not isinstance(optimizer, LibraryObject):
        return
    parts = parts_with_variables(call.receiver)
    if "_built" not in optimizer.state:
        known = unknown(held) if parts is None else Value([Value((a, Value(b))) for a, b in parts])
        optimizer.state["_built"] = known
        return
    built = {}
    for part in items(optimizer.state["_built"]) or ():
        layer, frozen = items(part) or (part, part)
        built[id(layer.data)] = frozen.data is True
    if not parts or not built:
        return
    is_other = built.keys().isdisjoint(id(layer.data) for layer, _ in parts)
    is_thawed = any(built.get(id(layer.data)) and not frozen for layer, frozen in parts)
    if is_other or is_thawed:
        whose = "of another model" if is_other else "that were trained before"
        message = f"Unknown variable: the optimizer was originally built with those {whose}"
        raise Raised("value", message, Value(optimizer, frozenset({optimizer.made})))


MOST_PARTS = 400


def parts_with_variables(model: Value | None) -> list[tuple[Value, bool]] | None:
    """Return the layers of a model and of models inside it, each with whether it is frozen.

    None where some of them may lack.
    """
    found: dict[int, tuple[Value, bool]] = {}
    seen: set[int] = set()
    waiting = [(model, False)] if model is not None else []
    while waiting:
        part, frozen = waiting.pop()
        data = part.data
        if id(data) in seen:
            continue
        seen.add(id(data))
        if len(seen) > MOST_PARTS:
            return None
        state = state_of(part) or {}
        frozen = frozen or state.get("trainable", part).data is False
        if isinstance(data, Symbolic):
            waiting.extend((value, frozen) for value in data.inputs)
            waiting.extend([(data.layer, frozen)] if data.layer is not None else ())
        elif isinstance(data, LibraryObject) and ("layers" in state or "output" in state):
            inner = items(state["layers"]) if "layers" in state else None
            outputs = list(tensors(state.get("output", Value(None))))
            if inner is None and not outputs:
                return None
            waiting.extend((value, frozen) for value in (*(inner or ()), *outputs))
        elif isinstance(data, LibraryObject) and data.short in LAYERS:
            found[id(data)] = (part, frozen)
        elif isinstance(data, Instance):
            found[id(data)] = (part, frozen)
            waiting.extend((value, frozen) for value in data.attributes.values() if value.known)
    return list(found.values())


def history(call: Call) -> Value:
    """Return the object that ``fit`` gives; its ``history`` has a list for each metric."""
    names = metric_names(call.receiver)
    made = LibraryObject("keras.callbacks.History", (), {}, call.place)
    own = call.receiver is not None and isinstance(call.receiver.data, Instance)
    callbacks = items(call.keywords.get("callbacks")) if "callbacks" in call.keywords else ()
    adds = callbacks is None or any(
        not isinstance(c.data, LibraryObject) or c.data.short in RECORDING for c in callbacks
    )
    _call_back(callbacks or ())
    state = state_of(call.receiver) or {}
    many = items(state.get("output")) is not None
    if names is None or adds or many or (own and not _plain_training(call.receiver)):
        made.state["history"] = unknown()
    else:
        keys = ["loss", *names]
        if "validation_data" in call.keywords or "validation_split" in call.keywords:
            keys += [f"val_{key}" for key in keys]
        epochs = size(call.given(3, "epochs")) if "epochs" in call.keywords else 1
        early = any(isinstance(c.data, LibraryObject) for c in callbacks or ())
        known = epochs is not None and not early and 0 <= epochs <= MAX_EPOCHS
        given = state.get("_metrics") or Value(None)
        where = merged(given, *(items(given) or ())) | {call.place}
        length = Value(epochs if known else UNKNOWN, where)
        each = arrays.number("float64", Value(None, where))
        lists = {key: Value(Lazy(each, length), where) for key in keys}
        made.state["history"] = Value(lists, where)
        if known and isinstance(epochs, int) and epochs <= MOST_TOLD:
            made.state["epoch"] = Value([Value(number, where) for number in range(epochs)], where)
    if call.receiver is not None:
        made.state["model"] = call.receiver
    made.state["params"] = _asked(call)
    return Value(made, frozenset({call.place}))


def _asked(call: Call) -> Value:
    """Return what a history tells of a training that was asked for."""
    where = frozenset({call.place})
    epochs = call.given(3, "epochs") or Value(1)
    count = samples(call.given(0, "x", "generator"), call.given(1, "y"))
    batch = call.given(2, "batch_size")
    number, each = size(count), BATCH if batch is None or batch.data is None else size(batch)
    is_whole = number is not None and each and "validation_split" not in call.keywords
    steps = -(-number // each) if is_whole and number is not None and each else UNKNOWN
    if call.keywords.keys() & {"steps_per_epoch", "initial_epoch"} or call.name != "fit":
        return Value(UNKNOWN, where)
    verbose = Value(UNKNOWN, where)
    entries = {"verbose": verbose, "epochs": epochs, "steps": Value(steps, where)}
    return Value(entries, where)


def _call_back(callbacks: Iterable[Value]) -> None:
    """Let the lists that callbacks fill while a model is trained have items that are not known."""
    for callback in callbacks:
        data = callback.data
        if isinstance(data, Instance):
            for name, held in data.attributes.items():
                if isinstance(held.data, list):
                    data.attributes[name] = grown(held)
        elif isinstance(data, LibraryObject):
            for hook in (*data.args, *data.keywords.values()):
                fill_names(hook.data)


def _plain_training(receiver: Value | None) -> bool:
    """Return whether a subclassed model is trained by Keras's own step."""
    if receiver is None or not isinstance(receiver.data, Instance):
        return False
    return member(receiver.data.cls, "train_step") is None


@MODELS.attribute("History", "history")
def history_dict(_: Interpreter, call: Call) -> Value:
    """Return the lists of a history by name."""
    data = call.held
    if data is not None and "history" in data.state:
        return data.state["history"]
    return call.unknown()


def number(*parts: Value) -> Value:
    """Return a floating number that is not known."""
    return Value(Array((), "float32", "numpy"), merged(*parts))


def evaluate(interpreter: Interpreter, call: Call) -> Value:
    """Run a model on data; return its loss, with the metrics where it has any."""
    x, y = call.given(0, "x", "generator"), call.given(1, "y")
    if x is None:
        return call.unknown()
    output = over_batches(interpreter, call, x, y, call.given(2, "batch_size"))
    if output is not None and isinstance(output.data, (list, tuple, dict)):
        return call.unknown()  # There are losses for each output then.
    names = metric_names(call.receiver)
    told = by_name(call, names)
    if told is not None:
        return told
    if names is None or flag(call.keywords.get("return_dict")) is not False:
        return call.unknown()
    where = Value(None, frozenset({call.place}))
    if not names:
        return number(where)
    return Value([number(where) for _ in range(len(names) + 1)], where.origins)


def by_name(call: Call, names: list[str] | None) -> Value | None:
    """Return numbers by the names of a loss and metrics where they are asked for so."""
    asked = call.keywords.get("return_dict")
    state = state_of(call.receiver) or {}
    if asked is None or asked.data is not True or names is None or len(set(names)) < len(names):
        return None
    if items(state.get("output")) is not None:
        return None
    where = Value(None, frozenset({call.place}))
    return Value({name: number(where) for name in ("loss", *names)}, where.origins)


def predict(interpreter: Interpreter, call: Call) -> Value:
    """Return a model's outputs for all samples as NumPy arrays."""
    model, given = call.receiver, call.given(0, "x", "generator")
    if model is None or given is None:
        return call.unknown()
    first_batch = first_item(interpreter, given)
    if first_batch is not None:
        parts = items(first_batch)
        forward(interpreter, model, parts[0] if parts else first_batch, call.place)
        last_item(interpreter, given)
        return call.unknown()
    x = as_array(given)
    if x is None or not any(True for _ in tensors(x)):
        return call.unknown()
    first_output = None
    for count in batches(x, None, call.given(1, "batch_size")):
        output = forward(interpreter, model, batch_of(x, count) or x, call.place)
        first_output = first_output or output
    if first_output is None:
        return call.unknown()
    whole = batch_of(first_output, samples(x)) or first_output
    for tensor in tensors(whole):
        if isinstance(tensor.data, Array):
            tensor.data.library = "numpy"
    return whole


def one_batch(interpreter: Interpreter, call: Call) -> Value:
    """Run a model on one batch as it is given."""
    model, x, y = call.receiver, as_array(call.given(0, "x")), as_array(call.given(1, "y"))
    if model is None or x is None:
        return call.unknown()
    if call.name == "predict_on_batch":
        return forward(interpreter, model, x, call.place)
    samples(x, y)
    output = train_step(interpreter, model, x, y, call.place)
    if isinstance(output.data, (list, tuple, dict)):
        return call.unknown()
    names = metric_names(model)
    told = by_name(call, names)
    if told is not None:
        return told
    if names is None or flag(call.keywords.get("return_dict")) is not False:
        return call.unknown()
    where = Value(None, frozenset({call.place}))
    return Value([number(where) for _ in range(len(names) + 1)]) if names else number(where)


def build(interpreter: Interpreter, call: Call) -> Value:
    """Run a sequential model's layers on an input of the given shape."""
    model, given = call.receiver, items(call.given(0, "input_shape"))
    if model is not None and given and isinstance(model.data, LibraryObject):
        shape = tuple(Value(UNKNOWN if size(d) is None else d.data, d.origins) for d in given)
        made = Value(Symbolic(shape, None, "tensorflow"), frozenset({call.place}))
        if model.data.short == "Sequential":
            model.data.state["input"] = made
        model.data.state["output"] = forward(interpreter, model, made, call.place)
    return Value(None)


def model_layers(_: Interpreter, call: Call) -> Value:
    """Return a sequential model's layers."""
    state = state_of(call.receiver) or {}
    return state.get("layers") or call.unknown()


def model_end(_: Interpreter, call: Call) -> Value:
    """Return a model's symbolic input or output; with the plural name they are a list."""
    state = state_of(call.receiver) or {}
    found = state.get(call.name.removesuffix("s"))
    if found is None:
        return call.unknown()
    return Value(list(tensors(found)), found.origins) if call.name.endswith("s") else found


def model_shape(_: Interpreter, call: Call) -> Value:
    """Return the shape of a model's input or output, the batch being None."""
    state = state_of(call.receiver) or {}
    held = state.get(call.name.partition("_")[0])
    parts = items(held)
    if held is None or isinstance(held.data, dict):
        return call.unknown()
    if parts is not None:
        return Value([_stated_shape(part) for part in parts], held.origins)
    return _stated_shape(held)


def _stated_shape(tensor: Value) -> Value:
    data = arrays.array(tensor)
    if data is None or data.shape is None or any(size(d) is None for d in data.shape[1:]):
        return unknown(tensor)
    first = Value(None) if size(data.shape[0]) is None else data.shape[0]
    return Value((first, *data.shape[1:]), merged(*data.shape))


def _filled(run: Model) -> Model:
    """Refuse data without any sample: Keras then has no batch to return anything of."""

    def refusing(interpreter: Interpreter, call: Call) -> Value:
        given = as_array(call.given(0, "x", "generator"))
        for tensor in tensors(given) if given is not None else ():
            data = tensor.data
            if isinstance(data, Array) and data.shape and size(data.shape[0]) == 0:
                raise Raised("empty", "the data holds no sample", data.shape[0])
        return run(interpreter, call)

    return refusing


for _kind in KINDS:
    MODELS.method(_kind, "compile")(compile_model)
    MODELS.method(_kind, "fit", "fit_generator")(_filled(fit))
    MODELS.method(_kind, "evaluate", "evaluate_generator")(_filled(evaluate))
    MODELS.method(_kind, "predict", "predict_generator", "predict_proba")(_filled(predict))
    MODELS.method(_kind, "train_on_batch", "test_on_batch", "predict_on_batch")(one_batch)
    MODELS.method(_kind, "build")(build)
    MODELS.method(_kind, "summary", "save", "save_weights", "reset_states", "reset_metrics")(
        nothing
    )
    MODELS.attribute(_kind, "input", "output", "inputs", "outputs")(model_end)
    MODELS.attribute(_kind, "input_shape", "output_shape")(model_shape)


MODELS.attribute("Sequential", "layers")(model_layers)


# --- losses, optimizers and utilities ---------------------------------------------------------


def below(module: str, name: str) -> list[str]:
    """Return the dotted names of something of one of Keras's modules."""
    whole = (s for s in spellings(f"{module}.{name}") if f".{module}." in s)
    return [*whole, f"tensorflow.{module}.{name}", f"keras.{module}.legacy.{name}"]


def call_loss(_: Interpreter, call: Call) -> Value:
    """Return the number that a loss gives for targets and outputs; raise where they do not fit."""
    y, p = call.given(0, "y_true"), call.given(1, "y_pred")
    if y is None or p is None:
        return call.unknown()
    loss = call.receiver or Value(Library(call.name), frozenset({call.place}))
    check_loss(loss, y, p)
    data = operand(p)
    if call.receiver is None:
        shape = data.shape[:-1] if data is not None and data.shape else None
        is_single = data is not None and (data.dtype == "float32" or data is not p.data)
        return Value(Array(shape, "float32" if is_single else None, "tensorflow"), merged(y, p))
    reduction = call.held.keywords.get("reduction") if call.held is not None else None
    whole = reduction is None or reduction.data in ("sum_over_batch_size", "sum", "auto", "mean")
    return Value(Array(() if whole else None, "float32", "tensorflow"), merged(y, p))


_LOSS_CLASSES = {
    "".join(part.capitalize() for part in name.split("_")): name for name in LOSSES if "_" in name
}
_LOSS_CLASSES |= {"KLDivergence": "kl_divergence", "Huber": "huber", "Hinge": "hinge"}
for _class in (*_LOSS_CLASSES, "LogCosh", "Poisson"):
    MODELS.function(*below("losses", _class))(make_object)
    MODELS.object(*below("losses", _class))(call_loss)
for _loss in LOSSES:
    MODELS.function(*below("losses", _loss))(call_loss)


def make_optimizer(_: Interpreter, call: Call) -> Value:
    """Return an optimizer; raise for parameters that Keras 3 no longer takes, and for texts."""
    rate = call.given(0, "learning_rate")
    if rate is not None and isinstance(rate.data, str):
        raise Raised("value", "Argument `learning_rate` should be float", rate)
    if call.name.startswith(("keras.optimizers.", "tensorflow.keras.optimizers.")):
        for name in ("lr", "decay"):
            if name in call.keywords and ".legacy." not in call.name:
                raise Raised(
                    "arguments",
                    f"Argument(s) not recognized: {{'{name}'}}",
                    Value(name, call.keywords[name].origins | {call.place}),
                )
    return make_object(_, call)


for _name in OPTIMIZER_CLASSES:
    MODELS.function(*below("optimizers", _name))(make_optimizer)
for _name in ("EarlyStopping", "ModelCheckpoint", "ReduceLROnPlateau", "TensorBoard", "CSVLogger"):
    MODELS.function(*below("callbacks", _name))(make_object)


@MODELS.function(*spellings("utils.to_categorical", "utils.np_utils.to_categorical"))
def to_categorical(_: Interpreter, call: Call) -> Value:
    """Return one-hot rows; raise where a label is at or beyond ``num_classes``."""
    labels, classes = call.given(0, "x", "y"), call.given(1, "num_classes", "nb_classes")
    data, count = arrays.array(labels), size(classes)
    parts = items(labels)
    if data is None and labels is not None and parts and all(size(p) is not None for p in parts):
        numbers = [size(p) or 0 for p in parts]
        data = Array((Value(len(parts), labels.origins),), "int64")
        data.lowest, data.highest = min(numbers), max(numbers)
    if labels is None or data is None:
        return call.unknown()
    if data.dtype in {"object", "str"} or (data.dtype or "").startswith("<U"):
        raise Raised("value", "invalid literal for int() with base 10", labels)
    highest = data.highest
    if highest is not None and classes is not None and count is not None and highest >= count:
        raise Raised(
            "index",
            f"index {highest} is out of bounds for axis 1 with size {count}",
            Value(highest, labels.origins),
            classes,
        )
    width: Value
    if classes is not None and classes.data is not None:
        width = Value(UNKNOWN if count is None else count, classes.origins | {call.place})
    else:
        width = Value(UNKNOWN if highest is None else highest + 1, labels.origins | {call.place})
    shape = data.shape
    if shape is not None:
        shape = shape[:-1] if len(shape) > 1 and size(shape[-1]) == 1 else shape
        shape = (*shape, width)
    # Keras 2 gives float32, Keras 3 float64.
    result = Array(shape, None, "numpy", lowest=0, highest=1)
    return Value(result, merged(labels) | {call.place})


@MODELS.function(
    *spellings(
        "utils.pad_sequences",
        "preprocessing.sequence.pad_sequences",
        "preprocessing.pad_sequences",
    )
)
def pad_sequences(_: Interpreter, call: Call) -> Value:
    """Return sequences as one integer array of a common length."""
    sequences, length = call.given(0, "sequences"), call.given(1, "maxlen")
    if sequences is None:
        return call.unknown()
    count = Value(UNKNOWN, sequences.origins)
    data = sequences.data
    if isinstance(data, (list, tuple)):
        count = Value(len(data), sequences.origins)
    elif isinstance(data, Lazy):
        count = data.length
    elif isinstance(data, Array) and data.shape:
        count = data.shape[0]
    parts = [items(row) for row in data] if isinstance(data, (list, tuple)) else []
    longest: object = UNKNOWN
    if parts and all(p is not None for p in parts):
        longest = max(len(p or ()) for p in parts)
    number_of = size(length)
    width = Value(
        longest if length is None or length.data is None else number_of or UNKNOWN,
        merged(sequences, *(() if length is None else (length,))) | {call.place},
    )
    dtype = text(call.given(2, "dtype"), "int32")
    result = Array((count, width), dtype, "numpy")
    numbers = [size(n) for p in parts for n in p or ()]
    if numbers and None not in numbers:
        known = [n for n in numbers if n is not None]
        result.lowest, result.highest = min(0, *known), max(0, *known)
    return Value(result, merged(sequences) | {call.place})


DATASETS: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "mnist": ((60000, 28, 28), (60000,), (10000, 28, 28), (10000,)),
    "fashion_mnist": ((60000, 28, 28), (60000,), (10000, 28, 28), (10000,)),
    "cifar10": ((50000, 32, 32, 3), (50000, 1), (10000, 32, 32, 3), (10000, 1)),
    "cifar100": ((50000, 32, 32, 3), (50000, 1), (10000, 32, 32, 3), (10000, 1)),
    "boston_housing": ((404, 13), (404,), (102, 13), (102,)),
}
"""Shapes of the training and test parts of Keras's small data sets (Keras, "Datasets")."""
CLASSES = {"mnist": 10, "fashion_mnist": 10, "cifar10": 10, "cifar100": 100}


def load_data(_: Interpreter, call: Call) -> Value:
    """Return a data set's two pairs of arrays."""
    name = call.name.split(".")[-2]
    where = frozenset({call.place})
    classes = CLASSES.get(name)

    def part(shape: tuple[int, ...], labels: bool) -> Value:
        dims = tuple(Value(n, where) for n in shape)
        dtype = "uint8" if classes else "float64"
        data = Array(dims, dtype if not labels or name != "cifar100" else "int64", "numpy")
        if classes:
            data.lowest, data.highest = 0, classes - 1 if labels else 255
        return Value(data, where)

    shapes = DATASETS[name]
    if name == "boston_housing" and (call.keywords.keys() - {"path"} or len(call.args) > 1):
        return call.unknown()  # How many are in each part is asked for.
    pairs = [
        Value((part(shapes[i], labels=False), part(shapes[i + 1], labels=True)), where)
        for i in (0, 2)
    ]
    return Value(tuple(pairs), where)


for _name in DATASETS:
    MODELS.function(*below("datasets", f"{_name}.load_data"))(load_data)


__all__ = ["apply", "check_loss", "fit"]
