"""What PyTorch's layers and functions refuse besides the shapes that their models work out.

A check runs before the model of its function or layer and raises where PyTorch certainly would.
A plain argument that is refused whatever the others are has a row in `argument_ranges` instead.
The modules whose models it adds to are imported first.
Sources: ``torch.nn.functional`` (``multi_head_attention_forward``, ``ctc_loss``, ``dropout``,
``interpolate``, ``grid_sample``, the losses), ``torch.nn.init`` and
``torch.nn.utils.rnn`` of PyTorch 2.13; the messages are shortened from PyTorch's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries import array_functions as _functions_of_arrays  # noqa: F401
from dl_bug_lsp.interpretation.libraries.numpy import functions as _numpy  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import attributes as _attributes  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import distributions as _distributions  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import elementwise as _elementwise  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import functions as _torch  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import global_state as _global_state  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import gradients as _gradients  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import losses as _losses  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import optimizers as _optimizers  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import samplers as _samplers  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import serialization as _serialization  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch.autocast import AUTOCAST
from dl_bug_lsp.interpretation.libraries.torch.layers import SIGNATURES
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    FLOATING,
    REDUCED,
    WHOLE,
    devices_differ,
    flag,
    rank_of,
    text,
)
from dl_bug_lsp.interpretation.models import MODELS, Call, Model, state_of
from dl_bug_lsp.interpretation.values import UNKNOWN, Raised, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Given = dict[str, Value]
Check = Callable[[Given], None]


def before(names: Sequence[str], parameters: str) -> Callable[[Check], Check]:
    """Register a check of functions, or of what calling layers does, by their parameters.

    A layer's check also gets what the layer holds, under the names of its constructor. Raises
    `KeyError` where a function or layer has no model that the check could run before.
    """

    def keep(check: Check) -> Check:
        for name in names:
            is_layer = name.rpartition(".")[2][:1].isupper()
            table = MODELS.objects if is_layer else MODELS.functions
            table[name] = _checked(table[name], check, parameters.split())
        return check

    return keep


def made_with(*layers: str) -> Callable[[Check], Check]:
    """Register a check of what layers are made with, by the names of their parameters.

    It holds for classes derived from them, too. Raises `KeyError` where a layer is not known.
    """

    def keep(check: Check) -> Check:
        for short in layers:
            parameters = [word.rstrip("*") for word in SIGNATURES[short].split()]
            for name in (f"torch.nn.{short}", f"torch.{short}"):
                MODELS.functions[name] = _checked(MODELS.functions[name], check, parameters)
            start = MODELS.methods[short, "__init__"]
            MODELS.methods[short, "__init__"] = _checked(start, check, parameters, with_state=False)
        return check

    return keep


def _checked(
    model: Model, check: Check, parameters: Sequence[str], *, with_state: bool = True
) -> Model:
    """Return a model that runs a check of its arguments first."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        state = state_of(call.receiver) if with_state else None
        given = {**(state or {}), **dict(zip(parameters, call.args, strict=False)), **call.keywords}
        check({name: value for name, value in given.items() if value.data is not None})
        return model(interpreter, call)

    return run


def _layers(*shorts: str) -> list[str]:
    return [f"torch.nn.{short}" for short in shorts]


def _functions(*names: str) -> list[str]:
    return [f"torch.nn.functional.{name}" for name in names]


def _shape(value: Value | None) -> tuple[Value, ...] | None:
    data = array(value)
    return None if data is None else data.shape


# --- attention ------------------------------------------------------------------------------------


def _refuse_masks(
    mask: Value | None,
    padding: Value | None,
    target: Value,
    source: Value,
    batch: Value | None,
    heads: Value | None,
) -> None:
    """Raise where a mask has not the lengths, or a padding mask not the batch and the length."""
    shape = _shape(mask)
    if shape is not None:
        if len(shape) not in (2, 3):
            message = "attn_mask's dimension is not supported"
            raise Raised("size", message, mask or target, Value(2))
        message = "the shape of attn_mask is not that of the sequences"
        arrays.same(target, shape[-2], message)
        arrays.same(source, shape[-1], message)
        count, each = size(batch), size(heads)
        if len(shape) == 3 and count is not None and each is not None:
            arrays.same(arrays.product([v for v in (batch, heads) if v]), shape[0], message)
    shape = _shape(padding)
    if shape is not None and len(shape) == 2 and batch is not None:
        message = "the shape of key_padding_mask is not that of the batch"
        arrays.same(batch, shape[0], message)
        arrays.same(source, shape[1], message)


