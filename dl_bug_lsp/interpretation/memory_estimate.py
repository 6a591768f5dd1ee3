"""How much memory a training step of PyTorch takes, from the operations that a forecast follows.

Weights, gradients and optimizer states are counted from the layers; activations from the results of
the operations between a model's call and ``backward``. The order of the operations gives the peak:
in the backward pass activations go as gradients come. What an operation keeps for its backward pass
is that of PyTorch 2 (the ``derivatives.yaml`` of its autograd); views keep nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from dl_bug_lsp.interpretation.models import Call
from dl_bug_lsp.interpretation.values import (
    PARTS,
    Array,
    Instance,
    Lazy,
    LibraryObject,
    Origin,
    Origins,
    Value,
)

WIDTHS = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2,
    "int8": 1, "uint8": 1, "bool": 1, "complex64": 8,
}  # fmt: skip
STATES = {
    "Adam": 2, "AdamW": 2, "NAdam": 2, "RAdam": 2, "Adamax": 2, "Adadelta": 2, "Adagrad": 1,
    "RMSprop": 1, "LBFGS": 0, "SGD": 0, "Rprop": 2, "ASGD": 1,
}  # fmt: skip
"""Tensors of the weights' size that an optimizer keeps."""
VIEWS = {
    "view", "reshape", "transpose", "permute", "squeeze", "unsqueeze", "flatten", "expand", "chunk",
    "split", "unbind", "detach", "t", "T", "mT", "narrow", "select", "__getitem__", "size", "dim",
    "view_as", "expand_as", "to", "Flatten", "Identity", "Unflatten", "swapaxes", "movedim",
    "float",
    "unflatten", "diagonal", "Sequential", "ModuleList", "__iter__", "backward", "shape", "item",
    "cpu", "cuda", "eval", "train", "parameters", "contiguous", "Parameter", "register_buffer",
}  # fmt: skip
"""Operations whose result is no new memory, or whose parts are counted by themselves."""
FACTORIES = {"randn", "rand", "randint", "zeros", "ones", "full", "arange", "tensor", "empty",
             "linspace", "eye", "randperm", "zeros_like", "ones_like", "as_tensor", "from_numpy",
             "tril", "triu", "Tensor"}  # fmt: skip
"""Operations that make data: nothing is computed backwards through them."""
SAVING_INPUT = (
    *("maxpool", "max_pool", "avg_pool", "gelu", "silu", "elu", "selu", "softplus", "mish"),
    *("hardswish", "prelu", "leaky", "log", "norm", "var", "std", "cos", "sin", "abs", "pow"),
    *("square", "smooth", "huber", "l1", "binary_cross", "bce", "scaled_dot", "batch_norm"),
    *("layer_norm", "conv", "linear"),
)
"""Operations whose backward pass needs what they were given."""
SAVING_RESULT = ("relu", "tanh", "sigmoid", "softmax", "exp", "sqrt", "rsqrt", "log_softmax",
                 "logsoftmax", "reciprocal")  # fmt: skip
"""Operations whose backward pass needs what they gave."""
MOST_DATA = 8
"""Arrays of data that are taken to be alive in a step."""
MAX_DEPTH = 12


