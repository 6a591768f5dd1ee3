"""The parameters and buffers of PyTorch's modules, with their names and shapes, and the modules.

Sources: PyTorch's documentation of ``Module.named_parameters``, ``named_modules``, ``state_dict``
and ``apply``, and the variables that the page of each layer lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.jax.flax
import dl_bug_lsp.interpretation.libraries.python.processes  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.python.standard_library import copied
from dl_bug_lsp.interpretation.libraries.torch.layers import (
    CONTAINERS,
    ELEMENTWISE,
    MODULES,
    OWN,
    SIGNATURES,
    fill,
)
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    Stored,
    device_of,
    dims_of,
    dtype_of,
    flag,
)
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.values import (
    PARTS,
    UNKNOWN,
    Array,
    ClassValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    Origin,
    Origins,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MAX_PARTS = 2_000
MAX_DEPTH = 16
MOST_APPLIED = 600
BUFFERS = ("running_mean", "running_var", "num_batches_tracked")
Own = dict[str, Value]
State = Mapping[str, Value]


class _NotKnown(Exception):
    """A module may have parameters that are not known."""


# --- the parameters of each layer -----------------------------------------------------------------


def _dim(state: State, name: str, default: int | None = None) -> Value:
    dim = state.get(name)
    if dim is None:
        return Value(default if default is not None else UNKNOWN)
    return dim if size(dim) is not None else Value(UNKNOWN, dim.origins)


def _times(value: Value, factor: int) -> Value:
    return arrays.product((value, Value(factor)))


def _divided(value: Value, by: Value) -> Value:
    a, b = size(value), size(by)
    return Value(a // b if a is not None and b else UNKNOWN, merged(value, by))


def _is_on(state: State, name: str, *, default: bool) -> bool:
    given = state.get(name)
    if given is not None and (given.data is None or isinstance(given.data, Array)):
        # A layer's bias takes the place of the argument that asks for it.
        return given.data is not None
    is_on = flag(given, default=default)
    if is_on is None:
        raise _NotKnown
    return is_on


def _linear(state: State, _: str) -> dict[str, Sequence[Value]]:
    out = _dim(state, "out_features")
    shapes: dict[str, Sequence[Value]] = {"weight": (out, _dim(state, "in_features"))}
    if _is_on(state, "bias", default=True):
        shapes["bias"] = (out,)
    return shapes


def _bilinear(state: State, _: str) -> dict[str, Sequence[Value]]:
    out = _dim(state, "out_features")
    sides = (_dim(state, "in1_features"), _dim(state, "in2_features"))
    shapes: dict[str, Sequence[Value]] = {"weight": (out, *sides)}
    if _is_on(state, "bias", default=True):
        shapes["bias"] = (out,)
    return shapes


def _convolution(state: State, short: str) -> dict[str, Sequence[Value]]:
    rank = int(short[-2])
    kernel = state.get("kernel_size", Value(UNKNOWN))
    sides: Sequence[Value] = [kernel] * rank
    if isinstance(kernel.data, (tuple, list)):
        sides = [item if isinstance(item, Value) else Value(UNKNOWN) for item in kernel.data]
    sides = [s if size(s) is not None else Value(UNKNOWN, s.origins) for s in sides]
    into, out = _dim(state, "in_channels"), _dim(state, "out_channels")
    groups = _dim(state, "groups", 1)
    is_turned = "Transpose" in short
    first = (into, _divided(out, groups)) if is_turned else (out, _divided(into, groups))
    shapes: dict[str, Sequence[Value]] = {"weight": (*first, *sides)}
    if _is_on(state, "bias", default=True):
        shapes["bias"] = (out,)
    return shapes


def _batch_norm(state: State, short: str) -> dict[str, Sequence[Value]]:
    count = _dim(state, "num_features")
    plain = "Instance" not in short
    shapes: dict[str, Sequence[Value]] = {}
    if _is_on(state, "affine", default=plain):
        shapes = {"weight": (count,), "bias": (count,)}
    if _is_on(state, "track_running_stats", default=plain):
        shapes |= {"running_mean": (count,), "running_var": (count,), "num_batches_tracked": ()}
    return shapes


def _layer_norm(state: State, short: str) -> dict[str, Sequence[Value]]:
    dims = dims_of((state.get("normalized_shape", Value(UNKNOWN)),))
    if dims is None:
        raise _NotKnown
    if not _is_on(state, "elementwise_affine", default=True):
        return {}
    shapes: dict[str, Sequence[Value]] = {"weight": dims}
    if short == "LayerNorm" and _is_on(state, "bias", default=True):
        shapes["bias"] = dims
    return shapes


def _group_norm(state: State, _: str) -> dict[str, Sequence[Value]]:
    count = _dim(state, "num_channels")
    return {"weight": (count,), "bias": (count,)} if _is_on(state, "affine", default=True) else {}


def _embedding(state: State, _: str) -> dict[str, Sequence[Value]]:
    return {"weight": (_dim(state, "num_embeddings"), _dim(state, "embedding_dim"))}


def _prelu(state: State, _: str) -> dict[str, Sequence[Value]]:
    return {"weight": (_dim(state, "num_parameters", 1),)}


def _any_convolution(state: State, _: str) -> dict[str, Sequence[Value]]:
    """Return the parameters of ``_ConvNd``, whose arguments say over how many axes it works."""
    kernel = state.get("kernel_size", Value(UNKNOWN)).data
    if not isinstance(kernel, (tuple, list)):
        raise _NotKnown
    turned = flag(state.get("transposed"), default=False)
    if turned is None:
        raise _NotKnown
    return _convolution(state, f"Conv{'Transpose' * turned}{len(kernel)}d")


GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def _recurrent(state: State, short: str) -> dict[str, Sequence[Value]]:
    kind = short.removesuffix("Cell")
    hidden, into = _dim(state, "hidden_size"), _dim(state, "input_size")
    rows = _times(hidden, GATES[kind])
    has_bias = _is_on(state, "bias", default=True)
    if short.endswith("Cell"):
        shapes: dict[str, Sequence[Value]] = {
            "weight_ih": (rows, into),
            "weight_hh": (rows, hidden),
        }
        return shapes | ({"bias_ih": (rows,), "bias_hh": (rows,)} if has_bias else {})
    layers, both = size(_dim(state, "num_layers", 1)), _is_on(state, "bidirectional", default=False)
    if layers is None or size(_dim(state, "proj_size", 0)) != 0 or layers > MAX_DEPTH * 4:
        raise _NotKnown
    shapes = {}
    for number in range(layers):
        for suffix in ("", "_reverse") if both else ("",):
            end = f"l{number}{suffix}"
            inner = into if not number else _times(hidden, 2 if both else 1)
            shapes[f"weight_ih_{end}"] = (rows, inner)
            shapes[f"weight_hh_{end}"] = (rows, hidden)
            if has_bias:
                shapes[f"bias_ih_{end}"] = shapes[f"bias_hh_{end}"] = (rows,)
    return shapes


def _attention(state: State, _: str) -> dict[str, Sequence[Value]]:
    width = _dim(state, "embed_dim")
    for name in ("kdim", "vdim"):
        given = state.get(name)
        if given is not None and given.data is not None and size(given) != size(width):
            raise _NotKnown
    has_bias = _is_on(state, "bias", default=True)
    if _is_on(state, "add_bias_kv", default=False):
        raise _NotKnown
    shapes: dict[str, Sequence[Value]] = {"in_proj_weight": (_times(width, 3), width)}
    if has_bias:
        shapes["in_proj_bias"] = (_times(width, 3),)
    return shapes


SHAPES: dict[str, Callable[[State, str], dict[str, Sequence[Value]]]] = {
    "Linear": _linear,
    "Bilinear": _bilinear,
    **{f"Conv{n}d": _convolution for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": _convolution for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": _batch_norm for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": _batch_norm for n in (1, 2, 3)},
    **dict.fromkeys(("SyncBatchNorm", "_BatchNorm", "_InstanceNorm", "_NormBase"), _batch_norm),
    "_ConvNd": _any_convolution,
    "LayerNorm": _layer_norm,
    "RMSNorm": _layer_norm,
    "GroupNorm": _group_norm,
    "Embedding": _embedding,
    "EmbeddingBag": _embedding,
    "PReLU": _prelu,
    **dict.fromkeys((*GATES, *(f"{name}Cell" for name in GATES)), _recurrent),
    "MultiheadAttention": _attention,
}
POSITIONS = {
    "PReLU": ("num_parameters",),
    "Bilinear": ("in1_features", "in2_features", "out_features"),
}
"""The arguments of layers whose state does not have them by name."""
NOT_KNOWN = ("AdaptiveLogSoftmaxWithLoss",)


def tensors_of(value: Value, short: str) -> Own:
    """Return the parameters and buffers of a layer by its class, made when first asked for.

    The layer may be an object of a class of the program that derives from PyTorch's.
    """
    state, data = state_of(value), value.data
    if state is None:
        return {}
    held = state.get(OWN)
    if held is not None and isinstance(held.data, dict):
        return held.data
    if short in NOT_KNOWN or (isinstance(data, LibraryObject) and is_foreign(data)):
        raise _NotKnown
    if short not in SHAPES:
        return {}
    given: dict[str, Value] = {}
    made = getattr(data, "made", None)
    if isinstance(data, LibraryObject):
        given = dict(zip(POSITIONS.get(short, ()), data.args, strict=False)) | dict(data.keywords)
    dtype = dtype_of(state.get("dtype")) or "float32"
    device = device_of(state.get("device"))
    tensors: Own = {}
    for name, shape in SHAPES[short]({**given, **state}, short).items():
        kept = state.get(name)
        if kept is not None and isinstance(kept.data, Array):
            tensors[name] = kept
            continue
        role = "buffer" if name in BUFFERS else "parameter"
        kind = "int64" if name == "num_batches_tracked" else dtype
        stored_tensor = Stored(tuple(shape), kind, "torch", device, role=role)
        here = Value(None, frozenset({made} if made is not None else ()))
        tensors[name] = Value(stored_tensor, merged(here, *shape))
    state[OWN] = Value(tensors)
    return tensors


def _of_layer(value: Value, short: str) -> Own:
    """Return the parameters of a layer, with those that the program has put in their places."""
    state = state_of(value) or {}
    tensors = dict(tensors_of(value, short))
    for name in list(tensors):
        kept = state.get(name)
        if kept is not None and isinstance(kept.data, Array):
            tensors[name] = kept
        elif name in state and kept is not None and kept.data is None:
            del tensors[name]
    return tensors


def _own(value: Value) -> Own:
    """Return what a module holds itself, without the modules in it."""
    data = value.data
    if isinstance(data, LibraryObject) and data.short not in MODULES + CONTAINERS:
        if not data.name.startswith("torch.nn."):
            raise _NotKnown
        return _of_layer(value, data.short)
    state = state_of(value) or {}
    layer = _layer_of(data) if isinstance(data, Instance) else None
    if layer is not None:
        added = {name: v for name, v in state.items() if isinstance(v.data, Stored)}
        return {**_of_layer(value, layer), **added}
    if isinstance(data, LibraryObject) and data.short in ("ParameterList", "ParameterDict"):
        return {name: v for name, v in _contained(state) if isinstance(v.data, Array)}
    return {name: v for name, v in state.items() if isinstance(v.data, Stored)}


def _contained(state: State) -> list[tuple[str, Value]]:
    held = state.get(PARTS)
    if held is None:
        return []
    if isinstance(held.data, list):
        return [(str(i), item) for i, item in enumerate(held.data)]
    if isinstance(held.data, dict):
        return [(str(name), item) for name, item in held.data.items()]
    raise _NotKnown


def is_foreign(data: LibraryObject) -> bool:
    """Whether a module is of another library than PyTorch, which says nothing of its parameters."""
    return data.short not in SHAPES and not data.name.startswith("torch.")


def children_of(value: Value) -> list[tuple[str, Value]]:
    """Return the modules that a module holds, by name; raises where they are not all known."""
    data = value.data
    state = state_of(value) or {}
    if isinstance(data, LibraryObject):
        if data.short not in CONTAINERS:
            if data.short in NOT_KNOWN or is_foreign(data):
                raise _NotKnown
            grow(value, data.short)
            named = (*WRAPPED, *PARTS_OF.get(data.short, ()))
            held = [(name, state[name]) for name in named if name in state]
            return [(name, item) for name, item in held if _is_module(item)]
        return [(name, item) for name, item in _contained(state) if _is_module(item)]
    children = [(name, item) for name, item in _contained(state) if _is_module(item)]
    contained = {name for name, _ in children}
    for name, item in state.items():
        if name in ("trainer", OWN, PARTS, *TEMPLATES) or name in contained:
            continue
        if item.data is UNKNOWN or isinstance(item.data, Lazy):
            raise _NotKnown
        if _is_module(item):
            children.append((name, item))
        elif isinstance(item.data, LibraryObject) and item.data.name.startswith(OTHERS):
            raise _NotKnown
    return children


OTHERS = ("torchvision.models", "timm.", "transformers.", "segmentation_models_pytorch")
"""Libraries whose objects may be modules with parameters that are not known."""


WRAPPED = ("module",)
"""The part of what hands calls on to another module (``DataParallel``)."""


def _is_module(value: Value) -> bool:
    data = value.data
    if isinstance(data, LibraryObject):
        return data.name.startswith("torch.nn.") and data.short != "Parameter"
    return isinstance(data, Instance) and _derives(data)


def _layer_of(data: Instance) -> str | None:
    """Return the class of PyTorch's layers from which an object's class derives, None without."""
    queue = [data.cls]
    for cls in queue[:MAX_DEPTH]:
        for base in cls.bases:
            name = base.data.name if isinstance(base.data, Library) else ""
            short = name.rpartition(".")[2]
            if name.startswith("torch.nn.") and (short in SHAPES or short in PARTS_OF):
                return short
            if isinstance(base.data, ClassValue) and len(queue) < MAX_DEPTH:
                queue.append(base.data)
    return None


def _derives(data: Instance) -> bool:
    """Whether an object is one of a subclass of ``Module`` or of a layer."""
    queue = [data.cls]
    for cls in queue[:MAX_PARTS]:
        for base in cls.bases:
            if isinstance(base.data, Library):
                if base.data.name.startswith("torch.nn.") or "Module" in base.data.name:
                    return True
            elif base.data is UNKNOWN:
                raise _NotKnown
            elif isinstance(base.data, ClassValue) and len(queue) < MAX_DEPTH:
                queue.append(base.data)
    return False


def children_or_none(value: Value) -> list[tuple[str, Value]] | None:
    """Return the modules that a module holds, by name, None where they are not all known."""
    try:
        return children_of(value)
    except _NotKnown:
        return None


def modules_of(value: Value, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Value]]:
    """Yield a module and all modules in it with their names, each once."""
    if depth > MAX_DEPTH:
        raise _NotKnown
    yield prefix, value
    for name, child in children_of(value):
        yield from modules_of(child, f"{prefix}.{name}" if prefix else name, depth + 1)


def _distinct(pairs: Iterable[tuple[str, Value]]) -> Iterator[tuple[str, Value]]:
    seen: set[int] = set()
    for name, value in pairs:
        if id(value.data) not in seen:
            seen.add(id(value.data))
            if len(seen) > MAX_PARTS:
                raise _NotKnown
            yield name, value


def stored(value: Value, *roles: str, recurse: bool = True) -> list[tuple[str, Value]] | None:
    """Return the parameters or buffers of a module with their names, None where not all known."""
    stored_tensors = []
    try:
        parts = modules_of(value) if recurse else iter([("", value)])
        for number, (path, part) in enumerate(parts):
            if number > MAX_PARTS:
                return None
            for name, item in _own(part).items():
                role = item.data.role if isinstance(item.data, Stored) else "parameter"
                if role in roles:
                    stored_tensors.append((f"{path}.{name}" if path else name, item))
    except _NotKnown:
        return None
    return stored_tensors


# --- the layers that are made of others -----------------------------------------------------------

WRAPPERS = ("DataParallel", "DistributedDataParallel", "FullyShardedDataParallel")
PASSING = "passing buffer"
"""The role of a buffer that the state dict leaves out."""
TEMPLATES = ("encoder_layer", "decoder_layer", "custom_encoder", "custom_decoder")
"""Arguments that are modules, and no parts of what they are given to."""
_OF_BLOCKS = ("linear1", "dropout", "linear2", "norm1", "norm2", "dropout1", "dropout2")
PARTS_OF: Mapping[str, Sequence[str]] = {
    "MultiheadAttention": ("out_proj",),
    "TransformerEncoderLayer": ("self_attn", *_OF_BLOCKS, "activation"),
    "TransformerDecoderLayer": (
        *("self_attn", "multihead_attn", "linear1", "dropout", "linear2", "norm1", "norm2"),
        *("norm3", "dropout1", "dropout2", "dropout3", "activation"),
    ),
    "TransformerEncoder": ("layers", "norm"),
    "TransformerDecoder": ("layers", "norm"),
    "Transformer": ("encoder", "decoder"),
}
COMPOSED = tuple(PARTS_OF)
GROWN = "parts are made"
MOST_LAYERS = 64


def grow(value: Value, short: str) -> None:
    """Make the modules that a layer is made of, once; where they cannot be known, leave them out.

    Sources: the pages of ``MultiheadAttention`` and of the transformer layers, and their sources.
    """
    state = state_of(value)
    if state is None or short not in PARTS_OF or GROWN in state:
        return
    state[GROWN] = Value(True)
    made = getattr(value.data, "made", None) or ("", 0)
    makers = {
        "MultiheadAttention": _grow_attention,
        "TransformerEncoderLayer": _grow_block,
        "TransformerDecoderLayer": _grow_block,
        "TransformerEncoder": _grow_stack,
        "TransformerDecoder": _grow_stack,
        "Transformer": _grow_transformer,
    }
    makers[short](state, short, made)


def _layer(short: str, made: Origin, **given: Value) -> Value:
    """Return a layer of PyTorch that another one makes."""
    name = f"torch.nn.{short}"
    layer_state: dict[str, Value] = {}
    fill(short, Call(name, (), given, made), layer_state)
    return Value(LibraryObject(name, (), given, made, layer_state), merged(*given.values()))


def _chosen(state: State, *names: str) -> dict[str, Value]:
    return {name: state[name] for name in names if name in state}


def _grow_attention(state: dict[str, Value], short: str, made: Origin) -> None:
    del short
    width, common = _dim(state, "embed_dim"), _chosen(state, "bias", "device", "dtype")
    state["out_proj"] = _layer("Linear", made, in_features=width, out_features=width, **common)
    heads = state.get("num_heads")
    if heads is not None:
        state["head_dim"] = _divided(width, heads)


def _grow_block(state: dict[str, Value], short: str, made: Origin) -> None:
    width, wide = _dim(state, "d_model"), _dim(state, "dim_feedforward", 2048)
    rate = state.get("dropout", Value(0.1))
    common, eps = _chosen(state, "bias", "device", "dtype"), state.get("layer_norm_eps")
    decodes = "Decoder" in short
    attention = {
        "embed_dim": width,
        "num_heads": _dim(state, "nhead"),
        "dropout": rate,
        **_chosen(state, "batch_first"),
        **common,
    }
    state["self_attn"] = _layer("MultiheadAttention", made, **attention)
    if decodes:
        state["multihead_attn"] = _layer("MultiheadAttention", made, **attention)
    state["linear1"] = _layer("Linear", made, in_features=width, out_features=wide, **common)
    state["dropout"] = _layer("Dropout", made, p=rate)
    state["linear2"] = _layer("Linear", made, in_features=wide, out_features=width, **common)
    norm = {"normalized_shape": width, **common, **({} if eps is None else {"eps": eps})}
    for number in range(1, 4 if decodes else 3):
        state[f"norm{number}"] = _layer("LayerNorm", made, **norm)
        state[f"dropout{number}"] = _layer("Dropout", made, p=rate)
    given = state.get("activation", Value("relu"))
    if isinstance(given.data, str):
        state["activation"] = Value(Library(f"torch.nn.functional.{given.data}"), given.origins)


def _grow_stack(state: dict[str, Value], short: str, made: Origin) -> None:
    kind = "encoder_layer" if "Encoder" in short else "decoder_layer"
    template, count = state.get(kind), size(state.get("num_layers"))
    layers: Value = Value(UNKNOWN)
    if template is not None and count is not None and count <= MOST_LAYERS:
        layers = Value([copied(template, True) for _ in range(count)])
    elif template is not None:
        layers = Value(Lazy(template, state.get("num_layers", Value(UNKNOWN))))
    held = LibraryObject("torch.nn.ModuleList", (), {}, made, {PARTS: layers})
    state["layers"] = Value(held)


def _grow_transformer(state: dict[str, Value], short: str, made: Origin) -> None:
    del short
    block = {
        "d_model": _dim(state, "d_model", 512),
        "nhead": _dim(state, "nhead", 8),
        **_chosen(state, "dim_feedforward", "dropout", "activation", "layer_norm_eps"),
        **_chosen(state, "batch_first", "norm_first", "bias", "device", "dtype"),
    }
    for side in ("encoder", "decoder"):
        custom = state.get(f"custom_{side}")
        if custom is not None and custom.data is not None:
            state[side] = custom
            continue
        kind = side.capitalize()
        norm = _layer("LayerNorm", made, normalized_shape=block["d_model"])
        inner = _layer(f"Transformer{kind}Layer", made, **block)
        count = _dim(state, f"num_{side}_layers", 6)
        given = {f"{side}_layer": inner, "num_layers": count, "norm": norm}
        state[side] = _layer(f"Transformer{kind}", made, **given)


def part_of(short: str) -> Callable[[Interpreter, Call], Value]:
    """Return the model of an attribute that is a module of which a layer is made."""

    def run(_: Interpreter, call: Call) -> Value:
        state = state_of(call.receiver)
        if state is None or call.receiver is None:
            return call.unknown()
        grow(call.receiver, short)
        return state.get(call.name, Value(None) if call.name == "norm" else call.unknown())

    return run


for _short, _parts in PARTS_OF.items():
    MODELS.attribute(_short, *_parts)(part_of(_short))
MODELS.attribute("MultiheadAttention", "head_dim")(part_of("MultiheadAttention"))


# --- methods of modules ---------------------------------------------------------------------------


def _named(name: str, value: Value) -> Value:
    return Value((Value(name, value.origins), value))


def _parameters(_: Interpreter, call: Call) -> Value:
    if call.receiver is None:
        return call.unknown()
    roles = ("buffer", PASSING) if "buffers" in call.name else ("parameter",)
    at = 0 if not call.name.startswith("named") else 1
    recurse = flag(call.given(at, "recurse"), default=True)
    parameters = None if recurse is None else stored(call.receiver, *roles, recurse=recurse)
    is_named = call.name.startswith("named")
    prefix = call.given(0, "prefix") if is_named else None
    is_open = isinstance(call.receiver.data, Instance) and not _unregistered(call.receiver)
    # An object without any may have got them in ways that were not followed.
    if (
        parameters is None
        or (not parameters and is_open)
        or (prefix is not None and prefix.data != "")
    ):
        item = Value(Array(None, None, "torch"))
        pair = Value((Value(UNKNOWN), item)) if is_named else item
        return Value(Lazy(pair, Value(UNKNOWN)), call.receiver.origins)
    pairs = list(_distinct(parameters))
    origins = call.receiver.origins
    if not pairs:
        origins |= _unregistered(call.receiver)
    return Value([_named(n, v) if is_named else v for n, v in pairs], origins)


def _unregistered(module: Value) -> Origins:
    """Return where modules were made that a module without parameters holds in plain containers."""
    origins: set[Origin] = set()
    for value in (state_of(module) or {}).values():
        data = value.data
        items = list(data.values()) if isinstance(data, dict) else data
        for item in items[:MAX_DEPTH] if isinstance(items, (list, tuple)) else ():
            if isinstance(item, Value) and isinstance(item.data, LibraryObject):
                origins |= {item.data.made} if item.data.name.startswith("torch.nn.") else set()
    return frozenset(origins)


def _modules(_: Interpreter, call: Call) -> Value:
    if call.receiver is None:
        return call.unknown()
    try:
        deep = call.name.endswith("modules")
        pairs = modules_of(call.receiver) if deep else iter(children_of(call.receiver))
        modules = list(_distinct(pairs))
    except _NotKnown:
        return Value(Lazy(Value(UNKNOWN), Value(UNKNOWN)), call.receiver.origins)
    is_named = call.name.startswith("named")
    return Value([_named(n, v) if is_named else v for n, v in modules], call.receiver.origins)


def _state_dict(_: Interpreter, call: Call) -> Value:
    if call.receiver is None or call.args or call.keywords:
        return call.unknown()
    tensors = stored(call.receiver, "parameter", "buffer")
    if tensors is None:
        return call.unknown()
    return Value(dict(tensors), call.receiver.origins)


_APPLIED_ELSEWHERE = MODELS.methods.get(("Module", "apply"))
"""What other libraries' modules do, whose class has the same name."""


