"""What torchmetrics refuses: predictions and targets that do not fit a metric.

Source: ``_tensor_validation`` of the functions in ``torchmetrics/functional/classification`` and
``_check_same_shape`` of torchmetrics 1.9.
"""

from __future__ import annotations

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.torch.tensors import words
from dl_bug_lsp.interpretation.values import Array, LibraryObject, Raised, Value

CURVES = ("AUROC", "AveragePrecision", "ROC", "PrecisionRecallCurve", "LogAUC", "EER", "AtFixed")
"""Parts of the names of metrics over all thresholds: they need scores, and whole numbers."""
PAIRS = frozenset(
    words(
        "MeanSquaredError MeanAbsoluteError R2Score MeanAbsolutePercentageError CosineSimilarity "
        "SymmetricMeanAbsolutePercentageError ExplainedVariance PearsonCorrCoef SpearmanCorrCoef "
        "MeanSquaredLogError LogCoshError MinkowskiDistance RelativeSquaredError"
    )
)
"""Metrics that take two tensors of one shape."""
KINDS = ("binary", "multiclass", "multilabel")


def check(metric: LibraryObject, preds: Value | None, target: Value | None) -> None:
    """Raise `Raised` where a metric refuses what it is updated with."""
    name, kind = metric.short, _kind(metric)
    if kind and (preds is None or target is None):
        raise Raised("arguments", "update() missing a required positional argument: 'target'")
    p, t = arrays.array(preds), arrays.array(target)
    if p is None or t is None or preds is None or target is None:
        return
    for data, value in ((p, preds), (t, target)):
        if kind and data.library == "numpy":
            message = "'numpy.ndarray' object has no attribute 'is_floating_point'"
            raise Raised("attribute", message, value)
    if p.library != "torch" or t.library != "torch":
        return
    if name in PAIRS:
        _same_shape(preds, target, p, t)
    is_curve = any(part in name for part in CURVES)
    if kind in ("binary", "multilabel"):
        _same_shape(preds, target, p, t)
        if is_curve:
            _dtypes(preds, target, p, t)
        elif _is_float(t) and _shows_fractions():
            raise Raised("type", "Detected other values in `target` than 0 and 1", target, preds)
        if kind == "multilabel":
            _same_width(p, _count(metric, "num_labels"))
    elif kind == "multiclass":
        _multiclass(metric, preds, target, is_curve=is_curve)


def _kind(metric: LibraryObject) -> str:
    task = metric.keywords.get("task")
    if task is not None:
        return task.data if task.data in KINDS and isinstance(task.data, str) else ""
    return next((kind for kind in KINDS if metric.short.lower().startswith(kind)), "")


def _is_float(data: Array) -> bool:
    return (data.dtype or "").startswith(("float", "bfloat"))


def _is_whole(data: Array) -> bool:
    return (data.dtype or "").startswith(("int", "uint", "bool"))


def _shows_fractions() -> bool:
    """Whether the failure's message shows fractions where classes are wanted."""
    comparisons = arrays.COMPARISONS.get()
    return comparisons is not None and comparisons.fractions and comparisons.failing()


def _same_shape(preds: Value, target: Value, p: Array, t: Array) -> None:
    if p.shape is None or t.shape is None:
        return
    message = "Predictions and targets are expected to have the same shape"
    if len(p.shape) != len(t.shape):
        raise Raised("size", message, preds, target)
    for one, other in zip(p.shape, t.shape, strict=True):
        arrays.same(one, other, message)


def _dtypes(preds: Value, target: Value, p: Array, t: Array) -> None:
    if _is_float(t):
        message = "Expected argument `target` to be an int or long tensor with ground truth labels"
        raise Raised("type", message, target, preds)
    if _is_whole(p):
        message = "Expected argument `preds` to be an floating tensor with probability/logit scores"
        raise Raised("type", message, preds, target)


def _count(metric: LibraryObject, name: str) -> Value | None:
    """Return the number of classes or labels that a metric was made for."""
    given = metric.keywords.get(name)
    if given is None and "task" not in metric.keywords and metric.args:
        return metric.args[0]
    return given


def _same_width(p: Array, count: Value | None) -> None:
    if p.shape is not None and len(p.shape) > 1 and count is not None:
        arrays.same(p.shape[1], count, "Expected `preds.shape[1]` to be equal to the number of ...")


def _multiclass(metric: LibraryObject, preds: Value, target: Value, *, is_curve: bool) -> None:
    p, t = preds.data, target.data
    assert isinstance(p, Array)
    assert isinstance(t, Array)
    if p.shape is None or t.shape is None:
        return
    more = len(p.shape) - len(t.shape)
    if is_curve:
        if more != 1:
            message = "Expected `preds` to have one more dimension than `target`"
            raise Raised("size", message, preds, target)
        _dtypes(preds, target, p, t)
    if more == 1:
        if _is_whole(p):
            message = (
                "If `preds` have one dimension more than `target`, it should be a float tensor"
            )
            raise Raised("type", message, preds, target)
        _same_width(p, _count(metric, "num_classes"))
        for one, other in zip(p.shape[2:], t.shape[1:], strict=True):
            arrays.same(one, other, "the shape of `preds` should be (N, C, ...)")
        if is_curve:
            arrays.same(
                p.shape[0], t.shape[0], "Expected the shape of `preds` should be (N, C, ...)"
            )
    elif more == 0:
        for one, other in zip(p.shape, t.shape, strict=True):
            arrays.same(one, other, "The `preds` and `target` should have the same shape")
    else:
        message = "Either `preds` and `target` both should have the (same) shape (N, ...), or ..."
        raise Raised("size", message, preds, target)