def _lengths(value: Value | None, first: bool | None) -> tuple[Value, Value | None] | None:
    """Return the length and the batch size of sequences, None where they are not known."""
    shape = _shape(value)
    if shape is None or len(shape) not in (2, 3) or first is None:
        return None
    if len(shape) == 2:
        return shape[0], None
    return (shape[1], shape[0]) if first else (shape[0], shape[1])


@before(
    _layers("MultiheadAttention"),
    "query key value key_padding_mask need_weights attn_mask average_attn_weights is_causal",
)
def _attention_shapes(given: Given) -> None:
    """Refuse a key that does not fit its value, and masks that do not fit the sequences."""
    first = flag(given.get("batch_first"), default=False)
    query, key = _lengths(given.get("query"), first), _lengths(given.get("key"), first)
    if query is None or key is None:
        return
    a, b = _shape(given.get("key")), _shape(given.get("value"))
    if a is not None and b is not None and len(a) == len(b):
        for x, y in zip(a[:-1], b[:-1], strict=True):
            arrays.same(x, y, "key's shape does not match value's")
    masks = given.get("attn_mask"), given.get("key_padding_mask")
    _refuse_masks(*masks, query[0], key[0], key[1], given.get("num_heads"))


def _layer_settings(given: Given) -> Given:
    """Return what a layer of a transformer was made with, also where it lies in a stack of them."""
    for name in ("encoder_layer", "decoder_layer"):
        inner = state_of(given.get(name))
        if inner is not None:
            return {**inner, **given}
    return given


@before(_layers("TransformerEncoderLayer"), "src src_mask src_key_padding_mask is_causal")
@before(_layers("TransformerEncoder"), "src mask src_key_padding_mask is_causal")
def _encoder_masks(given: Given) -> None:
    """Refuse masks that do not fit the source."""
    settings = _layer_settings(given)
    result = _lengths(given.get("src"), flag(settings.get("batch_first"), default=False))
    if result is not None:
        masks = given.get("src_mask", given.get("mask")), given.get("src_key_padding_mask")
        _refuse_masks(*masks, result[0], *result, settings.get("nhead"))


@before(
    _layers("TransformerDecoderLayer", "TransformerDecoder"),
    "tgt memory tgt_mask memory_mask tgt_key_padding_mask memory_key_padding_mask",
)
def _decoder_masks(given: Given) -> None:
    """Refuse masks that do not fit the target or the memory."""
    settings = _layer_settings(given)
    first, heads = flag(settings.get("batch_first"), default=False), settings.get("nhead")
    own, memory = _lengths(given.get("tgt"), first), _lengths(given.get("memory"), first)
    if own is not None:
        _refuse_masks(given.get("tgt_mask"), given.get("tgt_key_padding_mask"), own[0], *own, heads)
    if own is not None and memory is not None:
        masks = given.get("memory_mask"), given.get("memory_key_padding_mask")
        _refuse_masks(*masks, own[0], *memory, heads)


@before(
    _layers("Transformer"),
    "src tgt src_mask tgt_mask memory_mask src_key_padding_mask tgt_key_padding_mask "
    "memory_key_padding_mask",
)
def _transformer_masks(given: Given) -> None:
    """Refuse masks that do not fit the source, the target or the memory."""
    _encoder_masks(given)
    memory = {"memory": given["src"]} if "src" in given else {}
    _decoder_masks({**given, **memory})