def _applied(interpreter: Interpreter, call: Call) -> Value:
    """Call a function with each module in a module, the innermost first, then with itself."""
    function, module = call.given(0, "fn"), call.receiver
    if module is not None and isinstance(module.data, Instance) and _APPLIED_ELSEWHERE is not None:
        bases = interpreter.library_bases(module.data.cls)
        if any(base.startswith(("flax.", "equinox.", "haiku.")) for base in bases):
            return _APPLIED_ELSEWHERE(interpreter, call)
    if module is None or function is None:
        return call.unknown()
    try:
        parts = list(_innermost_first(module))
    except _NotKnown:
        return module
    for part in parts[:MOST_APPLIED]:
        interpreter.call(function, (part,), {}, call.place)
    return module


def _innermost_first(module: Value, depth: int = 0) -> Iterator[Value]:
    """Yield the modules in a module, then itself."""
    if depth > MAX_DEPTH:
        raise _NotKnown
    for _, child in children_of(module):
        yield from _innermost_first(child, depth + 1)
    yield module


def _required(_: Interpreter, call: Call) -> Value:
    """Model ``requires_grad_`` of a module or of a parameter."""
    wanted = flag(call.given(0, "requires_grad"), default=True)
    if call.receiver is None:
        return call.unknown()
    x = array(call.receiver)
    held = [] if x is not None else stored(call.receiver, "parameter") or []
    for data in [x, *(item.data for _, item in held)]:
        if isinstance(data, Stored):
            data.needs = wanted
    return call.receiver


