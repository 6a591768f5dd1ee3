"""More of PyTorch's layers and losses, distributions, and wrappers of modules.

Sources: the pages of ``torch.nn``, ``torch.nn.functional``, ``torch.distributions`` and
``torch.nn.utils`` in PyTorch's documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.torch.functions  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.torch.layers import (
    LOSS,
    SIGNATURES,
    add_module_methods,
    axes,
    functional,
    has_rank,
    layer,
    losing,
    result,
    upsampled,
)
from dl_bug_lsp.interpretation.libraries.torch.tensors import Shape, dims_of, flag, promoted, tensor
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    LibraryObject,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


State = Mapping[str, Value]

# --- layers ---------------------------------------------------------------------------------------

SIGNATURES.update(
    {
        "UpsamplingBilinear2d": "size scale_factor",
        "UpsamplingNearest2d": "size scale_factor",
        "PixelUnshuffle": "downscale_factor*",
        "ChannelShuffle": "groups*",
        "Fold": "output_size* kernel_size* dilation padding stride",
        "EmbeddingBag": (
            "num_embeddings* embedding_dim* max_norm norm_type scale_grad_by_freq mode sparse "
            "_weight include_last_offset padding_idx"
        ),
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
    }
)

layer("UpsamplingBilinear2d", "UpsamplingNearest2d")(upsampled)


@functional("pixel_unshuffle", "downscale_factor")
@layer("PixelUnshuffle")
def _pixel_unshuffle(state: State, x: Array, value: Value, _: Call) -> Value:
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
def _channel_shuffle(state: State, x: Array, value: Value, _: Call) -> Value:
    groups = state["groups"]
    channels, count = size(x.shape[1]) if x.shape and len(x.shape) > 1 else None, size(groups)
    if channels is not None and count and channels % count and x.shape:
        raise Raised("size", "channels must be divisible by groups", x.shape[1], groups)
    return result(x, x.shape, value)


@functional("fold", "output_size kernel_size dilation padding stride")
@layer("Fold")
def _fold(state: State, x: Array, value: Value, _: Call) -> Value:
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
def _embedding_bag(state: State, x: Array, value: Value, call: Call) -> Value:
    out = state.get("embedding_dim", Value(UNKNOWN))
    return _reduced_bags(state, x, value, array(call.given(1, "offsets")), out)


@functional(
    "embedding_bag",
    "weight offsets max_norm norm_type scale_grad_by_freq mode sparse per_sample_weights "
    "include_last_offset padding_idx",
)
def _functional_embedding_bag(state: State, x: Array, value: Value, _: Call) -> Value:
    weight = array(state.get("weight"))
    shape = None if weight is None else weight.shape
    out = shape[1] if shape is not None and len(shape) == 2 else Value(UNKNOWN)
    return _reduced_bags(state, x, value, array(state.get("offsets")), out)


def _reduced_bags(state: State, x: Array, value: Value, offsets: Array | None, out: Value) -> Value:
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

    def _normalized(state: State, x: Array, value: Value, call: Call) -> Value:
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
def _grid_sample(state: State, x: Array, value: Value, _: Call) -> Value:
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


# --- losses and distances -------------------------------------------------------------------------


def _of_several(state: State, x: Array, value: Value, call: Call) -> Value:
    """Return a loss of tensors that broadcast, a number for each row where nothing is reduced."""
    shape = x.shape
    for other in call.args[1:]:
        y = array(other)
        if shape is not None and y is not None and y.shape is not None and y.shape:
            shape = arrays.broadcast(shape, y.shape) if len(y.shape) == len(shape) else shape
    return losing(state, x, None if shape is None else shape[:1], value, *call.args[1:])


layer(
    *("TripletMarginLoss", "MarginRankingLoss", "CosineEmbeddingLoss", "HingeEmbeddingLoss"),
    *("MultiMarginLoss", "MultiLabelSoftMarginLoss", "SoftMarginLoss", "PoissonNLLLoss"),
    "GaussianNLLLoss",
)(_of_several)


@MODELS.function(*(f"torch.nn.functional.{n}" for n in (
    "triplet_margin_loss", "margin_ranking_loss", "cosine_embedding_loss", "gaussian_nll_loss",
    "hinge_embedding_loss", "poisson_nll_loss", "soft_margin_loss", "multi_margin_loss",
)))  # fmt: skip
def _functional_loss(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "anchor", "input1", "input")
    x = array(value)
    if x is None or value is None:
        return call.unknown()
    return _of_several(call.keywords, x, value, call)


@layer("MultiLabelMarginLoss")
def _of_label_sets(state: State, x: Array, value: Value, call: Call) -> Value:
    """Return a loss of the labels of each row."""
    shape = None if x.shape is None else x.shape[:-1]
    return losing(state, x, shape, value, *call.args[1:])


@MODELS.function(*(f"torch.nn.functional.{n}" for n in (
    "multilabel_soft_margin_loss", "multilabel_margin_loss",
)))  # fmt: skip
def _functional_loss_of_label_sets(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "input")
    x = array(value)
    if x is None or value is None:
        return call.unknown()
    return _of_label_sets(call.keywords, x, value, call)


@layer("TripletMarginWithDistanceLoss")
def _of_distances(state: State, x: Array, value: Value, call: Call) -> Value:
    """Return a loss of distances: each row has one where no other function is given."""
    own = state.get("distance_function")
    is_known = x.shape is not None and (own is None or own.data is None)
    return losing(state, x, x.shape[:-1] if is_known and x.shape else None, value, *call.args[1:])


@MODELS.function("torch.nn.functional.triplet_margin_with_distance_loss")
def _functional_loss_of_distances(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "anchor")
    x = array(value)
    if x is None or value is None:
        return call.unknown()
    return _of_distances(call.keywords, x, value, call)


@MODELS.function("torch.pdist", "torch.nn.functional.pdist")
def _pairs(_: Interpreter, call: Call) -> Value:
    """Return the distances of all pairs of rows."""
    value = call.given(0, "input")
    x = array(value)
    if x is None or value is None:
        return call.unknown()
    if not has_rank(x, value, 2) or x.shape is None:
        return result(x, None, value)
    rows = size(x.shape[0])
    count: object = UNKNOWN if rows is None else rows * (rows - 1) // 2
    return result(x, (Value(count, x.shape[0].origins),), value)


@layer("CosineSimilarity", "PairwiseDistance")
def _distance(state: State, x: Array, value: Value, call: Call) -> Value:
    other = call.given(1, "x2")
    y = array(other)
    if other is None or y is None or x.shape is None or y.shape is None:
        return result(x, None, value)
    shape = arrays.broadcast(x.shape, y.shape)
    is_angle = "Cosine" in call.name
    axis = axis_of(state.get("dim", Value(1)) if is_angle else -1, len(shape))
    if axis is None or flag(state.get("keepdim"), default=False) is not False:
        return result(x, None, value, other)
    rest = (*shape[:axis], *shape[axis + 1 :])
    return tensor(rest, promoted(x, y), value, other, device=x.device)


@MODELS.function("torch.nn.functional.pairwise_distance")
def _pairwise_distance(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "x1")
    x = array(value)
    if x is None or value is None:
        return call.unknown()
    return _distance({}, x, value, Call("PairwiseDistance", call.args, {}, call.place))


@MODELS.function("torch.nn.functional.ctc_loss")
def _ctc(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "log_probs")
    x = array(value)
    if x is None or value is None:
        return call.unknown()
    has_rank(x, value, 2, 3)
    free = None if x.shape is None or len(x.shape) < 3 else x.shape[1:2]
    return losing(call.keywords, x, free, value)


# --- wrappers and methods of modules --------------------------------------------------------------


@MODELS.function(
    *(f"torch.nn.utils.{n}" for n in ("weight_norm", "spectral_norm")),
    *(f"torch.nn.utils.parametrizations.{n}" for n in ("weight_norm", "spectral_norm")),
    "torch.nn.utils.parametrizations.orthogonal",
)
def _wrapped(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "module")
    return call.unknown() if value is None else value


@MODELS.object("torch.optim.swa_utils.AveragedModel")
def _averaged(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    inner = held.args[0] if held is not None and held.args else None
    if inner is None:
        return call.unknown()
    return interpreter.call(inner, call.args, call.keywords, call.place)


def _nothing(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)


for _short in (*SIGNATURES, "Module", "Sequential", "ModuleList"):
    MODELS.method(_short, "zero_grad")(_nothing)
for _short in (
    *("UpsamplingBilinear2d", "UpsamplingNearest2d", "PixelUnshuffle", "ChannelShuffle", "Fold"),
    *("EmbeddingBag", "CosineSimilarity", "PairwiseDistance"),
):
    add_module_methods(_short)


def _groups(_: Interpreter, call: Call) -> Value:
    """Return an optimizer's groups of parameters: one, with what it was made with."""
    held = call.held
    if held is None:
        return call.unknown()
    kept = held.state.get("param_groups")
    if kept is not None:
        return kept
    rate = held.keywords.get("lr") or (held.args[1] if len(held.args) > 1 else Value(UNKNOWN))
    given = held.args[0] if held.args else held.keywords.get("params", Value(UNKNOWN))
    named = {name: value for name, value in held.keywords.items() if name != "params"}
    parts = given.data if isinstance(given.data, (list, tuple)) else []
    tables = [part.data for part in parts if isinstance(part.data, dict)]
    if not tables or len(tables) != len(parts):
        tables = [{"params": given}]
    groups = [Value({**named, "lr": rate, **table}) for table in tables]
    held.state["param_groups"] = Value(groups)
    return held.state["param_groups"]


for _short in ("Adam", "AdamW", "SGD", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam"):
    MODELS.attribute(_short, "param_groups")(_groups)


@MODELS.function("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.get_total_norm")
def _total_norm(_: Interpreter, call: Call) -> Value:
    return tensor((), "float32", *call.args[1:])