@dataclass(slots=True, eq=False)
class Operation:
    """One operation of a step: bytes of its result, of what else it keeps, of its weights.

    ``saved`` says whether the backward pass needs the result; ``inputs`` are the operations whose
    results it takes; ``array`` is held so that its identity stays its own.
    """

    name: str
    result: int
    kept: int
    weights: int
    place: Origin
    origins: Origins
    inputs: tuple[Operation, ...] = ()
    saved: bool = False
    is_data: bool = False
    array: Array | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The memory of a training step in bytes, and what it is made of.

    ``place`` is where the backward pass starts; ``largest`` are the operations that keep most;
    ``unknown`` counts results whose size is not known.
    """

    weights: int
    gradients: int
    states: int
    activations: int
    peak: int
    place: Origin
    largest: tuple[Operation, ...]
    unknown: int
    optimizer: str


class MemoryEstimator:
    """Takes note of what a forecast follows; its estimates are complete afterwards."""

    def __init__(self) -> None:
        self.estimates: list[Estimate] = []
        self._optimizers: list[tuple[LibraryObject, list[Value]]] = []
        self._asked: list[Value] = []
        self._operations: list[Operation] = []
        self._unknown = 0
        self._made: dict[int, Operation] = {}
        """The operation that made an array, by the array's identity."""
        self._parameters: dict[int, Array] = {}
        self._views: list[Array] = []
        """Arrays whose identities are known: held, so that no other array gets one of them."""
        self._clears = self._clears_late = False

    def note(self, call: Call, result: Value) -> Value:
        """Take note of a call of a library; return its result, an array as one of its own."""
        name = call.name.rpartition(".")[2]
        if name == "parameters" and call.receiver is not None:
            self._asked.append(call.receiver)
        elif name in STATES and isinstance(result.data, LibraryObject) and "optim" in call.name:
            self._optimizers.append((result.data, self._asked))
            self._asked = []
        elif name == "Parameter":
            if isinstance(result.data, Array):
                self._parameters[id(result.data)] = result.data
        elif name == "zero_grad":
            self._clears = True
            # Gradients of the step before are there while the model is called.
            self._clears_late = any(not _operation.is_data for _operation in self._operations)
        elif name == "backward":
            self._close(call.place)
        else:
            return self._add(name, call, result)
        return result

    def computed(self, kind: str, parts: Sequence[Value], result: Value, place: Origin) -> Value:
        """Take note of what an operator gives."""
        data = result.data
        if not isinstance(data, Array) or data.library != "torch":
            return result
        inputs = self._inputs(parts)
        if not inputs:
            return result
        if kind in ("Mult", "MatMult", "Div", "Pow") and len(inputs) > 1:
            for operation in inputs:
                operation.saved = True
        elif kind in ("Pow",):
            inputs[0].saved = True
        return self._keep(Operation(kind, 0, 0, 0, place, result.origins, inputs), result)

    def _inputs(self, parts: Iterable[Value]) -> tuple[Operation, ...]:
        operations: dict[int, Operation] = {}
        for part in parts:
            for array in _arrays(part):
                made = self._made.get(id(array))
                if made is not None and made.array is not None:
                    operations[id(made)] = made
        return tuple(operations.values())

    def _add(self, name: str, call: Call, result: Value) -> Value:
        arrays = list(_arrays(result))
        if not arrays or any(a.library != "torch" for a in arrays):
            return result
        layer = call.held
        is_layer = layer is not None
        parts = [*call.args, *call.keywords.values()]
        if call.receiver is not None and not is_layer:
            parts.insert(0, call.receiver)
        inputs = self._inputs(parts)
        if name in VIEWS:
            for array in arrays:
                if inputs and id(array) not in self._made:
                    self._made[id(array)] = inputs[0]
                    self._views.append(array)
            return result
        if name in FACTORIES and not is_layer:
            made = Operation(name, 0, 0, 0, call.place, result.origins, (), False, True)
            return self._keep(made, result)
        if not inputs:
            return result
        state = layer.state if layer is not None else {}
        size = sum(_bytes(a) or 0 for a in arrays)
        given = next(_arrays(parts[0]), None) if parts else None
        weights = weight_bytes(call.receiver) if is_layer else 0
        kept = _kept(name, size, state, given)
        operation = Operation(name, 0, kept, weights, call.place, result.origins, inputs)
        lower = name.lower()
        if weights or lower.startswith(SAVING_INPUT):
            inputs[0].saved = True
        if lower in ("matmul", "bmm", "mul", "einsum", "mse_loss", "mseloss", "bceloss"):
            for item in inputs:
                item.saved = True
        operation.saved = lower.startswith(SAVING_RESULT)
        if lower.startswith(("relu", "leaky_relu")) and _is_true(state, "inplace", False):
            inputs[0].saved = True
            return result
        return self._keep(operation, result)

    def _keep(self, operation: Operation, result: Value) -> Value:
        arrays = list(_arrays(result))
        sizes = [_bytes(array) for array in arrays]
        self._unknown += any(size is None for size in sizes)
        operation.result = sum(size or 0 for size in sizes)
        if isinstance(result.data, Array):
            # Models may hand an array on whose shape stays: here it is another one.
            fresh = copy(result.data)
            result = Value(fresh, result.origins)
            arrays = [fresh]
        operation.array = arrays[0]
        for array in arrays:
            self._made[id(array)] = operation
            self._views.append(array)
        self._operations.append(operation)
        return result

    def _close(self, place: Origin) -> None:
        """Estimate the step that a backward pass ends."""
        operations, self._operations = self._operations, []
        unknown, self._unknown = self._unknown, 0
        self._made.clear()
        self._views.clear()
        data = [op for op in operations if op.is_data][-MOST_DATA:]
        steps = [op for op in operations if not op.is_data]
        if not steps or not self._optimizers:
            return
        known = self._parameters
        weights = states = 0
        for optimizer, models in self._optimizers:
            own = sum(weight_bytes(model, known) for model in models)
            weights += own
            states += own * _states(optimizer)
        if not weights:
            return
        base = weights + states + sum(op.result for op in data)
        held = [op.kept + (op.result if op.saved else 0) for op in steps]
        rest = sum(held)
        gradients = 0 if self._clears else weights
        at_forward = weights if self._clears_late else gradients
        highest = base + rest + at_forward + steps[-1].result
        for number in range(len(steps) - 1, -1, -1):
            op = steps[number]
            before = sum(operation.result for operation in op.inputs if not operation.is_data)
            if self._clears:
                gradients += op.weights
            highest = max(highest, base + rest + gradients + op.result + before)
            rest -= held[number]
        largest_weight = max((op.weights for op in steps), default=0)
        highest = max(highest, base + weights + 2 * largest_weight)
        top = sorted(steps, key=lambda op: -(op.result * op.saved + op.kept))[:3]
        first = self._optimizers[0][0].short
        self.estimates.append(
            Estimate(
                weights, weights, states, sum(held), highest, place, tuple(top), unknown, first
            )
        )


