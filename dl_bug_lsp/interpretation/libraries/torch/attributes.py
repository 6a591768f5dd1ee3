"""What PyTorch's modules hold by name: options, modes, parts, hooks; wrappers that hand calls on.

Sources: the page of each class in PyTorch's documentation of ``torch.nn`` ("Variables" and the
signatures), ``torch.nn.Module`` (``training``, ``register_forward_hook``, ``get_submodule``),
``torch.nn.DataParallel``, ``DistributedDataParallel``, ``torch.nn.utils.weight_norm``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.torch.gradients
import dl_bug_lsp.interpretation.libraries.torch.optimizers
import dl_bug_lsp.interpretation.libraries.torch.serialization  # noqa: F401
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.calls import AFTER, BEFORE
from dl_bug_lsp.interpretation.libraries.torch.layers import (
    CONTAINERS,
    ELEMENTWISE,
    MODULES,
    OF_AXES,
    SIGNATURES,
    add_module_methods,
    axes_of,
)
from dl_bug_lsp.interpretation.libraries.torch.parameters import (
    PARTS_OF,
    WRAPPERS,
    children_or_none,
    grow,
)
from dl_bug_lsp.interpretation.libraries.torch.tensors import Stored, text
from dl_bug_lsp.interpretation.model_helpers import nothing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model, keep_in, state_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    LibraryObject,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

EVERY = tuple(
    dict.fromkeys(("Module", *MODULES, *SIGNATURES, *ELEMENTWISE, *CONTAINERS, *WRAPPERS))
)
"""The classes of modules that have models."""


# --- options and modes ----------------------------------------------------------------------------

Options = Mapping[str, object]
BATCH_NORM: Options = {"eps": 1e-5, "momentum": 0.1, "affine": True, "track_running_stats": True}
INSTANCE_NORM: Options = {**BATCH_NORM, "affine": False, "track_running_stats": False}
CONVOLUTION: Options = {
    "stride": 1,
    "padding": 0,
    "dilation": 1,
    "output_padding": 0,
    "groups": 1,
    "padding_mode": "zeros",
}
PLAIN: Options = {**CONVOLUTION, "transposed": False}
TRANSPOSED: Options = {**CONVOLUTION, "transposed": True}
MAX_POOL: Options = {"padding": 0, "dilation": 1, "return_indices": False, "ceil_mode": False}
AVERAGE_POOL: Options = {"padding": 0, "ceil_mode": False, "count_include_pad": True}
RECURRENT: Options = {
    "num_layers": 1,
    "bias": True,
    "batch_first": False,
    "dropout": 0.0,
    "bidirectional": False,
    "proj_size": 0,
}
EMBEDDING: Options = {
    "padding_idx": None,
    "max_norm": None,
    "norm_type": 2.0,
    "scale_grad_by_freq": False,
    "sparse": False,
}
ATTENTION: Options = {
    "dropout": 0.0,
    "batch_first": False,
    "bias_k": None,
    "bias_v": None,
    "add_zero_attn": False,
}
DROPOUT: Options = {"p": 0.5, "inplace": False}
UPSAMPLE: Options = {
    "size": None,
    "scale_factor": None,
    "mode": "nearest",
    "align_corners": None,
    "recompute_scale_factor": None,
}
WINDOW: Options = {"dilation": 1, "padding": 0, "stride": 1}
LOSS: Options = {"reduction": "mean"}
WEIGHTED: Options = {**LOSS, "weight": None}
IN_PLACE: Options = {"inplace": False}
AXIS: Options = {"dim": None}
OPTIONS: dict[str, Options] = {
    **{f"Conv{n}d": PLAIN for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": TRANSPOSED for n in (1, 2, 3)},
    **{f"MaxPool{n}d": MAX_POOL for n in (1, 2, 3)},
    "AvgPool1d": AVERAGE_POOL,
    "AvgPool2d": {**AVERAGE_POOL, "divisor_override": None},
    "AvgPool3d": {**AVERAGE_POOL, "divisor_override": None},
    **{f"AdaptiveMaxPool{n}d": {"return_indices": False} for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": BATCH_NORM for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": INSTANCE_NORM for n in (1, 2, 3)},
    "SyncBatchNorm": BATCH_NORM,
    "_BatchNorm": BATCH_NORM,
    "_NormBase": BATCH_NORM,
    "_InstanceNorm": INSTANCE_NORM,
    "LayerNorm": {"eps": 1e-5, "elementwise_affine": True},
    "RMSNorm": {"eps": None, "elementwise_affine": True},
    "GroupNorm": {"eps": 1e-5, "affine": True},
    "Embedding": EMBEDDING,
    "LSTM": {**RECURRENT, "mode": "LSTM"},
    "GRU": {**RECURRENT, "mode": "GRU"},
    "RNN": {**RECURRENT, "mode": "RNN_TANH", "nonlinearity": "tanh"},
    "LSTMCell": {"bias": True},
    "GRUCell": {"bias": True},
    "RNNCell": {"bias": True, "nonlinearity": "tanh"},
    "MultiheadAttention": ATTENTION,
    "TransformerEncoderLayer": {"norm_first": False},
    "TransformerDecoderLayer": {"norm_first": False},
    "TransformerEncoder": {"norm": None},
    "TransformerDecoder": {"norm": None},
    "Transformer": {"d_model": 512, "nhead": 8, "batch_first": False},
    "Flatten": {"start_dim": 1, "end_dim": -1},
    "GLU": {"dim": -1},
    "Softmax": AXIS,
    "LogSoftmax": AXIS,
    "Softmin": AXIS,
    **{f"Dropout{n}": DROPOUT for n in ("", "1d", "2d", "3d")},
    "AlphaDropout": DROPOUT,
    "_DropoutNd": DROPOUT,
    "Upsample": UPSAMPLE,
    "Unfold": WINDOW,
    "Fold": WINDOW,
    "CrossEntropyLoss": {**WEIGHTED, "ignore_index": -100, "label_smoothing": 0.0},
    "NLLLoss": {**WEIGHTED, "ignore_index": -100},
    "MSELoss": LOSS,
    "L1Loss": LOSS,
    "_Loss": LOSS,
    "_WeightedLoss": WEIGHTED,
    "SmoothL1Loss": {**LOSS, "beta": 1.0},
    "HuberLoss": {**LOSS, "delta": 1.0},
    "BCELoss": WEIGHTED,
    "BCEWithLogitsLoss": {**WEIGHTED, "pos_weight": None},
    "KLDivLoss": {**LOSS, "log_target": False},
    "CTCLoss": {**LOSS, "blank": 0, "zero_infinity": False},
    **dict.fromkeys(("ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardswish"), IN_PLACE),
    "ELU": {"alpha": 1.0, **IN_PLACE},
    "CELU": {"alpha": 1.0, **IN_PLACE},
    "LeakyReLU": {"negative_slope": 0.01, **IN_PLACE},
    "PReLU": {"num_parameters": 1, "init": 0.25},
    "GELU": {"approximate": "none"},
    "Softplus": {"beta": 1.0, "threshold": 20.0},
    "Hardtanh": {"min_val": -1.0, "max_val": 1.0, **IN_PLACE},
}
"""What layers and losses hold of the options that they are not given."""


def _option(short: str, default: object) -> Model:
    """Return the model of an attribute that keeps an option of the constructor."""
    count = axes_of(short) if short.startswith("Conv") else None

    def run(_: Interpreter, call: Call) -> Value:
        state = state_of(call.receiver) or {}
        given = state.get(call.name)
        if given is None and call.held is not None:
            given = call.held.keywords.get(call.name)
        if given is not None:
            return given
        if count is not None and call.name in OF_AXES:
            return Value((Value(default),) * count)
        return Value(default)

    return run


for _short, _options in OPTIONS.items():
    for _name, _default in _options.items():
        if (_short, _name) not in MODELS.attributes:
            MODELS.attribute(_short, _name)(_option(_short, _default))


def _training(_: Interpreter, call: Call) -> Value:
    """Return the mode of a module: training, as it is made, until something changes it."""
    state = state_of(call.receiver) or {}
    return state.get("training", Value(True))


for _short in EVERY:
    if _short not in ("LightningModule", "PreTrainedModel"):
        # Trainers change the mode of these.
        MODELS.attribute(_short, "training")(_training)


# --- the parts of a module by name ----------------------------------------------------------------


class Registered(dict[str, Value]):
    """What a module has under ``_modules``: what is put in becomes an attribute of the module."""

    __slots__ = ("state",)

    def __init__(self, held: dict[str, Value], state: dict[str, Value]) -> None:
        """Hold the parts of a module with that state."""
        super().__init__(held)
        self.state = state

    def __setitem__(self, name: str, value: Value) -> None:
        """Register a part."""
        super().__setitem__(name, value)
        keep_in(self.state, name, value)


def _parts(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver)
    if state is None or call.receiver is None:
        return call.unknown()
    children = children_or_none(call.receiver)
    if children is None:
        return call.unknown()
    return Value(Registered(dict(children), state), call.receiver.origins)


def _stored_by(role: str) -> Model:
    def run(_: Interpreter, call: Call) -> Value:
        state = state_of(call.receiver)
        if state is None or call.receiver is None:
            return call.unknown()
        held = {
            name: value
            for name, value in state.items()
            if isinstance(value.data, Stored) and value.data.role.endswith(role)
        }
        return Value(Registered(held, state), call.receiver.origins)

    return run


def _named(interpreter: Interpreter, call: Call) -> Value:
    """Return what a dotted name leads to (``get_submodule``, ``get_parameter``)."""
    given, found = call.given(0, "target"), call.receiver
    path = text(given)
    if path is None or found is None:
        return call.unknown()
    for name in path.split(".") if path else ():
        state = state_of(found) or {}
        children = dict(children_or_none(found) or ())
        found = (
            children.get(name) or state.get(name) or interpreter.attribute(found, name, call.place)
        )
    return found


def _attribute_of(interpreter: Interpreter, call: Call) -> Value:
    """Model ``__getattr__`` of modules, which gives parameters, buffers and modules."""
    name = text(call.args[0]) if call.args else None
    if call.receiver is None or name is None:
        return call.unknown()
    return interpreter.attribute(call.receiver, name, call.place)


for _short in EVERY:
    MODELS.attribute(_short, "_modules")(_parts)
    MODELS.attribute(_short, "_buffers")(_stored_by("buffer"))
    if _short in ("Module", "LightningModule"):
        MODELS.attribute(_short, "_parameters")(_stored_by("parameter"))
    MODELS.method(_short, "get_submodule", "get_parameter", "get_buffer")(_named)
    MODELS.method(_short, "__getattr__")(_attribute_of)


# --- hooks ----------------------------------------------------------------------------------------


def _hooking(name: str) -> Model:
    """Return the model of a method that registers a hook; its result takes it away again."""

    def run(_: Interpreter, call: Call) -> Value:
        state, hook = state_of(call.receiver), call.given(0, "hook")
        if state is None or hook is None:
            return call.unknown()
        held = state.setdefault(name, Value({}))
        assert isinstance(held.data, dict)
        key = Value(len(held.data))
        while key.data in held.data:
            key = Value(int(key.data) + 1)  # type: ignore[call-overload]
        if "with_kwargs" not in call.keywords:
            held.data[key.data] = hook
        handle = {"hooks": held, "key": key}
        made = LibraryObject(
            "torch.utils.hooks.RemovableHandle", call.args, dict(call.keywords), call.place, handle
        )
        return Value(made)

    return run


@MODELS.method("RemovableHandle", "remove")
def _remove(_: Interpreter, call: Call) -> Value:
    held, key = call.state.get("hooks"), call.state.get("key")
    if held is not None and isinstance(held.data, dict) and key is not None:
        held.data.pop(key.data, None)
    return Value(None)


for _short in EVERY:
    MODELS.method(_short, "register_forward_hook")(_hooking(AFTER))
    MODELS.method(_short, "register_forward_pre_hook")(_hooking(BEFORE))


# --- wrappers -------------------------------------------------------------------------------------


def _start_wrapper(_: Interpreter, call: Call) -> Value:
    state, module = state_of(call.receiver), call.given(0, "module")
    if state is not None and module is not None:
        state["module"] = module
    return Value(None)


def _through(interpreter: Interpreter, call: Call) -> Value:
    """Hand a call on to the module inside, also from an object of a class of the program."""
    module = (state_of(call.receiver) or {}).get("module")
    if module is None:
        return call.unknown()
    return interpreter.call(module, call.args, call.keywords, call.place)


for _short in WRAPPERS:
    add_module_methods(_short)
    MODELS.method(_short, "__init__")(_start_wrapper)
    for _around in ("torch.nn", "torch.nn.parallel"):
        MODELS.object(f"{_around}.{_short}")(_through)


@MODELS.function(
    *(f"torch.nn.utils.{n}" for n in ("weight_norm", "spectral_norm")),
    *(f"torch.nn.utils.parametrizations.{n}" for n in ("weight_norm", "spectral_norm")),
    "torch.nn.utils.parametrizations.orthogonal",
)
def _reparametrized(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "module")
    return call.unknown() if value is None else value


@MODELS.object("torch.optim.swa_utils.AveragedModel")
def _averaged(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    inner = held.args[0] if held is not None and held.args else None
    if inner is None:
        return call.unknown()
    return interpreter.call(inner, call.args, call.keywords, call.place)


# --- weights that are made of others --------------------------------------------------------------


def _weights_of(call: Call, interpreter: Interpreter) -> tuple[Value, Value] | None:
    """Return the module of a call and the parameter that it names."""
    module = call.given(0, "module")
    if module is None or not isinstance(module.data, LibraryObject):
        return None
    name = text(call.given(1, "name") or Value("weight"))
    if name is None:
        return None
    weight = interpreter.attribute(module, name, call.place)
    return module, weight


def _normed(then: Model) -> Model:
    """Return the model of a function that makes a weight of its direction and its length."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        both = _weights_of(call, interpreter)
        if both is not None:
            module, weight = both
            x, state = array(weight), state_of(module)
            name = text(call.given(1, "name") or Value("weight"))
            if x is not None and x.shape is not None and state is not None:
                lengths = tuple(d if i == 0 else Value(1) for i, d in enumerate(x.shape))
                for end, shape in (("g", lengths), ("v", x.shape)):
                    part = Stored(tuple(shape), x.dtype, "torch", x.device, role="parameter")
                    state[f"{name}_{end}"] = Value(part, weight.origins)
        return then(interpreter, call)

    return run


