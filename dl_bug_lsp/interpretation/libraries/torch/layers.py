"""PyTorch's layers, and the functions of ``torch.nn.functional`` that do the same.

A layer is a `LibraryObject` (or an object of a workspace class that derives from it) whose state
holds its arguments by name. Source: the page of each class in PyTorch's documentation of
``torch.nn``; the messages are shortened from PyTorch's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.torch import data as _torch_data  # noqa: F401  (registers its own)
from dl_bug_lsp.interpretation.libraries.torch import functions as _functions  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    DEFAULTS,
    FLOATING,
    REDUCED,
    WHOLE,
    Shape,
    Stored,
    bounded,
    device_of,
    devices_differ,
    dimension,
    dims_of,
    dtype_of,
    flag,
    flattened,
    kept,
    kind_of,
    needs_floating,
    rank_of,
    same_device,
    same_dtype,
    tensor,
    text,
    times,
    unflattened,
    words,
)
from dl_bug_lsp.interpretation.model_helpers import itself, nothing
from dl_bug_lsp.interpretation.models import MODELS, Call, keep_in, state_of
from dl_bug_lsp.interpretation.operators import value_of
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    PARTS,
    UNKNOWN,
    Array,
    Instance,
    Lazy,
    LibraryObject,
    Raised,
    Value,
    merged,
    of_dtype,
    refused_axes,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

State = dict[str, Value]
Forward = Callable[[Mapping[str, Value], Array, Value, Call], Value]

CONVOLUTION = (
    "in_channels* out_channels* kernel_size* stride padding dilation groups bias padding_mode"
)
TRANSPOSED = (
    "in_channels* out_channels* kernel_size* stride padding output_padding groups bias dilation "
    "padding_mode"
)
MAX_POOL = "kernel_size* stride padding dilation return_indices ceil_mode"
AVERAGE_POOL = "kernel_size* stride padding ceil_mode count_include_pad divisor_override"
BATCH_NORM = "num_features* eps momentum affine track_running_stats bias"
RECURRENT = "input_size* hidden_size* num_layers bias batch_first dropout bidirectional proj_size"
TRANSFORMER = (
    "d_model* nhead* dim_feedforward dropout activation layer_norm_eps batch_first norm_first bias"
)
LOSS = "size_average reduce reduction"
PADS = ("Reflection", "Replication", "Circular")
SIGNATURES = {
    "Linear": "in_features* out_features* bias",
    "LazyLinear": "out_features* bias",
    "Bilinear": "in1_features* in2_features* out_features* bias",
    **{f"Conv{n}d": CONVOLUTION for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": TRANSPOSED for n in (1, 2, 3)},
    **{f"MaxPool{n}d": MAX_POOL for n in (1, 2, 3)},
    **{f"AvgPool{n}d": AVERAGE_POOL for n in (2, 3)},
    "AvgPool1d": "kernel_size* stride padding ceil_mode count_include_pad",
    **{f"Adaptive{kind}Pool{n}d": "output_size*" for n in (1, 2, 3) for kind in ("Avg", "Max")},
    **{f"AdaptiveMaxPool{n}d": "output_size* return_indices" for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": BATCH_NORM for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": BATCH_NORM for n in (1, 2, 3)},
    "LayerNorm": "normalized_shape* eps elementwise_affine bias",
    "RMSNorm": "normalized_shape* eps elementwise_affine",
    "GroupNorm": "num_groups* num_channels* eps affine bias",
    "Embedding": (
        "num_embeddings* embedding_dim* padding_idx max_norm norm_type scale_grad_by_freq sparse "
        "_weight _freeze"
    ),
    "LSTM": RECURRENT,
    "GRU": RECURRENT,
    "RNN": RECURRENT.replace("bias", "nonlinearity bias").replace(" proj_size", ""),
    "LSTMCell": "input_size* hidden_size* bias",
    "GRUCell": "input_size* hidden_size* bias",
    "RNNCell": "input_size* hidden_size* bias nonlinearity",
    "MultiheadAttention": (
        "embed_dim* num_heads* dropout bias add_bias_kv add_zero_attn kdim vdim batch_first"
    ),
    "TransformerEncoderLayer": TRANSFORMER,
    "TransformerDecoderLayer": TRANSFORMER,
    "TransformerEncoder": "encoder_layer* num_layers* norm enable_nested_tensor mask_check",
    "TransformerDecoder": "decoder_layer* num_layers* norm",
    "Transformer": (
        "d_model nhead num_encoder_layers num_decoder_layers dim_feedforward dropout activation "
        "custom_encoder custom_decoder layer_norm_eps batch_first norm_first bias"
    ),
    "Flatten": "start_dim end_dim",
    "Unflatten": "dim* unflattened_size*",
    "Softmax": "dim",
    "LogSoftmax": "dim",
    "GLU": "dim",
    **dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d"), "p inplace"),
    "Upsample": "size scale_factor mode align_corners recompute_scale_factor",
    "PixelShuffle": "upscale_factor*",
    "UpsamplingBilinear2d": "size scale_factor",
    "UpsamplingNearest2d": "size scale_factor",
    "PixelUnshuffle": "downscale_factor*",
    "ChannelShuffle": "groups*",
    "Fold": "output_size* kernel_size* dilation padding stride",
    "EmbeddingBag": (
        "num_embeddings* embedding_dim* max_norm norm_type scale_grad_by_freq mode sparse "
        "_weight include_last_offset padding_idx"
    ),
    "Unfold": "kernel_size* dilation padding stride",
    **{f"{kind}Pad{n}d": "padding*" for kind in PADS for n in (1, 2, 3)},
    **{f"ZeroPad{n}d": "padding*" for n in (1, 2, 3)},
    **{f"ConstantPad{n}d": "padding* value*" for n in (1, 2, 3)},
    "CrossEntropyLoss": "weight size_average ignore_index reduce reduction label_smoothing",
    "NLLLoss": "weight size_average ignore_index reduce reduction",
    "MSELoss": LOSS,
    "L1Loss": LOSS,
    "SmoothL1Loss": f"{LOSS} beta",
    "HuberLoss": "reduction delta",
    "BCELoss": f"weight {LOSS}",
    "BCEWithLogitsLoss": f"weight {LOSS} pos_weight",
    "KLDivLoss": f"{LOSS} log_target",
    "CTCLoss": "blank reduction zero_infinity",
    "CosineSimilarity": "dim eps",
    "PairwiseDistance": "p eps keepdim",
    "TripletMarginLoss": f"margin p eps swap {LOSS}",
    "TripletMarginWithDistanceLoss": "distance_function margin swap reduction",
    "MarginRankingLoss": f"margin {LOSS}",
    "CosineEmbeddingLoss": f"margin {LOSS}",
    "HingeEmbeddingLoss": f"margin {LOSS}",
    "MultiMarginLoss": f"p margin weight {LOSS}",
    "MultiLabelSoftMarginLoss": f"weight {LOSS}",
    "MultiLabelMarginLoss": LOSS,
    "SoftMarginLoss": LOSS,
    "PoissonNLLLoss": "log_input full size_average eps reduce reduction",
    "GaussianNLLLoss": "full eps reduction",
    # Layers element by element.
    **dict.fromkeys(("ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardswish"), "inplace"),
    "Hardsigmoid": "inplace",
    **dict.fromkeys(("ELU", "CELU"), "alpha inplace"),
    "LeakyReLU": "negative_slope inplace",
    "PReLU": "num_parameters init",
    "RReLU": "lower upper inplace",
    "GELU": "approximate",
    "Softplus": "beta threshold",
    **dict.fromkeys(("Softshrink", "Hardshrink"), "lambd"),
    "Hardtanh": "min_val max_val inplace min_value max_value",
    "Threshold": "threshold* value* inplace",
    "Softmin": "dim",
    "LocalResponseNorm": "size* alpha beta k",
    **dict.fromkeys(("AlphaDropout", "FeatureAlphaDropout"), "p inplace"),
    # What programs derive layers of their own from.
    "SyncBatchNorm": "num_features* eps momentum affine track_running_stats process_group",
    "_BatchNorm": BATCH_NORM,
    "_InstanceNorm": BATCH_NORM,
    "_NormBase": BATCH_NORM,
    "_ConvNd": (
        "in_channels* out_channels* kernel_size* stride* padding* dilation* transposed* "
        "output_padding* groups* bias* padding_mode*"
    ),
    "_DropoutNd": "p inplace",
    "_Loss": LOSS,
    "_WeightedLoss": f"weight {LOSS}",
}
OF_AXES = ("kernel_size", "stride", "padding", "dilation", "output_padding")
"""Options that convolutions keep with one number for each axis."""
SIZES = words(
    "in_features out_features in_channels out_channels num_features num_embeddings "
    "embedding_dim input_size hidden_size num_channels"
)
FITTING = words(
    "in_features in_channels num_features input_size num_channels embed_dim d_model "
    "normalized_shape"
)
"""What a layer says of its input's sizes."""
ELEMENTWISE = words(
    "ReLU ReLU6 ELU SELU CELU LeakyReLU PReLU RReLU GELU SiLU Mish Softplus Softsign "
    "Softshrink Hardshrink Tanhshrink LogSigmoid Hardtanh Hardswish Hardsigmoid Threshold "
    "Tanh Sigmoid AlphaDropout Identity FeatureAlphaDropout Softmin Softmax2d "
    "LocalResponseNorm Dropout Dropout1d Dropout2d Dropout3d"
)
OWN = "parameters of this"
"""Under which name a layer's state keeps its parameters and buffers."""
MODULES = ("Module", "LightningModule", "PreTrainedModel", "ModuleList", "Sequential", "ModuleDict")


