"""PyTorch's losses and distances, as layers and as functions of ``torch.nn.functional``.

Source: the page of each class in PyTorch's documentation of ``torch.nn``; the messages are
shortened from PyTorch's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.torch.layers import (
    LOSS,
    Forward,
    functional,
    has_rank,
    layer,
    result,
)
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    FLOATING,
    REDUCED,
    WHOLE,
    bounded,
    flag,
    kind_of,
    needs_floating,
    promoted,
    same_device,
    tensor,
    text,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Raised, Value

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def losing(
    state: Mapping[str, Value], x: Array, shape: Sequence[Value] | None, *parts: Value
) -> Value:
    """Return a loss: one number, or one for each element where nothing is reduced."""
    given = state.get("reduction")
    how = "mean" if given is None or given.data is None else text(given)
    if how == "none":
        return result(x, shape, *parts)
    return result(x, () if how in ("mean", "sum", "batchmean") else None, *parts)


def target_of(call: Call) -> tuple[Value, Array | None] | None:
    """Return the target of a loss; raise where it is no tensor."""
    target = call.given(1, "target")
    if target is None:
        return None
    kind = kind_of(target)
    if kind is not None:
        raise Raised("type", f"the target must be a Tensor, not {kind}", target)
    return target, array(target)


@functional(
    "cross_entropy", "target weight size_average ignore_index reduce reduction label_smoothing"
)
@layer("CrossEntropyLoss")
def _cross_entropy(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    target_pair = target_of(call)
    if target_pair is None:
        return result(x, None, value)
    target, y = target_pair
    if y is None:
        return losing(state, x, None, value, target)
    same_device(x, value, y, target)
    if x.shape is not None and y.shape is not None and len(x.shape) == len(y.shape) and x.shape:
        sizes = (Array(x.shape).sizes, Array(y.shape).sizes)
        alike = sizes[0] == sizes[1] and None not in (sizes[0] or ())
        if alike:
            if y.dtype in WHOLE:
                message = "Expected floating point type for target with class probabilities"
                raise Raised("type", message, target)
            return losing(state, x, x.shape[:1] + x.shape[2:], value, target)
        is_open = None in (*(sizes[0] or ()), *(sizes[1] or ()))
        if is_open and len(x.shape) > 1 and y.dtype not in WHOLE:
            return losing(state, x, None, value, target)
    return _likelihood(state, x, value, call)


NARROW = ("int8", "int16", "int32", "bool")
"""Dtypes of no target, neither of classes nor of probabilities."""


@functional("nll_loss", "target weight size_average ignore_index reduce reduction")
@layer("NLLLoss")
def _likelihood(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    target_pair = target_of(call)
    needs_floating(x, value, "log_softmax")
    if target_pair is None:
        return result(x, None, value)
    target, y = target_pair
    if x.shape is None and y is not None and y.dtype in NARROW:
        raise Raised("type", f"expected scalar type Long but found {y.dtype}", target)
    if y is None or x.shape is None:
        return losing(state, x, None, value, target)
    same_device(x, value, y, target)
    known = x.shape is not None and y.shape is not None
    if known and x.shape is not None and y.shape is not None and x.shape:
        alone = len(x.shape) == 1
        lead = x.shape[:0] if alone else x.shape[:1]
        expected = (*lead, *x.shape[2:])
        classes = x.shape[0] if alone else x.shape[1]
        if lead and y.shape:
            message = "Expected input batch_size to match target batch_size"
            arrays.same(x.shape[0], y.shape[0], message)
        if len(expected) != len(y.shape):
            sides = Value(len(y.shape), target.origins), Value(len(expected), value.origins)
            message = "the target has another number of dimensions: multi-target not supported"
            raise Raised("size", message, *sides)
        for a, b in zip(expected, y.shape, strict=True):
            arrays.same(a, b, "the target's size is not the input's")
        weight = array(state.get("weight"))
        if weight is not None and weight.shape:
            message = "weight tensor should be defined either for all classes or no classes"
            arrays.same(weight.shape[0], classes, message)
        _labels(state, y, target, classes)
    elif x.shape:
        _labels(state, y, target, x.shape[0] if len(x.shape) == 1 else x.shape[1])
    if y.dtype is not None and y.dtype not in ("int64", "uint8"):
        raise Raised("type", f"expected scalar type Long but found {y.dtype}", target)
    return losing(state, x, y.shape, value, target)


def _labels(state: Mapping[str, Value], y: Array, target: Value, classes: Value) -> None:
    """Raise where a label is known to be no class."""
    if y.dtype in FLOATING:
        return
    ignored = size(state.get("ignore_index", Value(-100)))
    if y.highest is None or y.highest != ignored:
        bounded(y, target, classes, lowest=None)
    if y.lowest is not None and y.lowest < 0 and y.lowest != ignored and ignored is not None:
        raise Raised(
            "index", "Target is out of bounds", arrays.elements_of(target, y.lowest), classes
        )


def pairwise(*, strict: bool, equal: bool = False) -> Forward:
    """Return the forward of a loss of two tensors.

    ``strict`` where the shapes must be the same, ``equal`` where the dtypes must be, too.
    """

    def forward(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
        target_pair = target_of(call)
        if target_pair is None:
            return result(x, None, value)
        target, y = target_pair
        if y is None:
            return losing(state, x, None, value, target)
        same_device(x, value, y, target)
        shape = x.shape
        if x.shape is not None and y.shape is not None:
            if not strict:
                shape = arrays.broadcast(x.shape, y.shape)
            else:
                message = "the target's size must be the same as the input's"
                if len(x.shape) != len(y.shape):
                    ranks = Value(len(y.shape), target.origins), Value(len(x.shape), value.origins)
                    raise Raised("size", message, *ranks)
                for a, b in zip(y.shape, x.shape, strict=True):
                    arrays.same(a, b, message)
        else:
            arrays.operands_unlike(x, value, y, target, "the target's size")
        known = x.dtype is not None and y.dtype is not None
        differs = known and (y.dtype in WHOLE or (equal and y.dtype != x.dtype))
        if strict and differs and x.dtype not in REDUCED:
            raise Raised("type", f"Found dtype {y.dtype} but expected {x.dtype}", target, value)
        joint = Array(x.shape, promoted(x, y), "torch", x.device)
        return losing(state, joint, shape, value, target)

    return forward


for _short, _strict, _parameters_of in (
    ("MSELoss", False, ("mse_loss", f"target {LOSS}")),
    ("L1Loss", False, ("l1_loss", f"target {LOSS}")),
    ("SmoothL1Loss", False, ("smooth_l1_loss", f"target {LOSS} beta")),
    ("HuberLoss", False, ("huber_loss", "target reduction delta")),
    ("KLDivLoss", False, ("kl_div", f"target {LOSS} log_target")),
    ("BCELoss", True, ("binary_cross_entropy", f"target weight {LOSS}")),
    (
        "BCEWithLogitsLoss",
        True,
        ("binary_cross_entropy_with_logits", f"target weight {LOSS} pos_weight"),
    ),
):
    _loss = pairwise(strict=_strict, equal=_short == "BCELoss")
    layer(_short)(_loss)
    functional(*_parameters_of)(_loss)


@layer("CTCLoss")
def _ctc(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
    has_rank(x, value, 2, 3)
    lengths = call.given(2, "input_lengths")
    if lengths is not None and x.shape:
        arrays.unlike(x.shape[:1], lengths, "input_lengths go beyond the input's length")
    needs_floating(x, value, "ctc_loss")
    free = None if x.shape is None or len(x.shape) < 3 else x.shape[1:2]
    return losing(state, x, free, value)


# --- losses of several tensors, distances ---------------------------------------------------------


def _of_several(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
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
def _of_label_sets(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
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
def _of_distances(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
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
def _distance(state: Mapping[str, Value], x: Array, value: Value, call: Call) -> Value:
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
def _functional_ctc(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "log_probs")
    x = array(value)
    if x is None or value is None:
        return call.unknown()
    has_rank(x, value, 2, 3)
    free = None if x.shape is None or len(x.shape) < 3 else x.shape[1:2]
    return losing(call.keywords, x, free, value)