@before(_functions("scaled_dot_product_attention"), "query key value attn_mask")
def _dot_product_mask(given: Given) -> None:
    """Refuse a mask that does not broadcast to the weights of attention."""
    query, key, mask = (_shape(given.get(n)) for n in ("query", "key", "attn_mask"))
    if not query or not key or not mask or min(len(query), len(key), len(mask)) < 2:
        return
    weights = (*query[:-1], key[-2])
    arrays.broadcast(weights, mask)


# --- sequences ------------------------------------------------------------------------------------


def _number_of(value: Value | None) -> Value | None:
    """Return how many items a list or a tensor of one axis has."""
    if value is None:
        return None
    if isinstance(value.data, (list, tuple)):
        return Value(len(value.data), value.origins)
    shape = _shape(value)
    return shape[0] if shape is not None and len(shape) == 1 else None


CTC = "log_probs targets input_lengths target_lengths blank reduction zero_infinity"


@before(_layers("CTCLoss"), "log_probs targets input_lengths target_lengths")
@before(_functions("ctc_loss"), CTC)
def _ctc_lengths(given: Given) -> None:
    """Refuse lengths and targets that do not fit the batch, and a blank that is no class."""
    shape = _shape(given.get("log_probs"))
    if shape is None or len(shape) != 3:
        return
    steps, batch, classes = shape
    for name in ("input_lengths", "target_lengths"):
        count = _number_of(given.get(name))
        if count is not None:
            arrays.same(count, batch, f"{name} must be of size batch_size")
    targets = _shape(given.get("targets"))
    if targets is not None and len(targets) == 2:
        arrays.same(batch, targets[0], "the targets' size is not the batch size")
    lengths = given.get("input_lengths")
    data, longest = array(lengths), size(steps)
    most = None if data is None else data.highest
    if lengths is not None and most is not None and longest is not None and most > longest:
        message = "Expected input_lengths to have value at most the input's length"
        raise Raised("size", message, Value(most, lengths.origins), steps)
    blank, many = size(given.get("blank")), size(classes)
    if blank is not None and many is not None and not 0 <= blank < many:
        raise Raised("value", "blank must be in label range", given["blank"], classes)


@before(["torch.nn.utils.rnn.pack_padded_sequence"], "input lengths batch_first enforce_sorted")
def _packed_lengths(given: Given) -> None:
    """Refuse lengths that are not one for each sequence, positive, in order and on the CPU."""
    result = _lengths(given.get("input"), flag(given.get("batch_first"), default=False))
    lengths = given.get("lengths")
    if lengths is None:
        return
    count = _number_of(lengths)
    if result is not None and result[1] is not None and count is not None:
        arrays.same(result[1], count, "len(lengths) must be equal to batch_size")
    data = array(lengths)
    if data is not None and data.device is not None and data.device != "cpu":
        raise Raised("type", "'lengths' should be a 1D CPU int64 tensor", lengths)
    items = lengths.data if isinstance(lengths.data, (list, tuple)) else ()
    numbers = [size(item) for item in items]
    known = [number for number in numbers if number is not None]
    if any(number <= 0 for number in known):
        raise Raised("value", "Length of all samples has to be greater than 0", lengths)
    is_sorted = flag(given.get("enforce_sorted"), default=True)
    if is_sorted and len(known) == len(items) and known != sorted(known, reverse=True):
        message = "`lengths` array must be sorted in decreasing order"
        raise Raised("value", message, Value(lengths.data, lengths.origins), *items[:2])


# --- losses ---------------------------------------------------------------------------------------


def _broadcasts(*values: Value | None) -> None:
    """Raise where the shapes that are known do not broadcast."""
    shapes = [shape for shape in map(_shape, values) if shape is not None]
    joint: tuple[Value, ...] = ()
    for shape in shapes:
        joint = arrays.broadcast(joint, shape)


@before(_layers("BCEWithLogitsLoss", "BCELoss"), "input target")
@before(
    _functions("binary_cross_entropy", "binary_cross_entropy_with_logits"), "input target weight"
)
def _binary_loss_weights(given: Given) -> None:
    """Refuse weights that do not broadcast to the scores or lie on another device."""
    for name in ("weight", "pos_weight"):
        if name in given:
            _broadcasts(given.get("input"), given[name])
            _same_place(given.get("input"), given[name])