# --- construction ---------------------------------------------------------------------------------


def fill(short: str, call: Call, state: State) -> None:
    """Put a layer's arguments into its state by name; raise where they do not fit its signature."""
    signature = SIGNATURES.get(short)
    if signature is None:
        return
    words = [*signature.split(), "device", "dtype"]
    names = [w.rstrip("*") for w in words]
    given = dict(zip(names, call.args, strict=False))
    if len(call.args) > len(names):
        raise Raised("arguments", f"{short}: too many positional arguments", *call.args)
    for name, value in call.keywords.items():
        if name not in names:
            raise Raised("arguments", f"{short}: unexpected keyword argument '{name}'", value)
        given[name] = value
    for word in words:
        if word.endswith("*") and word[:-1] not in given:
            raise Raised("arguments", f"{short}: missing argument '{word[:-1]}'", *call.args)
    state.update(given)
    for name in SIZES:
        if name in given and (name != "kernel_size" or isinstance(given[name].data, float)):
            dimension(given[name])
    _settle(short, state)
    _weights(short, state)


def axes_of(short: str) -> int | None:
    """Return over how many axes a layer works by its name, None where its name does not say."""
    count = short[-2:-1]
    return int(count) if short.endswith("d") and count.isdigit() else None


def _settle(short: str, state: State) -> None:
    """Put options into the form in which the layer's attributes have them."""
    count = axes_of(short)
    if short.startswith("Conv") and count is not None:
        for name in OF_AXES:
            value = state.get(name)
            if value is not None and isinstance(value.data, int):
                state[name] = Value((value,) * count, value.origins)
    if short.startswith(("MaxPool", "AvgPool")) and state.get("stride", Value(None)).data is None:
        state["stride"] = state["kernel_size"]
    factor = state.get("scale_factor")
    if short == "Upsample" and factor is not None and type(factor.data) is int:
        state["scale_factor"] = Value(float(factor.data), factor.origins)
    shape = state.get("normalized_shape")
    if shape is not None and isinstance(shape.data, (int, list)):
        dims = shape.data if isinstance(shape.data, list) else [shape]
        state["normalized_shape"] = Value(tuple(dims), shape.origins)
    if short in OF_PARAMETER and flag(state.get("bias"), default=False):
        # A parameter has the name of the option that asks for it.
        del state["bias"]


OF_PARAMETER = (
    *("Linear", "LazyLinear", "Bilinear", "LayerNorm"),
    *(f"{kind}{n}d" for kind in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm")
      for n in (1, 2, 3)),
    *("_BatchNorm", "_InstanceNorm", "_NormBase", "_ConvNd"),
)  # fmt: skip
"""Layers whose ``bias`` is a parameter."""


def _weights(short: str, state: State) -> None:
    """Add the parameters of the layers whose parameters programs look at."""
    shapes: dict[str, Sequence[str]] = {
        "Linear": ("out_features", "in_features"),
        "Embedding": ("num_embeddings", "embedding_dim"),
    }
    if short in shapes:
        made = tensor([state[n] for n in shapes[short]], weight_dtype(state))
        state["weight"] = _unplaced(made, "parameter")
    has_bias = flag(state.get("bias"), default=True)
    if short == "Linear" and has_bias:
        made = tensor((state["out_features"],), weight_dtype(state))
        state["bias"] = _unplaced(made, "parameter")
    elif short in OF_PARAMETER and has_bias is False:
        state["bias"] = Value(None, state["bias"].origins)


def constructor(*shorts: str) -> None:
    """Register the construction of layers, by themselves and as bases of workspace classes."""

    def build(interpreter: Interpreter, call: Call) -> Value:
        state: State = {}
        short = call.name.rpartition(".")[2]
        if short in CONTAINERS:
            contain(interpreter, short, call, state)
        else:
            fill(short, call, state)
        default = DEFAULTS.get(interpreter)
        if default is not None:
            state.setdefault("dtype", default)
        made = LibraryObject(call.name, call.args, dict(call.keywords), call.place, state)
        return Value(made, merged(*call.args, *call.keywords.values()))

    def start(short: str) -> Callable[[Interpreter, Call], Value]:
        def run(interpreter: Interpreter, call: Call) -> Value:
            state = state_of(call.receiver)
            if state is not None:
                if short in CONTAINERS:
                    contain(interpreter, short, call, state)
                else:
                    fill(short, call, state)
            return Value(None)

        return run

    for short in shorts:
        MODELS.function(f"torch.nn.{short}", f"torch.{short}")(build)
        MODELS.method(short, "__init__")(start(short))


WIDTHS = frozenset(("out_features", "out_channels"))
"""Options of layers that are the length of an axis of what they give, whatever comes in."""


def layer(*shorts: str) -> Callable[[Forward], Forward]:
    """Register the construction and the forward of layers that take one tensor first."""

    def keep(forward: Forward) -> Forward:
        def run(_: Interpreter, call: Call) -> Value:
            state = state_of(call.receiver)
            value = call.given(0, "input", "src", "query", "x")
            if state is None or value is None:
                return call.unknown()
            x = array(value)
            if x is None or (x.shape is None and x.last is None):
                for name in FITTING:
                    if name in state:
                        arrays.unlike(dims_of((state[name],)) or (), value, name)
            if x is None:
                kind = kind_of(value)
                if kind is not None:
                    short = call.name.rpartition(".")[2]
                    raise Raised("type", f"{short}: the input must be a Tensor, not {kind}", value)
                if value.data is not UNKNOWN or WIDTHS.isdisjoint(state):
                    return call.unknown()
                # What comes out is a tensor all the same, and one of its axes is known.
                x = Array(None, None, "torch")
            if x.library != "torch":
                raise Raised("type", "the input must be a Tensor, not an array", value)
            return forward(state, x, value, call)

        names = [n for s in shorts for n in (f"torch.nn.{s}", f"torch.{s}")]
        MODELS.object(*names)(run)
        constructor(*shorts)
        return forward

    return keep


def functional(name: str, parameters: str) -> Callable[[Forward], Forward]:
    """Register a forward as a function; ``parameters`` are its arguments after the tensor."""

    def keep(forward: Forward) -> Forward:
        def run(_: Interpreter, call: Call) -> Value:
            names = ["input", *parameters.split()]
            given = {**dict(zip(names, call.args, strict=False)), **call.keywords}
            value = given.pop("input", None)
            if value is None:
                return call.unknown()
            x = array(value)
            if x is None or x.library != "torch":
                kind = kind_of(value)
                if kind is not None:
                    raise Raised("type", f"{name}: the input must be a Tensor, not {kind}", value)
                return call.unknown()
            target = given.get("target")
            args = (value,) if target is None else (value, target)
            return forward(given, x, value, Call(call.name, args, {}, call.place))

        MODELS.function(f"torch.nn.functional.{name}")(run)
        return forward

    return keep


