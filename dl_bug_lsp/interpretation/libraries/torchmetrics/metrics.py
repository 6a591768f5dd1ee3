"""Models of torchmetrics: what metrics and collections of them return.

Source: the torchmetrics 1.8 reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.torch.layers  # noqa: F401
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.torchmetrics.argument_checks import check
from dl_bug_lsp.interpretation.model_helpers import itself
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, LibraryObject, Value, merged, unknown

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

TASKS = (
    "Accuracy Precision Recall F1Score FBetaScore Specificity AUROC AveragePrecision "
    "CohenKappa MatthewsCorrCoef JaccardIndex HammingDistance CalibrationError StatScores "
    "ConfusionMatrix ExactMatch HingeLoss NegativePredictiveValue"
)
OTHERS = (
    "MeanMetric SumMetric MaxMetric MinMetric MeanSquaredError MeanAbsoluteError R2Score "
    "MeanAbsolutePercentageError SymmetricMeanAbsolutePercentageError ExplainedVariance "
    "PearsonCorrCoef SpearmanCorrCoef CosineSimilarity MeanSquaredLogError "
    "PeakSignalNoiseRatio StructuralSimilarityIndexMeasure Perplexity BLEUScore WordErrorRate "
    "CharErrorRate Dice"
)
CLASSES = [
    *(name for task in TASKS.split() for name in (task, f"Binary{task}", f"Multiclass{task}")),
    *(f"Multilabel{task}" for task in TASKS.split()),
    *OTHERS.split(),
]
CURVES = [
    f"{kind}{curve}"
    for curve in ("ROC", "PrecisionRecallCurve", "RecallAtFixedPrecision", "PrecisionAtFixedRecall")
    for kind in ("", "Binary", "Multiclass", "Multilabel")
]
"""Metrics that compute more than one tensor."""
MATRICES = ("ConfusionMatrix", "BinaryConfusionMatrix", "MulticlassConfusionMatrix")
PLACES = ("torchmetrics", "torchmetrics.classification", "torchmetrics.regression")


def _option(metric: LibraryObject, name: str) -> Value | None:
    return metric.keywords.get(name)


def _classes(metric: LibraryObject) -> Value | None:
    """Return the number of classes that a metric was made for."""
    given = _option(metric, "num_classes")
    if given is None and metric.short.startswith("Multiclass") and metric.args:
        given = metric.args[0]
    return given


def _result(value: Value) -> Value:
    """Return what a metric computes: one number, one for each class, or a confusion matrix."""
    metric = value.data
    if not isinstance(metric, LibraryObject):
        return unknown(value)
    origins = value.origins | {metric.made}
    task, classes = _option(metric, "task"), _classes(metric)
    binary = metric.short.startswith("Binary") or (task is not None and task.data == "binary")
    if metric.short.endswith("StatScores"):
        return Value(Array(None, "int64", "torch"), origins)
    if metric.short in MATRICES:
        side = Value(2) if binary else classes or Value(UNKNOWN)
        side = Value(side.data if size(side) is not None else UNKNOWN, side.origins)
        normalized = _option(metric, "normalize")
        dtype = "int64" if normalized is None or normalized.data is None else "float32"
        return Value(Array((side, side), dtype, "torch", "cpu"), origins)
    average = _option(metric, "average")
    if average is not None and average.data in (None, "none"):
        width = classes if size(classes) is not None else None
        return Value(Array((width or Value(UNKNOWN),), "float32", "torch", "cpu"), origins)
    if average is not None and not average.known:
        return Value(Array(None, "float32", "torch"), origins)
    return Value(Array((), "float32", "torch", "cpu"), origins)


def result_of(metric: Value) -> Value:
    """Return what a metric or a collection of them computes."""
    data = metric.data
    if not isinstance(data, LibraryObject) or data.short != "MetricCollection":
        return _result(metric)
    parts = data.state.get("metrics")
    if parts is None or not isinstance(parts.data, dict):
        return unknown(metric)
    prefix, postfix = data.state.get("prefix"), data.state.get("postfix")
    first = prefix.data if prefix is not None and isinstance(prefix.data, str) else ""
    last = postfix.data if postfix is not None and isinstance(postfix.data, str) else ""
    result = {f"{first}{name}{last}": result_of(part) for name, part in parts.data.items()}
    return Value(result, metric.origins)


@MODELS.function("torchmetrics.MetricCollection")
def _collection(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "metrics")
    names: dict[object, Value] | None = None
    if given is not None and isinstance(given.data, dict):
        names = dict(given.data)
    elif given is not None:
        parts = given.data if isinstance(given.data, (list, tuple)) else call.args
        if all(isinstance(part.data, LibraryObject) for part in parts):
            names = {
                part.data.short: part for part in parts if isinstance(part.data, LibraryObject)
            }
    made = LibraryObject("torchmetrics.MetricCollection", call.args, call.keywords, call.place)
    if names is not None:
        made.state["metrics"] = Value(names)
    for option in ("prefix", "postfix"):
        if option in call.keywords:
            made.state[option] = call.keywords[option]
    return Value(made, merged(*call.args) | {call.place})


@MODELS.object("torchmetrics.MetricCollection")
@MODELS.object(*(f"{place}.{name}" for place in PLACES for name in CLASSES))
def _forward(interpreter: Interpreter, call: Call) -> Value:
    _check(call)
    return _computed(interpreter, call)


@MODELS.object(*(f"{place}.{name}" for place in PLACES for name in CURVES))
def _curve(_: Interpreter, call: Call) -> Value:
    _check(call)
    return call.unknown()


def _check(call: Call) -> None:
    """Raise `Raised` where a metric, or one of a collection, refuses what it is given."""
    data = call.held
    metrics = [] if data is None else [data]
    if data is not None and data.short == "MetricCollection":
        held = data.state.get("metrics")
        parts = held.data if held is not None and isinstance(held.data, dict) else {}
        metrics = [parts[name].data for name in sorted(parts, key=str)]
    for metric in metrics:
        if isinstance(metric, LibraryObject):
            check(metric, call.given(0, "preds"), call.given(1, "target"))


def _computed(_: Interpreter, call: Call) -> Value:
    return call.unknown() if call.receiver is None else result_of(call.receiver)


def _updated(_: Interpreter, call: Call) -> Value:
    _check(call)
    return Value(None)


def _quiet(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)


def _copied(_: Interpreter, call: Call) -> Value:
    data = call.held
    if data is None or call.receiver is None:
        return call.unknown()
    made = LibraryObject(data.name, data.args, data.keywords, data.made, dict(data.state))
    for option in ("prefix", "postfix"):
        if option in call.keywords:
            made.state[option] = call.keywords[option]
    return Value(made, call.receiver.origins)


for _short in (*CLASSES, "MetricCollection"):
    MODELS.methods.setdefault((_short, "compute"), _computed)
    MODELS.methods.setdefault((_short, "forward"), _forward)
    MODELS.methods.setdefault((_short, "update"), _updated)
    MODELS.methods.setdefault((_short, "reset"), _quiet)
    MODELS.methods.setdefault((_short, "clone"), _copied)
    for _name in ("to", "cpu", "cuda", "set_dtype"):
        MODELS.methods.setdefault((_short, _name), itself)
for _short in CURVES:
    MODELS.methods.setdefault((_short, "forward"), _curve)
    MODELS.methods.setdefault((_short, "update"), _updated)
    MODELS.methods.setdefault((_short, "reset"), _quiet)