def _without_autocast(model: Model) -> Model:
    """Refuse a loss of probabilities in an `autocast` block of a GPU, as PyTorch does."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        active, scores = AUTOCAST.get(interpreter), array(call.given(0, "input"))
        on_gpu = scores is not None and (scores.device or "").startswith("cuda")
        if active and active[-1] is None and on_gpu:
            message = "binary_cross_entropy and BCELoss are unsafe to autocast"
            loss = call.receiver
            made = getattr(loss.data, "made", call.place) if loss is not None else call.place
            raise Raised("value", message, Value(UNKNOWN, frozenset({made})))
        return model(interpreter, call)

    return run


for _name in _layers("BCELoss"):
    MODELS.objects[_name] = _without_autocast(MODELS.objects[_name])
for _name in _functions("binary_cross_entropy"):
    MODELS.functions[_name] = _without_autocast(MODELS.functions[_name])


@before(_layers("CrossEntropyLoss", "NLLLoss"), "input target")
@before(_functions("cross_entropy", "nll_loss"), "input target weight")
def _class_loss_weights(given: Given) -> None:
    """Refuse weights of another device or dtype, and smoothing that is no share."""
    weight, scores = array(given.get("weight")), array(given.get("input"))
    if weight is not None and scores is not None:
        _same_place(given.get("input"), given["weight"])
        known = {weight.dtype, scores.dtype}
        differ = None not in known and len(known) == 2 and not known & set(REDUCED)
        if differ and weight.library == "torch" and known <= set(FLOATING):
            message = f"expected scalar type {scores.dtype} but found {weight.dtype}"
            raise Raised("type", message, given["weight"], given["input"])
    _between(given.get("label_smoothing"), "label_smoothing must be between 0.0 and 1.0")


def _same_place(a: Value | None, b: Value | None) -> None:
    """Raise where two tensors lie on different devices."""
    x, y = array(a), array(b)
    if a is None or b is None or x is None or y is None:
        return
    if devices_differ(x.device, y.device):
        raise Raised("type", "Expected all tensors to be on the same device", b, a)


@before(_layers("KLDivLoss"), "input target")
@before(_functions("kl_div"), "input target")
def _kl_div_dtypes(given: Given) -> None:
    """Refuse whole numbers."""
    for name in ("input", "target"):
        data = array(given.get(name))
        if data is not None and data.library == "torch" and data.dtype in WHOLE:
            raise Raised("type", "kl_div: integral inputs are not supported", given[name])


@before(_layers("HingeEmbeddingLoss", "SoftMarginLoss"), "input target")
@before(_functions("hinge_embedding_loss", "soft_margin_loss"), "input target")
def _paired_loss_shapes(given: Given) -> None:
    """Refuse a target that does not broadcast to the scores."""
    _broadcasts(given.get("input"), given.get("target"))


@before(_layers("CosineEmbeddingLoss"), "input1 input2 target")
@before(_functions("cosine_embedding_loss"), "input1 input2 target")
def _cosine_embedding_target(given: Given) -> None:
    """Refuse a target that is not one number for each row."""
    first, target = _shape(given.get("input1")), _shape(given.get("target"))
    if first is not None and target is not None and len(first) == 2 and len(target) == 1:
        arrays.same(target[0], first[0], "the target's size is not the batch size")


@before(_layers("MarginRankingLoss"), "input1 input2 target")
@before(_functions("margin_ranking_loss"), "input1 input2 target")
def _margin_ranking_shapes(given: Given) -> None:
    """Refuse inputs and a target of unlike shapes."""
    _same_ranks(given, ("input1", "input2", "target"))
    _broadcasts(given.get("input1"), given.get("input2"), given.get("target"))


TRIPLET = "anchor positive negative"


@before(_layers("TripletMarginWithDistanceLoss"), TRIPLET)
@before(_functions("triplet_margin_with_distance_loss"), TRIPLET)
def _triplet_ranks(given: Given) -> None:
    """Refuse samples of unlike numbers of axes; the distance takes what shapes it likes."""
    _same_ranks(given, TRIPLET.split())


@before(_layers("TripletMarginLoss"), TRIPLET)
@before(_functions("triplet_margin_loss"), TRIPLET)
def _triplet_shapes(given: Given) -> None:
    """Refuse samples of unlike shapes."""
    _same_ranks(given, TRIPLET.split())
    _broadcasts(*(given.get(name) for name in TRIPLET.split()))


def _same_ranks(given: Given, names: Sequence[str]) -> None:
    """Raise where arguments have different numbers of axes."""
    known = [(given[name], data) for name in names if (data := array(given.get(name))) is not None]
    ranked = [(value, rank) for value, data in known if (rank := rank_of(data)) is not None]
    for value, rank in ranked[1:]:
        if rank != ranked[0][1]:
            message = "all inputs should have the same number of dimensions"
            sides = Value(rank, value.origins), Value(ranked[0][1], ranked[0][0].origins)
            raise Raised("size", message, *sides)


@before(_layers("MultiMarginLoss"), "input target")
@before(_functions("multi_margin_loss"), "input target")
def _multi_margin_target(given: Given) -> None:
    """Refuse labels that are not one for each row, or are no classes."""
    scores, labels = _shape(given.get("input")), _shape(given.get("target"))
    if scores is None or labels is None or len(scores) != 2:
        return
    if len(labels) == 1:
        arrays.same(labels[0], scores[0], "the target's size is not the number of samples")
    data, classes = array(given.get("target")), size(scores[1])
    most = None if data is None else data.highest
    if most is not None and classes is not None and most >= classes:
        sides = arrays.elements_of(given["target"], most), scores[1]
        raise Raised("index", "target out of range", *sides)


@before(_layers("MultiLabelMarginLoss"), "input target")
@before(_functions("multilabel_margin_loss"), "input target")
def _multilabel_margin_shapes(given: Given) -> None:
    """Refuse a target of another shape than the scores."""
    a, b = _shape(given.get("input")), _shape(given.get("target"))
    if a is not None and b is not None and len(a) == len(b):
        for x, y in zip(a, b, strict=True):
            arrays.same(y, x, "inconsistent target size")


# --- settings of layers ---------------------------------------------------------------------------


def _between(value: Value | None, message: str) -> None:
    """Raise where a number does not lie between 0 and 1."""
    number = None if value is None else value.data
    if value is not None and isinstance(number, (int, float)) and not 0 <= number <= 1:
        raise Raised("value", message, value)


def _divides(given: Given, whole: str, part: str) -> None:
    """Raise where a number is no multiple of another."""
    a, b = size(given.get(whole)), size(given.get(part))
    if a is not None and b and a % b:
        raise Raised("size", f"{whole} must be divisible by {part}", given[whole], given[part])


LENGTHS = frozenset((
    *("in_features", "out_features", "in1_features", "in2_features", "in_channels", "out_channels"),
    *("num_embeddings", "embedding_dim", "num_channels", "num_groups", "groups", "input_size"),
    *("hidden_size", "num_layers", "embed_dim", "num_heads", "d_model", "nhead"),
    *("dim_feedforward", "num_encoder_layers", "num_decoder_layers"),
))  # fmt: skip
"""What layers are made with that is the length of one axis, or a number of parts."""
MADE_OF_LENGTHS = (
    *("Linear", "Bilinear", "Embedding", "EmbeddingBag", "GroupNorm", "LSTM", "GRU", "RNN"),
    *("LSTMCell", "GRUCell", "RNNCell", "MultiheadAttention", "Transformer"),
    *("TransformerEncoderLayer", "TransformerDecoderLayer", "TransformerEncoder"),
    *("TransformerDecoder",),
    *(f"{kind}{n}d" for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)),
)


@made_with(*MADE_OF_LENGTHS)
def _made_of_lengths(given: Given) -> None:
    """Refuse a sequence, a text, a table or a real number as the length of an axis."""
    for name in LENGTHS & given.keys():
        data = given[name].data
        if isinstance(data, (list, tuple, dict, str, float)):
            raise Raised("type", f"{name} must be an int", given[name])


@made_with(*(f"{kind}{n}d" for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)))
def _convolution_groups(given: Given) -> None:
    """Refuse channels that cannot be divided into groups."""
    _divides(given, "in_channels", "groups")
    _divides(given, "out_channels", "groups")


@made_with("GroupNorm")
def _group_norm_groups(given: Given) -> None:
    """Refuse channels that cannot be divided into groups."""
    _divides(given, "num_channels", "num_groups")


@made_with("MultiheadAttention")
def _attention_heads(given: Given) -> None:
    """Refuse features that cannot be divided among the heads."""
    _divides(given, "embed_dim", "num_heads")


@made_with("Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer")
def _transformer_heads(given: Given) -> None:
    """Refuse features that cannot be divided among the heads."""
    _divides(given, "d_model", "nhead")


@made_with("Embedding", "EmbeddingBag")
def _embedding_padding_index(given: Given) -> None:
    """Refuse a row for padding that the table does not have."""
    row, rows = size(given.get("padding_idx")), size(given.get("num_embeddings"))
    if row is not None and rows is not None and not -rows <= row < rows:
        message = "padding_idx must be within num_embeddings"
        raise Raised("value", message, given["padding_idx"], given["num_embeddings"])


BAG = "max_norm norm_type scale_grad_by_freq mode sparse per_sample_weights include_last_offset"


@before(_layers("EmbeddingBag"), "input offsets per_sample_weights")
@before(_functions("embedding_bag"), f"input weight offsets {BAG}")
def _embedding_bag_offsets(given: Given) -> None:
    """Refuse what ``embedding_bag`` does: bags begin at 0 and lie within a row of indices."""
    rows, starts = given.get("input"), given.get("offsets")
    indices, offsets = array(rows), array(starts)
    if rows is None or indices is None or indices.shape is None:
        return
    if len(indices.shape) == 2:
        if starts is not None:
            message = "if input is 2D, then offsets has to be None"
            raise Raised("value", message, starts, rows)
        return
    for data, part in ((indices, rows), (offsets, starts)):
        if data is not None and part is not None and data.dtype in FLOATING:
            message = f"Expected tensor to have scalar types: Long, Int; got {data.dtype}"
            raise Raised("type", message, part)
    if len(indices.shape) != 1:
        message = "input has to be 1D or 2D Tensor"
        raise Raised("value", message, Value(len(indices.shape), rows.origins))
    if offsets is not None and starts is not None:
        if offsets.shape is not None and len(offsets.shape) != 1:
            message = "offsets has to be a 1D Tensor"
            raise Raised("value", message, Value(len(offsets.shape), starts.origins))
        if offsets.lowest is not None and offsets.lowest > 0:
            message = "offsets[0] has to be 0"
            raise Raised("value", message, Value(offsets.lowest, starts.origins))
        most, length = offsets.highest, size(indices.shape[0])
        if most is not None and length is not None and offsets.attained and most > length:
            message = "offsets[-1] can not be greater than input's length"
            raise Raised("value", message, Value(most, starts.origins), indices.shape[0])
    weights = given.get("per_sample_weights")
    if weights is not None and text(given.get("mode")) in ("mean", "max"):
        message = "per_sample_weights is only supported for mode='sum'"
        raise Raised("value", message, given["mode"], weights)


@made_with("Conv1d", "Conv2d", "Conv3d")
def _convolution_same_padding(given: Given) -> None:
    """Refuse ``padding='same'`` with a stride."""
    stride = given.get("stride")
    wide = stride is not None and any(
        (size(part) or 1) > 1
        for part in (stride.data if isinstance(stride.data, (list, tuple)) else [stride])
    )
    if stride is not None and wide and text(given.get("padding")) == "same":
        message = "padding='same' is not supported for strided convolutions"
        raise Raised("value", message, given["padding"], stride)


@before(_layers("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), "input")
def _instance_norm_elements(given: Given) -> None:
    """Refuse samples of one element for each channel."""
    shape = _shape(given.get("input"))
    rest = arrays.product(shape[2:]) if shape is not None and len(shape) > 2 else None
    if rest is not None and size(rest) == 1:
        raise Raised("size", "Expected more than 1 spatial element when training", rest)


@before(_functions("batch_norm"), "input running_mean running_var weight bias training")
def _batch_norm_values(given: Given) -> None:
    """Refuse a batch of one value for each channel."""
    shape = _shape(given.get("input"))
    if shape is None or len(shape) < 2 or not flag(given.get("training"), default=False):
        return
    rest = arrays.product((shape[0], *shape[2:]))
    if size(rest) == 1:
        raise Raised("size", "Expected more than 1 value per channel when training", rest)


@before(_layers("PReLU"), "input")
def _prelu_parameters(given: Given) -> None:
    """Refuse another number of channels than of slopes."""
    shape, count = _shape(given.get("input")), given.get("num_parameters")
    if shape is not None and len(shape) > 1 and count is not None and size(count) != 1:
        arrays.same(shape[1], count, "mismatch of parameter numbers and input channel size")


@before(_layers("GLU"), "input")
@before(_functions("glu"), "input dim")
def _glu_size(given: Given) -> None:
    """Refuse an axis that cannot be halved."""
    shape, axis = _shape(given.get("input")), size(given.get("dim", Value(-1)))
    if shape and axis is not None and -len(shape) <= axis < len(shape):
        number = size(shape[axis])
        if number is not None and number % 2:
            raise Raised("size", "halving dimension must be even", shape[axis])


@before(_layers("Bilinear"), "input1 input2")
def _bilinear_batches(given: Given) -> None:
    """Refuse inputs of unlike batches."""
    a, b = _shape(given.get("input1")), _shape(given.get("input2"))
    if a is not None and b is not None and len(a) == len(b):
        for x, y in zip(a[:-1], b[:-1], strict=True):
            arrays.same(x, y, "the inputs' batch dimensions do not match")


# --- images ---------------------------------------------------------------------------------------

SPATIAL = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}


@before(_layers("Upsample"), "input")
@before(_functions("interpolate", "upsample"), "input size scale_factor mode align_corners")
def _interpolate_sizes(given: Given) -> None:
    """Refuse a size that is missing, doubly given, or of other axes than the picture."""
    wanted, factor = given.get("size"), given.get("scale_factor")
    if wanted is None and factor is None:
        raise Raised("value", "either size or scale_factor should be defined", *given.values())
    if wanted is not None and factor is not None:
        raise Raised("value", "only one of size or scale_factor should be defined", wanted, factor)
    shape, mode = _shape(given.get("input")), text(given.get("mode", Value("nearest")))
    if shape is None:
        return
    rank = SPATIAL.get(mode or "")
    if rank is not None and rank != len(shape):
        message = f"Got {len(shape)}D input, but {mode} mode needs {rank}D input"
        raise Raised("size", message, given["input"], given["mode"])
    parts = wanted if wanted is not None else factor
    if parts is None or not isinstance(parts.data, (list, tuple)):
        return
    if len(parts.data) != len(shape) - 2:
        message = "input and output must have the same number of spatial dimensions"
        raise Raised("size", message, parts, given["input"])


@before(_functions("grid_sample"), "input grid mode padding_mode align_corners")
def _grid_sample_shapes(given: Given) -> None:
    """Refuse a grid that does not fit the pictures."""
    image, grid = _shape(given.get("input")), _shape(given.get("grid"))
    if image is None or grid is None:
        return
    if len(image) != len(grid):
        message = "expected grid and input to have the same number of dimensions"
        raise Raised("size", message, given["grid"], given["input"])
    arrays.same(image[0], grid[0], "expected grid and input to have the same batch size")
    arrays.same(grid[-1], Value(len(image) - 2), "expected another last size of the grid")


# --- initial values -------------------------------------------------------------------------------

FANS = ("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_")
GAINS = frozenset(
    [
        *("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"),
        *("conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"),
    ]
)


def _initialized(interpreter: Interpreter, call: Call) -> Value:
    """Return a tensor with other values; raise where its shape has no fans."""
    del interpreter
    name = call.name.rpartition(".")[2]
    value = call.given(0, "tensor")
    shape = _shape(value)
    least = 2 if name in (*FANS, "orthogonal_", "sparse_", "eye_") else 0
    if value is not None and shape is not None and len(shape) < least:
        message = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        raise Raised("size", message, Value(len(shape), value.origins), Value(least))
    if name.startswith("kaiming"):
        _known_gain(call.given(3, "nonlinearity"))
    return value if value is not None else call.unknown()


def _known_gain(given: Value | None) -> None:
    """Raise where a text is the name of no nonlinearity."""
    name = text(given)
    if given is not None and name is not None and name not in GAINS:
        raise Raised("value", f"Unsupported nonlinearity {name}", given)


@MODELS.function("torch.nn.init.calculate_gain")
def _gain(_: Interpreter, call: Call) -> Value:
    """Return the gain of a nonlinearity; raise where there is none of its name."""
    given, slope = call.given(0, "nonlinearity"), call.given(1, "param")
    _known_gain(given)
    name = text(given)
    if given is None or name is None:
        return call.unknown()
    if name == "leaky_relu":
        number = 0.01 if slope is None or slope.data is None else slope.data
        if not isinstance(number, (int, float)):
            return call.unknown()
        return Value(math.sqrt(2 / (1 + number**2)), merged(*call.args))
    gains = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
    return Value(gains.get(name, 1), given.origins)


@MODELS.function("torch.nn.init._calculate_fan_in_and_fan_out", "torch.nn.init._calculate_fan")
def _fans(_: Interpreter, call: Call) -> Value:
    """Return how many inputs and outputs a weight connects."""
    value = call.given(0, "tensor")
    shape = _shape(value)
    if value is None or shape is None:
        return Value((call.unknown(), call.unknown()))
    if len(shape) < 2:
        message = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        raise Raised("size", message, Value(len(shape), value.origins), Value(2))
    field = shape[2:]
    return Value((arrays.product((shape[1], *field)), arrays.product((shape[0], *field))))


for _name in (*FANS, "orthogonal_"):
    MODELS.function(f"torch.nn.init.{_name}")(_initialized)


# --- leaving the GPU ------------------------------------------------------------------------------


def _refuse_gpu(value: Value | None) -> None:
    """Raise where a tensor lies on a GPU."""
    data = array(value)
    if value is None or data is None or data.library != "torch" or data.device is None:
        return
    if data.device.startswith("cuda"):
        raise Raised("type", f"can't convert {data.device} device type tensor to numpy", value)


def _from_cpu_alone(model: Model) -> Model:
    """Return a model that refuses tensors of a GPU."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        given = call.receiver if call.receiver is not None else call.given(0, "a", "object", "arr")
        inner: Sequence[Value | None] = [given]
        if given is not None and isinstance(given.data, (list, tuple)):
            inner = [part for part in given.data[:1] if isinstance(part, Value)]
        for part in inner:
            _refuse_gpu(part)
        return model(interpreter, call)

    return run


for _name in ("asarray", "array", "asanyarray", "ascontiguousarray", "stack", "concatenate"):
    MODELS.functions[f"numpy.{_name}"] = _from_cpu_alone(MODELS.functions[f"numpy.{_name}"])
MODELS.methods["array", "numpy"] = _from_cpu_alone(MODELS.methods["array", "numpy"])

LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}


def _masked_fill_value(model: Model) -> Model:
    """Return a model that refuses a number which the dtype does not hold."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        data, given = array(call.receiver), call.given(1, "value")
        number = None if given is None else given.data
        most = LARGEST.get(data.dtype or "") if data is not None else None
        is_known = given is not None and most is not None and isinstance(number, (int, float))
        if is_known and (most or 0.0) < abs(number or 0.0) < float("inf"):  # type: ignore[arg-type]
            sides = [value for value in (given, call.receiver) if value is not None]
            raise Raised("value", "value cannot be converted without overflow", *sides)
        return model(interpreter, call)

    return run


for _name in ("masked_fill", "masked_fill_"):
    MODELS.methods["array", _name] = _masked_fill_value(MODELS.methods["array", _name])