# --- checks ---------------------------------------------------------------------------------------


def weight_dtype(state: Mapping[str, Value]) -> str | None:
    """Return the dtype of a layer's parameters."""
    given = state.get("dtype")
    return "float32" if given is None or given.data is None else dtype_of(given)


def fits_weights(state: Mapping[str, Value], x: Array, value: Value) -> None:
    """Raise where an input's dtype or device is not that of the layer's parameters."""
    weight = array(state.get("weight"))
    wanted = weight.dtype if weight is not None else weight_dtype(state)
    known = x.dtype is not None and wanted is not None
    if known and x.dtype != wanted and x.dtype not in REDUCED and wanted not in REDUCED:
        setting = state.get("dtype", Value(wanted))
        message = f"mat1 and mat2 must have the same dtype, but got {x.dtype} and {wanted}"
        raise Raised("type", message, value, Value(wanted, setting.origins))
    own_device = device_of(state.get("device"))
    if devices_differ(x.device, own_device):
        setting = state["device"]
        raise Raised("type", "Expected all tensors to be on the same device", value, setting)


def has_rank(x: Array, value: Value, *ranks: int) -> bool:
    """Whether an input has one of these numbers of axes; raise where it certainly has not."""
    rank = rank_of(x)
    if rank is None:
        return False
    if rank not in ranks:
        names = " or ".join(map(str, ranks))
        message = f"expected {names}D input, got {rank}D"
        raise refused_axes(message, value, rank, Value(ranks[-1]))
    return True


def result(
    x: Array, shape: Sequence[Value] | None, *parts: Value, dtype: str | None = None
) -> Value:
    """Return a float result on the input's device."""
    return tensor(
        shape, dtype or (x.dtype if x.dtype in FLOATING else None), *parts, device=x.device
    )


# --- dense, convolution, pooling ------------------------------------------------------------------


def by_weight(state: Mapping[str, Value], *names: str) -> Mapping[str, Value]:
    """Return a layer's state with the sizes of a weight that it was given, by the weight's axes."""
    weight = array(state.get("weight")) or array(_made_parameters(state).get("weight"))
    shape = None if weight is None else weight.shape
    if shape is None or len(shape) < len(names):
        return state
    changed = {
        name: dim
        for name, dim in zip(names, shape, strict=False)
        if size(dim) is not None and size(dim) != size(state.get(name))
    }
    return {**state, **changed} if changed else state


def _made_parameters(state: Mapping[str, Value]) -> Mapping[str, Value]:
    held = state.get(OWN)
    return held.data if held is not None and isinstance(held.data, dict) else {}