def parameter_of(short: str) -> Callable[[Interpreter, Call], Value]:
    """Return the model of an attribute that is a parameter or buffer of a layer of a class."""

    def run(_: Interpreter, call: Call) -> Value:
        state = state_of(call.receiver)
        if state is None or call.receiver is None:
            return call.unknown()
        kept = state.get(call.name)
        if kept is not None and (isinstance(kept.data, Array) or kept.data is None):
            return kept
        try:
            tensor_found = tensors_of(call.receiver, short).get(call.name)
        except _NotKnown:
            return call.unknown()
        if tensor_found is not None:
            return tensor_found
        lacking = Value(None, call.receiver.origins)
        return lacking if call.name in ("weight", "bias", *BUFFERS) else call.unknown()

    return run


RECURRENT = [
    f"{part}_l{number}{end}"
    for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    for number in range(4)
    for end in ("", "_reverse")
]
IN_PROJECTION = ("in_proj_weight", "in_proj_bias")
OF_CELLS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
for _short, _shapes in SHAPES.items():
    _model = parameter_of(_short)
    if _short not in (*GATES, *COMPOSED) and not _short.endswith("Cell"):
        MODELS.attribute(_short, "weight", "bias")(_model)
    if _shapes is _batch_norm:
        MODELS.attribute(_short, *BUFFERS)(_model)
    if _short in GATES:
        MODELS.attribute(_short, *RECURRENT)(_model)
    if _short.endswith("Cell"):
        MODELS.attribute(_short, *OF_CELLS)(_model)
MODELS.attribute("MultiheadAttention", *IN_PROJECTION)(parameter_of("MultiheadAttention"))
for _short in (*MODULES, *SIGNATURES, *ELEMENTWISE, *CONTAINERS, *WRAPPERS):
    MODELS.method(_short, "parameters", "named_parameters", "buffers", "named_buffers")(_parameters)
    MODELS.method(_short, "modules", "named_modules", "named_children")(_modules)
    MODELS.method(_short, "state_dict")(_state_dict)
    MODELS.method(_short, "apply")(_applied)
    MODELS.method(_short, "requires_grad_")(_required)
    if _short not in CONTAINERS:
        MODELS.method(_short, "children")(_modules)
MODELS.method("array", "requires_grad_")(_required)