MODELS.function("torch.nn.utils.weight_norm")(
    _normed(MODELS.functions["torch.nn.utils.weight_norm"])
)


@MODELS.function(
    *(f"torch.nn.utils.remove_{name}" for name in ("weight_norm", "spectral_norm")),
    "torch.nn.utils.parametrize.remove_parametrizations",
)
def _unwrapped(_: Interpreter, call: Call) -> Value:
    module = call.given(0, "module")
    state = state_of(module)
    for name in ("weight_g", "weight_v"):
        if state is not None:
            state.pop(name, None)
    return call.unknown() if module is None else module


def _repeated(count: int | None) -> Model:
    """Return the model of a helper that makes a tuple of one number (``_pair``)."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        value = call.given(0, "x")
        if value is None or not value.known:
            return call.unknown()
        if isinstance(value.data, (list, tuple)):
            return Value(tuple(value.data), value.origins)
        number = count if count is not None else size(call.state.get("n"))
        return call.unknown() if number is None else Value((value,) * number, value.origins)

    return run


for _number, _name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1):
    MODELS.function(f"torch.nn.modules.utils.{_name}")(_repeated(_number))
MODELS.object("torch.nn.modules.utils.ntuple")(_repeated(None))


@MODELS.function("torch.nn.modules.utils._ntuple")
def _tuple_of(_: Interpreter, call: Call) -> Value:
    count = call.given(0, "n") or Value(UNKNOWN)
    return Value(LibraryObject("torch.nn.modules.utils.ntuple", (), {}, call.place, {"n": count}))


@MODELS.function("torch.nn.modules.utils._reverse_repeat_tuple")
def _turned(_: Interpreter, call: Call) -> Value:
    given, count = call.given(0, "t"), size(call.given(1, "n"))
    if given is None or count is None or not isinstance(given.data, (list, tuple)):
        return call.unknown()
    turned = tuple(part for part in reversed(given.data) for _ in range(count))
    return Value(turned, given.origins)


@MODELS.function("torch.nn.SyncBatchNorm.convert_sync_batchnorm")
def _converted(_: Interpreter, call: Call) -> Value:
    """Give back a module whose normalizations work over all processes; no size changes."""
    module = call.given(0, "module")
    return call.unknown() if module is None else module


for _short in ("LSTM", "GRU", "RNN", "RNNBase"):
    MODELS.method(_short, "flatten_parameters")(nothing)
for _short in EVERY:
    MODELS.method(_short, "reset_parameters")(nothing)


@MODELS.function("torch.nn.utils.fusion.fuse_conv_bn_eval")
def _fused(_: Interpreter, call: Call) -> Value:
    layer = call.given(0, "conv")
    return call.unknown() if layer is None else layer


# --- layers that are made of others ---------------------------------------------------------------


def _growing(short: str, start: Model) -> Model:
    """Return the start of an object of a subclass, which has the parts from then on."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        result = start(interpreter, call)
        if call.receiver is not None:
            grow(call.receiver, short)
        return result

    return run


for _short in PARTS_OF:
    MODELS.method(_short, "__init__")(_growing(_short, MODELS.methods[_short, "__init__"]))


@MODELS.function("torch.utils.checkpoint.checkpoint")
def _checkpointed(interpreter: Interpreter, call: Call) -> Value:
    """Call a function whose inner tensors are made again in the backward pass."""
    own = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug")
    keywords = {name: value for name, value in call.keywords.items() if name not in own}
    if not call.args:
        return call.unknown()
    return interpreter.call(call.args[0], call.args[1:], keywords, call.place)


@MODELS.function("torch.utils.checkpoint.checkpoint_sequential")
def _checkpointed_parts(interpreter: Interpreter, call: Call) -> Value:
    functions, value = call.given(0, "functions"), call.given(2, "input")
    parts = None if functions is None else interpreter.iterate(functions)
    if value is None or not isinstance(parts, list):
        return call.unknown()
    for part in parts:
        value = interpreter.call(part, (value,), {}, call.place)
    return value