@layer("Linear", "LazyLinear")
def _linear(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    state = by_weight(state, "out_features", "in_features")
    fits = state.get("in_features")
    last = arrays.last_of(x)
    if last is not None and fits is not None:
        arrays.same(last, fits, "mat1 and mat2 shapes cannot be multiplied")
    fits_weights(state, x, value)
    out = state.get("out_features", Value(UNKNOWN))
    output = result(x, None if x.shape is None else (*x.shape[:-1], out), value)
    return arrays.with_last(output, out)


@functional("linear", "weight bias")
def _functional_linear(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    weight = array(state.get("weight"))
    if weight is None or weight.shape is None or x.shape is None or not x.shape:
        return result(x, None, value)
    same_dtype(x, value, weight, state["weight"])
    same_device(x, value, weight, state["weight"])
    if weight.shape:
        message = "mat1 and mat2 shapes cannot be multiplied"
        arrays.same(x.shape[-1], weight.shape[-1], message)
    return result(x, (*x.shape[:-1], *weight.shape[:-1]), value)


@layer("Bilinear")
def _bilinear(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    other = array(call.given(1, "input2"))
    for data, name in ((x, "in1_features"), (other, "in2_features")):
        if data is not None and data.shape and name in state:
            arrays.same(data.shape[-1], state[name], "bilinear: sizes differ")
    out = state.get("out_features", Value(UNKNOWN))
    return result(x, None if x.shape is None else (*x.shape[:-1], out), value)


def axes(
    state: Mapping[str, Value], name: str, count: int, default: int | Sequence[Value]
) -> list[Value]:
    """Return an option with one number for each axis."""
    value = state.get(name)
    if value is None or value.data is None:
        return [Value(default)] * count if isinstance(default, int) else list(default)
    if isinstance(value.data, list | tuple):
        items = [v if v.origins else Value(v.data, value.origins) for v in value.data]
        if len(items) == 1:
            items = items * count
        return items if len(items) == count else [unknown(value)] * count
    return [value if size(value) is not None else unknown(value)] * count


def window(
    length: Value,
    kernel: Value,
    stride: Value,
    padding: Value,
    dilation: Value,
    *,
    up: bool = False,
) -> Value:
    """Return the length that a window leaves (PyTorch, ``torch.nn.Conv2d``, "Shape")."""
    origins = merged(length, kernel, stride, padding, dilation)
    n, k, s, p, d = (size(v) for v in (length, kernel, stride, padding, dilation))
    if n is None or k is None or s is None or p is None or d is None or s < 1:
        return Value(UNKNOWN, origins)
    reach = d * (k - 1) + 1
    if n + 2 * p < reach:
        message = "Kernel size can't be greater than actual input size"
        raise Raised("size", message, Value(n, length.origins), Value(reach, kernel.origins))
    span = n + 2 * p - reach
    count = -(-span // s) if up else span // s
    if up and count * s >= n + p:
        count -= 1
    return Value(count + 1, origins)


def convolution(count: int, *, transposed: bool) -> Forward:
    """Return the forward of a convolution over ``count`` axes."""

    def forward(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
        known = has_rank(x, value, count + 1, count + 2)
        fits_weights(state, x, value)
        state = _of_own_weight(state, transposed=transposed)
        out = state.get("out_channels", Value(UNKNOWN))
        if x.shape is None:
            # Nearly always a batch goes in.
            likely = (unknown(value), out, *(unknown(value) for _ in range(count)))
            return result(x, arrays.guessed(likely), value)
        if not known:
            return result(x, None, value)
        channels = state.get("in_channels")
        if channels is not None:
            message = "the input's number of channels is not the weight's"
            first = size(x.shape[0])
            if len(x.shape) == count + 1 and channels.data == 1 and first not in (None, 1):
                # Grey pictures or signals without their axis of channels: the batch stands there.
                raise refused_axes(message, value, count + 1, Value(count + 2))
            arrays.same(x.shape[-count - 1], channels, message)
        kernel = axes(state, "kernel_size", count, [Value(UNKNOWN)] * count)
        stride, dilation = axes(state, "stride", count, 1), axes(state, "dilation", count, 1)
        padding = text(state.get("padding"))
        lengths = list(x.shape[-count:])
        if padding != "same":
            zero = [Value(0)] * count
            pads = zero if padding == "valid" else axes(state, "padding", count, 0)
            extra = axes(state, "output_padding", count, 0)
            for i, length in enumerate(lengths):
                parts = (length, kernel[i], stride[i], pads[i], dilation[i])
                lengths[i] = widened(*parts, extra[i]) if transposed else window(*parts)
        return result(x, (*x.shape[: -count - 1], out, *lengths), value)

    return forward


def _of_own_weight(state: Mapping[str, Value], *, transposed: bool) -> Mapping[str, Value]:
    """Return a convolution's state with the channels of a weight that it was given."""
    if transposed or size(state.get("groups", Value(1))) != 1:
        return state
    return by_weight(state, "out_channels", "in_channels")


def widened(
    length: Value, kernel: Value, stride: Value, padding: Value, dilation: Value, extra: Value
) -> Value:
    """Return a transposed convolution's length (PyTorch, ``torch.nn.ConvTranspose2d``, "Shape")."""
    parts = (length, kernel, stride, padding, dilation, extra)
    n, k, s, p, d, e = (size(v) for v in parts)
    if n is None or k is None or s is None or p is None or d is None or e is None:
        return unknown(*parts)
    return Value((n - 1) * s - 2 * p + d * (k - 1) + e + 1, merged(*parts))


def functional_convolution(count: int, *, transposed: bool) -> Forward:
    """Return the forward of a convolution whose weight is given."""
    inner = convolution(count, transposed=transposed)

    def forward(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
        weight = array(state.get("weight"))
        if weight is None or weight.shape is None or len(weight.shape) != count + 2:
            return result(x, None, value)
        groups = state.get("groups", Value(1))
        first, second = weight.shape[0], weight.shape[1]
        made = dict(state)
        made["in_channels"] = first if transposed else times(second, groups)
        made["out_channels"] = times(second, groups) if transposed else first
        made["kernel_size"] = Value(tuple(weight.shape[2:]), state["weight"].origins)
        return inner(made, x, value, call)

    return forward


def pooling(count: int, *, indices: bool) -> Forward:
    """Return the forward of a pooling over ``count`` axes."""

    def forward(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
        if not has_rank(x, value, count + 1, count + 2) or x.shape is None:
            return result(x, None, value)
        kernel = axes(state, "kernel_size", count, [Value(UNKNOWN)] * count)
        stride = axes(state, "stride", count, kernel)
        pads = axes(state, "padding", count, 0)
        dilation = axes(state, "dilation", count, 1)
        up = flag(state.get("ceil_mode"), default=False)
        lengths = [
            unknown(n, k) if up is None else window(n, k, s, p, d, up=up)
            for n, k, s, p, d in zip(x.shape[-count:], kernel, stride, pads, dilation, strict=True)
        ]
        target = result(x, (*x.shape[:-count], *lengths), value)
        return with_indices(state, target, indices=indices)

    return forward


def with_indices(state: Mapping[str, Value], output: Value, *, indices: bool) -> Value:
    """Return a pooling's result, with the places of the largest where they are asked for."""
    asked = flag(state.get("return_indices"), default=False)
    if indices and asked is not False:
        x = array(output)
        assert x is not None
        places = tensor(x.shape, "int64", output, device=x.device)
        return Value((output, places), output.origins) if asked else unknown(output)
    return output


def adaptive(count: int, *, indices: bool) -> Forward:
    """Return the forward of a pooling to a given size over ``count`` axes."""

    def forward(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
        if not has_rank(x, value, count + 1, count + 2) or x.shape is None:
            return result(x, None, value)
        wanted = axes(state, "output_size", count, [Value(UNKNOWN)] * count)
        lengths = [
            n if w.data is None else w for n, w in zip(x.shape[-count:], wanted, strict=True)
        ]
        target = result(x, (*x.shape[:-count], *lengths), value)
        return with_indices(state, target, indices=indices)

    return forward


for _n in (1, 2, 3):
    layer(f"Conv{_n}d")(convolution(_n, transposed=False))
    layer(f"ConvTranspose{_n}d")(convolution(_n, transposed=True))
    functional(f"conv{_n}d", "weight bias stride padding dilation groups")(
        functional_convolution(_n, transposed=False)
    )
    functional(f"conv_transpose{_n}d", "weight bias stride padding output_padding groups dilation")(
        functional_convolution(_n, transposed=True)
    )
    layer(f"MaxPool{_n}d")(pooling(_n, indices=True))
    layer(f"AvgPool{_n}d")(pooling(_n, indices=False))
    functional(f"max_pool{_n}d", "kernel_size stride padding dilation ceil_mode return_indices")(
        pooling(_n, indices=True)
    )
    functional(f"avg_pool{_n}d", "kernel_size stride padding ceil_mode")(pooling(_n, indices=False))
    layer(f"AdaptiveAvgPool{_n}d")(adaptive(_n, indices=False))
    layer(f"AdaptiveMaxPool{_n}d")(adaptive(_n, indices=True))
    functional(f"adaptive_avg_pool{_n}d", "output_size")(adaptive(_n, indices=False))
    functional(f"adaptive_max_pool{_n}d", "output_size return_indices")(adaptive(_n, indices=True))


# --- normalization, embedding, shapes -------------------------------------------------------------


def batch_norm(*ranks: int) -> Forward:
    """Return the forward of a normalization over the batch."""

    def forward(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
        known = has_rank(x, value, *ranks)
        fits_weights(state, x, value)
        if known and x.shape is not None and "num_features" in state:
            at = 1 if len(x.shape) == ranks[-1] or "Batch" in call.name else 0
            arrays.same(x.shape[at], state["num_features"], "running_mean has another size")
            training = flag(state.get("training"), default=True)
            rest = arrays.product([d for i, d in enumerate(x.shape) if i != at])
            if "Batch" in call.name and training and size(rest) == 1:
                message = "Expected more than 1 value per channel when training"
                raise Raised("size", message, rest, Value(2))
        return result(x, x.shape, value)

    return forward


layer("_BatchNorm", "SyncBatchNorm")(batch_norm(2, 3, 4, 5))
layer("BatchNorm1d")(batch_norm(2, 3))
layer("BatchNorm2d")(batch_norm(4))
layer("BatchNorm3d")(batch_norm(5))
layer("InstanceNorm1d")(batch_norm(2, 3))
layer("InstanceNorm2d")(batch_norm(3, 4))
layer("InstanceNorm3d")(batch_norm(4, 5))


@functional("layer_norm", "normalized_shape weight bias eps")
@layer("LayerNorm", "RMSNorm")
def _layer_norm(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    given = state.get("normalized_shape")
    wanted = None if given is None else dims_of((given,))
    if wanted is not None and x.shape is not None:
        if len(wanted) > len(x.shape):
            sides = Value(len(x.shape), value.origins), Value(len(wanted), merged(*wanted))
            raise Raised("size", "normalized_shape has more dimensions than the input", *sides)
        for dim, size_ in zip(x.shape[-len(wanted) :], wanted, strict=True):
            arrays.same(dim, size_, "normalized_shape is not the input's last sizes")
    elif wanted and x.last is not None:
        arrays.same(x.last, wanted[-1], "normalized_shape is not the input's last sizes")
    if "weight" not in state:
        fits_weights(state, x, value)
    return arrays.with_last(result(x, x.shape, value), x.last)


@layer("GroupNorm")
def _group_norm(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    if x.shape is not None and len(x.shape) > 1 and "num_channels" in state:
        arrays.same(x.shape[1], state["num_channels"], "expected another number of channels")
    fits_weights(state, x, value)
    return result(x, x.shape, value)


@layer("Embedding")
def _embedding(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    state = by_weight(state, "num_embeddings", "embedding_dim")
    if x.dtype is not None and x.dtype not in ("int64", "int32"):
        message = f"Expected tensor for argument #1 'indices' to be Long or Int, but got {x.dtype}"
        raise Raised("type", message, value)
    if "num_embeddings" in state:
        bounded(x, value, state["num_embeddings"])
    out = state.get("embedding_dim", Value(UNKNOWN))
    shape = None if x.shape is None else (*x.shape, out)
    made = result(x, shape, value, _of_weights(state), dtype=weight_dtype(state))
    return arrays.with_last(made, out)


def _of_weights(state: Mapping[str, Value]) -> Value:
    """Return what decided the dtype of a layer's parameters, and that alone."""
    given = state.get("dtype", Value(None))
    return Value(None, frozenset(of_dtype(place) for place in given.origins if place[1] > 0))


@functional("embedding", "weight padding_idx")
def _functional_embedding(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    weight = array(state.get("weight"))
    if weight is None or weight.shape is None or len(weight.shape) != 2:
        return result(x, None, value)
    made = {"num_embeddings": weight.shape[0], "embedding_dim": weight.shape[1]}
    return _embedding(made, x, value, call)


@layer("Flatten")
def _flatten(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    shape = flattened(x.shape, state.get("start_dim"), state.get("end_dim"), first=1)
    return tensor(shape, x.dtype, value, device=x.device)


@layer("Unflatten")
def _unflatten(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    shape = unflattened(x.shape, state.get("dim"), state.get("unflattened_size"))
    return tensor(shape, x.dtype, value, device=x.device)


@layer("Softmax", "LogSoftmax")
def _softmax(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    needs_floating(x, value, "softmax")
    axis = state.get("dim")
    if x.shape is not None and axis is not None and axis.data is not None:
        axis_of(axis, len(x.shape))
    return result(x, x.shape, value)


@layer(*ELEMENTWISE)
def _elementwise(_: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    return kept(call, x, value)


@functional("glu", "dim")
@layer("GLU")
def _glu(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    axis = state.get("dim", Value(-1))
    at = None if x.shape is None else axis_of(axis, len(x.shape))
    if x.shape is None or at is None:
        return result(x, None, value)
    number = size(x.shape[at])
    half = Value(UNKNOWN if number is None else number // 2, x.shape[at].origins)
    return result(x, (*x.shape[:at], half, *x.shape[at + 1 :]), value)


@functional("interpolate", "size scale_factor mode")
@functional("upsample", "size scale_factor mode")
@layer("Upsample")
def upsampled(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    """Return an image with sides of another length (PyTorch, ``torch.nn.Upsample``)."""
    if x.shape is None or len(x.shape) < 3:
        return result(x, None, value)
    count = len(x.shape) - 2
    if state.get("size", Value(None)).data is not None:
        return result(x, (*x.shape[:2], *axes(state, "size", count, 1)), value)
    scale = state.get("scale_factor")
    factors = [scale] * count if scale is not None else []
    if scale is not None and isinstance(scale.data, list | tuple):
        factors = list(scale.data)
    lengths = [unknown(n) for n in x.shape[2:]]
    if len(factors) == count:
        lengths = [_scaled(n, factor) for n, factor in zip(x.shape[2:], factors, strict=True)]
    return result(x, (*x.shape[:2], *lengths), value)


def _scaled(length: Value, factor: Value) -> Value:
    number, by = size(length), factor.data
    known = number is not None and isinstance(by, int | float)
    return Value(int((number or 0) * by) if known else UNKNOWN, merged(length, factor))  # type: ignore[operator]


@functional("pixel_shuffle", "upscale_factor")
@layer("PixelShuffle")
def _pixel_shuffle(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    factor = size(state.get("upscale_factor"))
    if x.shape is None or len(x.shape) < 3 or not factor:
        return result(x, None, value)
    scale = state["upscale_factor"]
    channels = size(x.shape[-3])
    if channels is not None and channels % factor**2:
        raise Raised("size", "pixel_shuffle: channels are not divisible", x.shape[-3], scale)
    fewer = Value(UNKNOWN if channels is None else channels // factor**2, x.shape[-3].origins)
    shape = (*x.shape[:-3], fewer, times(x.shape[-2], scale), times(x.shape[-1], scale))
    return result(x, shape, value)


@functional("unfold", "kernel_size dilation padding stride")
@layer("Unfold")
def _unfold(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    """Return the patches of images as columns (PyTorch, ``torch.nn.Unfold``)."""
    if x.shape is None or len(x.shape) != 4:
        return result(x, None, value)
    kernel, pads = axes(state, "kernel_size", 2, [Value(UNKNOWN)] * 2), axes(state, "padding", 2, 0)
    stride, dilation = axes(state, "stride", 2, 1), axes(state, "dilation", 2, 1)
    lengths = [window(x.shape[2 + i], kernel[i], stride[i], pads[i], dilation[i]) for i in range(2)]
    shape = (x.shape[0], arrays.product((x.shape[1], *kernel)), arrays.product(lengths))
    return result(x, shape, value)


@functional("pad", "pad mode value")
@layer(*(f"{kind}Pad{n}d" for kind in ("Zero", "Constant", *PADS) for n in (1, 2, 3)))
def _pad(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    given = state.get("pad", state.get("padding"))
    if given is None or x.shape is None:
        return tensor(None, x.dtype, value, device=x.device)
    amounts = list(given.data) if isinstance(given.data, list | tuple) else []
    if size(given) is not None and call.name[-1:] == "d" and call.name[-2:-1].isdigit():
        amounts = [given] * (2 * int(call.name[-2]))
    if not amounts or len(amounts) % 2 or len(amounts) > 2 * len(x.shape):
        return tensor(None, x.dtype, value, device=x.device)
    shape = list(x.shape)
    for i in range(len(amounts) // 2):
        parts = (shape[-1 - i], *amounts[2 * i : 2 * i + 2])
        numbers = [size(p) for p in parts]
        whole = None if None in numbers else sum(n or 0 for n in numbers)
        shape[-1 - i] = Value(UNKNOWN if whole is None else whole, merged(*parts))
    return tensor(shape, x.dtype, value, device=x.device)


layer("UpsamplingBilinear2d", "UpsamplingNearest2d")(upsampled)


@functional("pixel_unshuffle", "downscale_factor")
@layer("PixelUnshuffle")
def _pixel_unshuffle(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    scale = state.get("downscale_factor")
    factor = size(scale)
    if x.shape is None or len(x.shape) < 3 or not factor or scale is None:
        return result(x, None, value)
    lengths = []
    for dim in x.shape[-2:]:
        length = size(dim)
        if length is not None and length % factor:
            raise Raised("size", "pixel_unshuffle: a side is not divisible", dim, scale)
        fewer: object = UNKNOWN if length is None else length // factor
        lengths.append(Value(fewer, merged(dim, scale)))
    more = arrays.product((x.shape[-3], Value(factor**2, scale.origins)))
    return result(x, (*x.shape[:-3], more, *lengths), value)


@layer("ChannelShuffle")
def _channel_shuffle(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    groups = state["groups"]
    channels, count = size(x.shape[1]) if x.shape and len(x.shape) > 1 else None, size(groups)
    if channels is not None and count and channels % count and x.shape:
        raise Raised("size", "channels must be divisible by groups", x.shape[1], groups)
    return result(x, x.shape, value)


@functional("fold", "output_size kernel_size dilation padding stride")
@layer("Fold")
def _fold(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    sides = axes(state, "output_size", 2, [Value(UNKNOWN)] * 2)
    kernel = axes(state, "kernel_size", 2, [Value(UNKNOWN)] * 2)
    if x.shape is None or len(x.shape) != 3:
        return result(x, None, value)
    area = arrays.product(kernel)
    channels, window = size(x.shape[1]), size(area)
    if channels is not None and window and channels % window:
        raise Raised("size", "fold: the columns are no multiple of the window", x.shape[1], area)
    fewer: object = UNKNOWN if channels is None or not window else channels // window
    return result(x, (x.shape[0], Value(fewer, x.shape[1].origins), *sides), value)


@layer("EmbeddingBag")
def _embedding_bag(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    out = state.get("embedding_dim", Value(UNKNOWN))
    return _reduced_bags(state, x, value, array(call.given(1, "offsets")), out)


@functional(
    "embedding_bag",
    "weight offsets max_norm norm_type scale_grad_by_freq mode sparse per_sample_weights "
    "include_last_offset padding_idx",
)
def _functional_embedding_bag(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    weight = array(state.get("weight"))
    shape = None if weight is None else weight.shape
    out = shape[1] if shape is not None and len(shape) == 2 else Value(UNKNOWN)
    return _reduced_bags(state, x, value, array(state.get("offsets")), out)


def _reduced_bags(
    state: Mapping[str, Value], x: Array, value: Value, offsets: Array | None, out: Value
) -> Value:
    """Return a row of ``out`` numbers for each bag of indices."""
    bags: Shape | None = x.shape[:1] if x.shape is not None and len(x.shape) == 2 else None
    if offsets is not None and (x.shape is None or len(x.shape) == 1):
        last = flag(state.get("include_last_offset"), default=False)
        bags = offsets.shape if last is False else None
    return tensor(None if bags is None else (*bags, out), "float32", value, device=x.device)


@MODELS.function("torch.nn.Embedding.from_pretrained")
def _pretrained(_: Interpreter, call: Call) -> Value:
    weight = call.given(0, "embeddings")
    x = array(weight)
    if x is None or weight is None or x.shape is None or len(x.shape) != 2:
        return call.unknown()
    state = {"num_embeddings": x.shape[0], "embedding_dim": x.shape[1], "weight": weight}
    return Value(LibraryObject("torch.nn.Embedding", (), {}, call.place, state), weight.origins)


for _name, _parameters in (
    ("batch_norm", "running_mean running_var weight bias training momentum eps"),
    ("instance_norm", "running_mean running_var weight bias use_input_stats momentum eps"),
    ("group_norm", "num_groups weight bias eps"),
    ("rms_norm", "normalized_shape weight eps"),
):

    def _normalized(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
        wanted = state.get("normalized_shape")
        if wanted is not None and x.shape is not None:
            dims = dims_of((wanted,)) or ()
            for mine, expected in zip(x.shape[len(x.shape) - len(dims) :], dims, strict=False):
                arrays.same(mine, expected, "normalized_shape does not fit the input")
        mean = array(state.get("running_mean"))
        if mean is not None and mean.shape and x.shape is not None and len(x.shape) > 1:
            message = "running_mean should contain as many elements as there are channels"
            arrays.same(mean.shape[0], x.shape[1], message)
        groups = state.get("num_groups")
        channels = size(x.shape[1]) if x.shape is not None and len(x.shape) > 1 else None
        count = size(groups)
        if groups is not None and channels is not None and count and channels % count and x.shape:
            reason = "the number of channels must be divisible by num_groups"
            raise Raised("size", reason, x.shape[1], groups)
        return result(x, x.shape, value)

    functional(_name, _parameters)(_normalized)


@functional("grid_sample", "grid mode padding_mode align_corners")
def _grid_sample(state: Mapping[str, Value], x: Array, value: Value, _: Call) -> Value:
    grid = array(state.get("grid"))
    if x.shape is None or grid is None or grid.shape is None or len(grid.shape) != len(x.shape):
        return result(x, None, value)
    arrays.same(x.shape[0], grid.shape[0], "grid_sample: batches differ")
    return result(x, (*x.shape[:2], *grid.shape[1:-1]), value)


@MODELS.function("torch.nn.functional.affine_grid")
def _affine_grid(_: Interpreter, call: Call) -> Value:
    theta, wanted = array(call.given(0, "theta")), call.given(1, "size")
    dims = None if wanted is None else dims_of((wanted,))
    if dims is None or len(dims) < 3:
        return call.unknown()
    if theta is not None and theta.shape:
        arrays.same(theta.shape[0], dims[0], "affine_grid: batches differ")
    return tensor((dims[0], *dims[2:], Value(len(dims) - 2)), "float32", *call.args)


# --- recurrent layers, attention ------------------------------------------------------------------


@layer("LSTM", "GRU", "RNN")
def _recurrent(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    known = has_rank(x, value, 2, 3)
    fits_weights(state, x, value)
    short = call.name.rpartition(".")[2]
    hidden = state.get("hidden_size", Value(UNKNOWN))
    count = state.get("num_layers", Value(1))
    both = flag(state.get("bidirectional"), default=False)
    first = flag(state.get("batch_first"), default=False)
    both_ways = state.get("bidirectional", Value(None))
    ways = Value(UNKNOWN if both is None else 2 if both else 1, both_ways.origins)
    projected = state.get("proj_size")
    out = projected if projected is not None and size(projected) else hidden
    if not known or x.shape is None:
        # Most sequences come in batches.
        batches: Shape = (_made_at(call, times(count, ways)), Value(UNKNOWN, value.origins))
        output = arrays.with_last(result(x, None, value), times(out, ways))
        last = result(x, arrays.guessed((*batches, out)), value)
        if short == "LSTM":
            cells = result(x, arrays.guessed((*batches, hidden)), value)
            last = Value((last, cells), value.origins)
        return Value((output, last), value.origins)
    if "input_size" in state:
        message = "input.size(-1) must be equal to input_size"
        arrays.same(x.shape[-1], state["input_size"], message)
    batch: Shape = ()
    if len(x.shape) == 3:
        batch = (Value(UNKNOWN),) if first is None else (x.shape[0 if first else 1],)
    start = (_made_at(call, times(count, ways)), *batch)
    given = call.given(1, "hx")
    if given is not None and given.data is not None:
        parts = [given]
        widths = [out]
        if short == "LSTM":
            if isinstance(given.data, Array):
                raise Raised("type", "For LSTM hx should be a tuple of two tensors", given)
            parts = list(given.data) if isinstance(given.data, list | tuple) else []
            widths = [out, hidden]
        for part, width in zip(parts, widths, strict=False):
            _has_shape(part, (*start, width))
    output = result(x, (*x.shape[:-1], times(out, ways)), value)
    last = result(x, (*start, out), value)
    if short == "LSTM":
        last = Value((last, result(x, (*start, hidden), value)), value.origins)
    return Value((output, last), value.origins)


def _made_at(call: Call, dim: Value) -> Value:
    """Return an axis that its input did not have as made by a call."""
    return Value(dim.data, dim.origins | {call.place})


def _has_shape(value: Value, wanted: Shape) -> None:
    """Raise where a hidden state has another shape than the layer's."""
    x = array(value)
    if x is None or x.shape is None:
        return
    if len(x.shape) != len(wanted):
        sides = Value(len(x.shape), value.origins), Value(len(wanted))
        raise Raised("size", "the hidden state has another number of dimensions", *sides)
    for dim, expected in zip(x.shape, wanted, strict=True):
        arrays.same(dim, expected, "Expected hidden size differs")


@layer("LSTMCell", "GRUCell", "RNNCell")
def _cell(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    fits_weights(state, x, value)
    hidden = state.get("hidden_size", Value(UNKNOWN))
    shape: Shape | None = None
    if has_rank(x, value, 1, 2) and x.shape is not None:
        if "input_size" in state:
            arrays.same(x.shape[-1], state["input_size"], "input has inconsistent input_size")
        shape = (*x.shape[:-1], hidden)
        given = call.given(1, "hx")
        parts = given.data if given is not None and isinstance(given.data, tuple) else (given,)
        for part in parts:
            if isinstance(part, Value):
                _has_shape(part, shape)
    output = result(x, shape, value)
    return Value((output, output), value.origins) if "LSTM" in call.name else output


@layer("MultiheadAttention")
def _attention(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    width = state.get("embed_dim", Value(UNKNOWN))
    fits_weights(state, x, value)
    key = call.given(1, "key")
    y = array(key)
    for operand, name in ((value, ""), (key, "kdim"), (call.given(2, "value"), "vdim")):
        data = array(operand)
        given = state.get(name)
        wanted = width if given is None or given.data is None else given
        if data is not None and data.shape:
            arrays.same(data.shape[-1], wanted, "was expecting another embedding dimension")
    free = result(x, None, value)
    if x.shape is None or y is None or y.shape is None or key is None:
        return Value((result(x, x.shape, value), free), value.origins)
    has_rank(x, value, 2, 3)
    first = flag(state.get("batch_first"), default=False)
    weights = free
    if len(x.shape) == len(y.shape) == 3 and first is not None:
        n, length = (0, 1) if first else (1, 0)
        arrays.same(x.shape[n], y.shape[n], "the key's batch size is not the query's")
        weights = result(x, (x.shape[n], x.shape[length], y.shape[length]), value, key)
    asked = flag(call.given(4, "need_weights"), default=True)
    last = weights if asked else Value(None) if asked is False else unknown(weights)
    return Value((result(x, x.shape, value), last), value.origins)


@layer(
    "TransformerEncoderLayer", "TransformerDecoderLayer", "TransformerEncoder", "TransformerDecoder"
)
def _transformer_layer(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    return _transformed(
        state, x, value, call.given(1, "memory") if "Decoder" in call.name else None
    )


@layer("Transformer")
def _transformer(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    target = call.given(1, "tgt")
    y = array(target)
    settings = {"d_model": Value(512), **state}
    if target is None or y is None:
        return result(x, None, value)
    _transformed(settings, x, value, None)
    return _transformed(settings, y, target, value)


def _transformed(state: Mapping[str, Value], x: Array, value: Value, memory: Value | None) -> Value:
    inner = state_of(state.get("encoder_layer", state.get("decoder_layer")))
    settings = inner if inner is not None else state
    has_rank(x, value, 2, 3)
    fits_weights(settings, x, value)
    other = array(memory)
    if "d_model" in settings:
        message = "the feature number of the input must be equal to d_model"
        for data in (x, other):
            if data is not None and data.shape:
                arrays.same(data.shape[-1], settings["d_model"], message)
    first = flag(settings.get("batch_first"), default=False)
    if first is not None and other is not None and (rank_of(x), rank_of(other)) == (3, 3):
        at = 0 if first else 1
        assert x.shape is not None
        assert other.shape is not None
        arrays.same(x.shape[at], other.shape[at], "the batch sizes must be equal")
    return result(x, x.shape, value)


@MODELS.function("torch.nn.functional.scaled_dot_product_attention")
def _dot_product(_: Interpreter, call: Call) -> Value:
    operands = [call.given(i, n) for i, n in enumerate(("query", "key", "value"))]
    q, k, v = (array(o) for o in operands)
    if q is None or operands[0] is None:
        return call.unknown()
    if k is None or v is None or not q.shape or not k.shape or not v.shape:
        return result(q, None, operands[0])
    arrays.same(q.shape[-1], k.shape[-1], "the last sizes of query and key differ")
    return result(q, (*q.shape[:-1], v.shape[-1]), *(o for o in operands if o is not None))


# --- containers, methods of all modules -----------------------------------------------------------

CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict")


def contain(interpreter: Interpreter, short: str, call: Call, state: State) -> None:
    """Put a container's modules into its state: a list of them, or a dictionary by their names."""
    args = list(call.args)
    if short != "Sequential":
        items = interpreter.iterate(args[0]) if args and short.endswith("List") else None
        if items is not None:
            state[PARTS] = Value(items)
        elif "Dict" in short:
            _contain_named(interpreter, args[0] if args else Value({}), state)
        else:
            state[PARTS] = args[0] if args else Value([])
        return
    if len(args) == 1 and isinstance(args[0].data, dict):
        _contain_named(interpreter, args[0], state)
        return
    state[PARTS] = Value(args)


def _contain_named(interpreter: Interpreter, given: Value, state: State) -> None:
    """Put modules that are given by name, in a dictionary or in pairs, into a container's state."""
    entries = _entries(interpreter, given)
    if entries is None:
        state[PARTS] = given if not isinstance(given.data, dict) else unknown(given)
        return
    held = state.setdefault(PARTS, Value({}, given.origins))
    for name, value in entries.items():
        if isinstance(held.data, dict):
            held.data[name] = value
        state[name] = value


def _entries(interpreter: Interpreter, given: Value) -> dict[str, Value] | None:
    """Return what a dictionary, another container or pairs hold by name, None where not known."""
    inner = (state_of(given) or {}).get(PARTS)
    data = given.data if inner is None else inner.data
    if isinstance(data, dict):
        return {str(name): value for name, value in data.items()}
    pairs = interpreter.iterate(given) if isinstance(data, (list, tuple)) else None
    if not isinstance(pairs, list):
        return None
    entries: dict[str, Value] = {}
    for pair in pairs:
        if not isinstance(pair.data, (list, tuple)) or len(pair.data) != 2:
            return None
        name = text(pair.data[0])
        if name is None:
            return None
        entries[name] = pair.data[1]
    return entries


def _inside(call: Call) -> Value:
    state = state_of(call.receiver)
    return Value(UNKNOWN) if state is None else state.get(PARTS, Value(UNKNOWN))


def _in_order(layers: Value) -> list[Value] | None:
    """Return a container's modules, None where they are not all known."""
    if isinstance(layers.data, dict):
        return [item for item in layers.data.values() if isinstance(item, Value)]
    return layers.data if isinstance(layers.data, list) else None


@MODELS.object("torch.nn.Sequential", "torch.Sequential")
def _sequential(interpreter: Interpreter, call: Call) -> Value:
    layers = _in_order(_inside(call))
    if layers is None or not call.args:
        return call.unknown()
    value = call.args[0]
    for item in layers:
        value = interpreter.call(item, (value,), {}, call.place)
    return value


def _items(_: Interpreter, call: Call) -> Value:
    layers = _inside(call)
    if not layers.known:
        return Value(Lazy(layers, Value(UNKNOWN)))
    if isinstance(layers.data, dict) and call.name in ("items", "keys"):
        names = {k: value_of(k, NOWHERE) for k in layers.data}
        if call.name == "keys":
            return Value(list(names.values()))
        return Value([Value((names[k], v)) for k, v in layers.data.items()])
    return Value(list(layers.data.values())) if isinstance(layers.data, dict) else layers


def _names(_: Interpreter, call: Call) -> Value:
    layers = _inside(call)
    return Value(Lazy(layers, Value(UNKNOWN))) if not layers.known else layers


def _length(_: Interpreter, call: Call) -> Value:
    layers = _inside(call)
    if isinstance(layers.data, Lazy):
        return layers.data.length
    if isinstance(layers.data, list | dict):
        return Value(
            len(layers.data), merged(*(call.receiver,)) if call.receiver else layers.origins
        )
    return unknown(layers)


def _has(_: Interpreter, call: Call) -> Value:
    """Model ``in`` of dictionaries of modules or parameters."""
    layers, key = _inside(call), call.args[0]
    if not isinstance(layers.data, dict) or not isinstance(key.data, str):
        return call.unknown()
    return Value(key.data in layers.data, key.origins)


def _part(_: Interpreter, call: Call) -> Value:
    layers, key = _inside(call), call.args[0] if call.args else Value(None)
    number = size(key)
    bounds = key.data.args if isinstance(key.data, LibraryObject) else ()
    parts = _in_order(layers) if not isinstance(key.data, str) else None
    if bounds and parts is not None:
        limits = [None if b.data is None else size(b) for b in bounds]
        known = all(b.data is None or size(b) is not None for b in bounds)
        if known and limits[2:] != [0]:
            return _slice(call, layers, slice(*limits), bounds)
    if parts is not None and number is not None:
        if not -len(parts) <= number < len(parts):
            raise Raised("index", "index is out of range", key, Value(len(parts)))
        item = parts[number]
        return item if isinstance(item, Value) else call.unknown()
    if isinstance(layers.data, Lazy) and not bounds:
        return layers.data.item
    if isinstance(layers.data, dict) and isinstance(key.data, str):
        if key.data in layers.data:
            item = layers.data[key.data]
            return item if isinstance(item, Value) else call.unknown()
        raise Raised("key", f"{key.data!r}", key, layers)
    return call.unknown()


def _slice(call: Call, layers: Value, limits: slice, bounds: Sequence[Value]) -> Value:
    """Return a container of some of the modules of another."""
    held = call.held
    state: State = {}
    if isinstance(layers.data, dict):
        state.update(list(layers.data.items())[limits])
        state[PARTS] = Value(dict(state), layers.origins)
    elif isinstance(layers.data, list):
        state[PARTS] = Value(layers.data[limits], layers.origins)
    name = "torch.nn.Sequential" if held is None else held.name
    return Value(
        LibraryObject(name, (), {}, call.place, state), merged(call.receiver or layers, *bounds)
    )


def _set_part(_: Interpreter, call: Call) -> Value:
    """Model the assignment of a module to a place of a container."""
    layers, state = _inside(call), state_of(call.receiver)
    if len(call.args) != 2 or state is None:
        return Value(None)
    key, value = call.args
    number = size(key)
    if isinstance(layers.data, list) and number is not None:
        if not -len(layers.data) <= number < len(layers.data):
            raise Raised("index", "index is out of range", key, Value(len(layers.data)))
        layers.data[number] = value
    elif isinstance(layers.data, dict):
        name = key.data
        if number is not None and -len(layers.data) <= number < len(layers.data):
            name = list(layers.data)[number]
        if isinstance(name, str):
            layers.data[name] = state[name] = value
        else:
            state[PARTS] = unknown(layers, key)
    return Value(None)


def _drop_part(_: Interpreter, call: Call) -> Value:
    """Model ``pop`` and ``del`` of containers."""
    layers, key = _inside(call), call.args[0] if call.args else Value(-1)
    names = list(layers.data) if isinstance(layers.data, dict) else []
    number, dropped = size(key), call.unknown()
    if isinstance(layers.data, list) and number is not None:
        if not -len(layers.data) <= number < len(layers.data):
            raise Raised("index", "index is out of range", key, Value(len(layers.data)))
        dropped = layers.data.pop(number)
    elif isinstance(layers.data, dict):
        name = key.data
        if number is not None and -len(names) <= number < len(names):
            name = names[number]
        state = state_of(call.receiver)
        if name in layers.data and state is not None:
            dropped = layers.data.pop(name)
            state.pop(str(name), None)
    return Value(None) if call.name == "__delitem__" else dropped


def _append(interpreter: Interpreter, call: Call) -> Value:
    layers, name, state = _inside(call), call.name, state_of(call.receiver)
    data = layers.data
    value = call.args[-1] if call.args else Value(UNKNOWN)
    if name in ("add_module", "register_module"):
        called = call.given(0, "name")
        value = call.given(1, "module") or value
        if called is not None and isinstance(called.data, str) and state is not None:
            keep_in(state, called.data, value)
        return Value(None)
    if name in ("extend", "__iadd__"):
        added = _in_order((state_of(value) or {}).get(PARTS, Value(UNKNOWN)))
        if added is None:
            items = interpreter.iterate(value)
            added = items if isinstance(items, list) else None
        if added is None and state is not None:
            state[PARTS] = unknown(layers, value)
    else:
        added = [value]
    at = size(call.args[0]) if name == "insert" and call.args else None
    if isinstance(data, list) and at is not None:
        data.insert(at, value)
    elif isinstance(data, list):
        data.extend(added or [])
    elif isinstance(data, dict) and state is not None:
        for item in added or []:
            keep_in(state, str(len(data)), item)
    return Value(None) if call.receiver is None else call.receiver


def _update(interpreter: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver)
    if state is not None and call.args:
        _contain_named(interpreter, call.args[0], state)
    return Value(None)


for _short in CONTAINERS:
    MODELS.method(_short, "children", "values", "items", "keys")(_items)
    MODELS.method(_short, "__iter__")(_names if "Dict" in _short else _items)
    MODELS.method(_short, "__len__")(_length)
    MODELS.method(_short, "__getitem__")(_part)
    MODELS.method(_short, "__setitem__")(_set_part)
    MODELS.method(_short, "__delitem__")(_drop_part)
    if _short != "Sequential":
        MODELS.method(_short, "pop")(_drop_part)
    MODELS.method(_short, "append", "extend", "insert", "__iadd__")(_append)
    MODELS.method(_short, "add_module", "register_module")(_append)
    if "Dict" in _short:
        MODELS.method(_short, "__contains__")(_has)
        MODELS.method(_short, "update")(_update)
constructor(*CONTAINERS)


def change(value: Value, name: str, setting: Value, seen: set[int]) -> None:
    """Set an option of a module and of all modules in it."""
    data = value.data
    if id(data) in seen or len(seen) > 2000:
        return
    seen.add(id(data))
    inner: list[Value] = []
    if isinstance(data, LibraryObject):
        if data.name.startswith("torch.nn."):
            data.state[name] = setting
            own = data.state.get(OWN, Value(None)).data
            held = [data.state.get(part) for part in ("weight", "bias")]
            held += [v for v in own.values() if v.data] if isinstance(own, dict) else []
            for part in held:
                x = array(part)
                if x is not None and x.dtype in WHOLE and name == "dtype":
                    continue
                if x is not None and name == "dtype":
                    x.dtype = dtype_of(setting)
                elif x is not None and name == "device":
                    x.device = device_of(setting)
        inner = list(data.state.values())
    elif isinstance(data, Instance):
        if name == "training":
            data.attributes[name] = setting
        inner = list(data.attributes.values())
        for item in inner:
            if isinstance(item.data, Stored) and name == "dtype" and item.data.dtype in FLOATING:
                item.data.dtype = dtype_of(setting)
    elif isinstance(data, list | tuple):
        inner = [v for v in data if isinstance(v, Value)]
    elif isinstance(data, dict):
        inner = [v for v in data.values() if isinstance(v, Value)]
    for item in inner:
        if not isinstance(item.data, Array):
            change(item, name, setting, seen)


def _to(_: Interpreter, call: Call) -> Value:
    if call.receiver is None:
        return call.unknown()
    for given in (*call.args, *call.keywords.values()):
        if dtype_of(given) is not None:
            change(call.receiver, "dtype", given, set())
        elif not isinstance(given.data, bool):
            change(call.receiver, "device", given, set())
    return call.receiver


def _moved(_: Interpreter, call: Call) -> Value:
    if call.receiver is None:
        return call.unknown()
    place = frozenset({call.place})
    name = {"half": "float16", "float": "float32", "double": "float64"}.get(call.name, call.name)
    if call.name in ("cuda", "cpu"):
        asked = call.given(0, "device")
        device = asked if asked is not None else Value(name, place)
        change(call.receiver, "device", device, set())
    elif call.name in ("train", "eval"):
        mode = call.given(0, "mode") if call.name == "train" else Value(False, place)
        change(call.receiver, "training", mode or Value(True, place), set())
    else:
        change(call.receiver, "dtype", Value(name, place), set())
    return call.receiver


def _register(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver)
    name = call.given(0, "name")
    value = call.given(1, "tensor", "param", "module")
    if state is not None and name is not None and value is not None and isinstance(name.data, str):
        lasts = flag(call.given(2, "persistent"), default=True) is not False
        role = "buffer" if lasts else "passing buffer"
        is_buffer = call.name == "register_buffer"
        keep_in(state, name.data, _unplaced(value, role) if is_buffer else value)
    return Value(None)


def _unplaced(value: Value, role: str, needs: bool | None = True) -> Value:
    """Return a parameter or buffer: it moves with its module, so its device is left open."""
    x = array(value)
    if x is None:
        return value
    fields = x.shape, x.dtype, x.library, None, x.lowest, x.highest
    return Value(Stored(*fields, role=role, needs=needs and role == "parameter"), value.origins)


@MODELS.function("torch.nn.Parameter", "torch.nn.Buffer", "torch.Parameter")
def _parameter(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "data")
    if value is None:
        return _unplaced(tensor((Value(0),), "float32"), "parameter")
    x = array(value)
    if x is not None and x.dtype in WHOLE and "requires_grad" not in call.keywords:
        raise Raised("type", "Only Tensors of floating point dtype can require gradients", value)
    kind = kind_of(value)
    if kind not in (None, "NoneType"):
        raise Raised("type", f"expected a Tensor, not {kind}", value)
    return _unplaced(value, "parameter", flag(call.given(1, "requires_grad"), default=True))


def add_module_methods(short: str) -> None:
    """Register the methods that all modules have for one more class."""
    MODELS.method(short, "to")(_to)
    MODELS.method(short, "cuda", "cpu", "half", "float", "double", "bfloat16")(_moved)
    MODELS.method(short, "train", "eval")(_moved)
    MODELS.method(short, "requires_grad_", "apply", "share_memory")(itself)
    MODELS.method(short, "zero_grad")(nothing)
    if short not in CONTAINERS:
        MODELS.method(short, "register_buffer", "register_parameter")(_register)
        MODELS.method(short, "register_module", "add_module")(_register)


for _short in (*MODULES, *SIGNATURES, *ELEMENTWISE):
    add_module_methods(_short)