def _states(optimizer: LibraryObject) -> int:
    if optimizer.short == "SGD":
        momentum = optimizer.keywords.get("momentum")
        return 1 if momentum is not None and momentum.data not in (0, 0.0, None) else 0
    count = STATES[optimizer.short]
    amsgrad = optimizer.keywords.get("amsgrad")
    return count + (amsgrad is not None and amsgrad.data is True)


def _arrays(value: Value) -> Iterator[Array]:
    data = value.data
    if isinstance(data, Array):
        yield data
    elif isinstance(data, (tuple, list)):
        for item in data[:8]:
            yield from _arrays(item)


def _bytes(array: Array) -> int | None:
    """Return the size of an array, None where a dimension is not known."""
    if array.sizes is None or any(n is None for n in array.sizes):
        return None
    return math.prod(n for n in array.sizes if n is not None) * WIDTHS.get(array.dtype or "", 4)


def _number(state: Mapping[str, Value], name: str, default: int = 0) -> int:
    value = state.get(name)
    data = value.data if value is not None else None
    return data if isinstance(data, int) and not isinstance(data, bool) else default


def _is_true(state: Mapping[str, Value], name: str, default: bool) -> bool:
    value = state.get(name)
    return default if value is None or not isinstance(value.data, bool) else value.data


def _kept(name: str, size: int, state: Mapping[str, Value], given: Array | None) -> int:
    """Return the bytes that an operation keeps beside its result."""
    if name.lower().startswith("dropout"):
        p = state.get("p")
        return 0 if p is not None and p.data == 0 else size
    if name.startswith(("MaxPool", "AdaptiveMaxPool", "max_pool")):
        # Indices of 64 bits.
        return 2 * size
    if name in ("CrossEntropyLoss", "cross_entropy") and given is not None:
        return _bytes(given) or 0
    if name in ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", "BCELoss"):
        return 0
    rows = _bytes(given) if given is not None else None
    if rows is None or given is None or not given.sizes:
        return 0
    last = given.sizes[-1] or 1
    steps = rows // last
    if name in ("LSTM", "GRU", "RNN"):
        # Gates before and after their functions, products, states; as measured.
        hidden = _number(state, "hidden_size", 1)
        per_step = {"LSTM": 22, "GRU": 9, "RNN": 2}[name]
        ways = 2 if _is_true(state, "bidirectional", False) else 1
        return steps * hidden * per_step * ways * _number(state, "num_layers", 1)
    if name == "MultiheadAttention":
        return _attention(state, given, _number(state, "embed_dim", last))
    if name in ("TransformerEncoderLayer", "TransformerDecoderLayer"):
        return _block(state, given)
    if name in ("TransformerEncoder", "TransformerDecoder"):
        inner = state.get("encoder_layer", state.get("decoder_layer"))
        layer = inner.data if inner is not None else None
        if isinstance(layer, LibraryObject):
            count = _number(state, "num_layers", 1)
            return count * (_block(layer.state, given) + rows) - rows
    return 0


def _attention(state: Mapping[str, Value], given: Array, width: int) -> int:
    rows = _bytes(given) or 0
    sizes = given.sizes or ()
    if len(sizes) != 3:
        return 4 * rows
    batch_first = _is_true(state, "batch_first", False)
    batch, length = (sizes[0], sizes[1]) if batch_first else (sizes[1], sizes[0])
    heads = _number(state, "num_heads", _number(state, "nhead", 1))
    scores = (batch or 1) * heads * (length or 1) ** 2 * WIDTHS.get(given.dtype or "", 4)
    dropout = state.get("dropout")
    drops = dropout is None or dropout.data not in (0, 0.0)
    del width
    # Query, key, value, the joined heads and the projection; the scores after softmax.
    return 5 * rows + scores * (3 if drops else 1)


def _block(state: Mapping[str, Value], given: Array) -> int:
    rows = _bytes(given) or 0
    sizes = given.sizes or (1,)
    width = sizes[-1] or 1
    inner = rows // width * _number(state, "dim_feedforward", 2048)
    dropout = state.get("dropout")
    drops = dropout is None or dropout.data not in (0, 0.0)
    # Two sums, two normalizations, the inner layer's activation, dropout's masks and results.
    own = 5 * rows + inner + ((2 * inner + 2 * rows) if drops else 0)
    return own + _attention(state, given, width)


def weight_bytes(value: Value | None, parameters: Iterable[int] = (), depth: int = 0) -> int:
    """Return the bytes of the weights in a model, a layer, or what holds layers."""
    if value is None or depth > MAX_DEPTH:
        return 0
    data = value.data
    known = set(parameters)
    if isinstance(data, Instance):
        held = [v for name, v in data.attributes.items()]
        return sum(weight_bytes(v, known, depth + 1) for v in _once(held))
    if isinstance(data, (list, tuple)):
        return sum(weight_bytes(v, known, depth + 1) for v in _once(list(data)))
    if isinstance(data, dict):
        return sum(weight_bytes(v, known, depth + 1) for v in _once(list(data.values())))
    if isinstance(data, Array):
        return (_bytes(data) or 0) if id(data) in known else 0
    if isinstance(data, Lazy):
        return weight_bytes(data.item, known, depth + 1)
    if isinstance(data, LibraryObject):
        inner = data.state.get(PARTS)
        if inner is not None:
            return weight_bytes(inner, known, depth + 1)
        return _layer_weights(data)
    return 0


def _once(values: list[Value]) -> list[Value]:
    distinct = {id(v.data): v for v in values}
    return list(distinct.values())


def _layer_weights(layer: LibraryObject) -> int:
    """Return the bytes of the weights of one of PyTorch's layers."""
    state, short = layer.state, layer.short
    bias = _is_true(state, "bias", True)
    count = 0
    if short == "Linear":
        wide = _number(state, "out_features")
        count = wide * (_number(state, "in_features") + bias)
    elif short.startswith("Conv"):
        axes = int(short[-2]) if short[-2].isdigit() else 2
        groups = max(_number(state, "groups", 1), 1)
        into, out = _number(state, "in_channels"), _number(state, "out_channels")
        count = into * out // groups * _kernel(state.get("kernel_size"), axes) + out * bias
    elif short == "Embedding":
        count = _number(state, "num_embeddings") * _number(state, "embedding_dim")
    elif short.startswith("BatchNorm"):
        count = 2 * _number(state, "num_features") * _is_true(state, "affine", True)
    elif short == "GroupNorm":
        count = 2 * _number(state, "num_channels")
    elif short in ("LayerNorm", "RMSNorm"):
        shape = state.get("normalized_shape")
        sizes = shape.data if shape is not None else None
        whole = 0
        if isinstance(sizes, int):
            whole = sizes
        elif isinstance(sizes, (tuple, list)):
            whole = math.prod(v.data if isinstance(v.data, int) else 0 for v in sizes)
        count = whole * (2 if short == "LayerNorm" else 1)
    elif short in ("LSTM", "GRU", "RNN"):
        gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[short]
        hidden, into = _number(state, "hidden_size"), _number(state, "input_size")
        ways = 2 if _is_true(state, "bidirectional", False) else 1
        for level in range(_number(state, "num_layers", 1)):
            wide = into if level == 0 else hidden * ways
            count += ways * gates * hidden * (wide + hidden + 2 * bias)
    elif short == "MultiheadAttention":
        wide = _number(state, "embed_dim")
        count = 4 * wide * (wide + 1)
    elif short in ("TransformerEncoderLayer", "TransformerDecoderLayer"):
        count = _block_weights(state, short)
    elif short in ("TransformerEncoder", "TransformerDecoder"):
        inner = state.get("encoder_layer", state.get("decoder_layer"))
        if inner is not None and isinstance(inner.data, LibraryObject):
            times = _number(state, "num_layers", 1)
            return times * _layer_weights(inner.data)
    return count * 4


def _block_weights(state: Mapping[str, Value], short: str) -> int:
    wide, inner = _number(state, "d_model"), _number(state, "dim_feedforward", 2048)
    attention = 4 * wide * (wide + 1)
    blocks = 2 if short.endswith("DecoderLayer") else 1
    return blocks * attention + 2 * wide * inner + inner + wide + (blocks + 1) * 2 * wide


def _kernel(value: Value | None, axes: int) -> int:
    data = value.data if value is not None else 1
    if isinstance(data, int):
        return int(data**axes)
    if isinstance(data, (tuple, list)):
        return math.prod(v.data if isinstance(v.data, int) else 1 for v in data)
    return 1
