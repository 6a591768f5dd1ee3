"""Keras: a loss and a last activation that do not fit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, keyword
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import argument, clue, string
from dl_bug_lsp.provenance.scopes import Scope

KERAS_LOSSES = (
    "BinaryCrossentropy",
    "CategoricalCrossentropy",
    "SparseCategoricalCrossentropy",
    "binary_crossentropy",
    "categorical_crossentropy",
    "sparse_categorical_crossentropy",
)


PART = re.compile(
    r"block|attention|ffn|feed_?forward|encoder|backbone|stem|branch|embed|expert|squeeze|layer",
    re.IGNORECASE,
)
"""Names of parts of a model, whose last layer is not the model's."""


def find(training: Training) -> Iterator[Clue]:
    """Yield losses and last layers that do not fit."""
    if not {"keras", "tensorflow", "tf_keras"} & training.imported:
        return
    last = list(_last_layers(training))
    # One layer that fits is the model's head; the others belong to parts of it.
    if any(activation in ("softmax", "sigmoid", "?") for _, _, activation in last):
        last = [layer for layer in last if layer[2] is not None]
    for file, line, name, logits in _keras_losses(training):
        for scope, call, activation in last:
            units = argument(call, 0, "units", "filters")
            sizes = training.numbers(scope, units) if units is not None else []
            for level, at_loss, why in _mismatch(name, logits, activation, sizes):
                if at_loss:
                    yield clue(level, file, line, why)
                else:
                    where = keyword(call, "activation") or call
                    yield clue(level, scope.file, where.lineno, why)


def _keras_losses(training: Training) -> Iterator[tuple[str, int, str, bool]]:
    """Yield the losses by file, line, lower-case name, and whether they take logits."""
    for scope, call in training.named("compile"):
        loss = keyword(call, "loss")
        for name in training.texts(scope, loss) if loss is not None else ():
            line = loss.lineno if loss is not None else 0
            yield scope.file, line, name.replace("_", ""), False

    for scope, call in training.named(*KERAS_LOSSES):
        flag = keyword(call, "from_logits")
        logits = isinstance(flag, ast.Constant) and flag.value is True
        line = flag.lineno if flag is not None else call.lineno
        if flag is None or isinstance(flag, ast.Constant):
            yield scope.file, line, called_name(call).lower().replace("_", ""), logits


def _last_layers(training: Training) -> Iterator[tuple[Scope, ast.Call, str | None]]:
    """Yield each function's last dense (or 1x1 convolution) layer with its activation."""
    for scope in training.functions:
        layers = [c for c in scope.calls if called_name(c) in ("Dense", "Conv2D", "Conv1D")]
        if not layers:
            continue
        owner = scope.owner.name if scope.owner is not None else ""
        if PART.search(f"{scope.name} {owner}"):
            continue
        dense = [c for c in layers if called_name(c) == "Dense"] or [
            c for c in layers if _is_pointwise(c)
        ]
        if not dense:
            continue
        call = max(dense, key=lambda c: c.lineno)
        if training.loops(scope, call):
            continue
        after = [
            c
            for c in scope.calls
            if c.lineno > call.lineno
            and called_name(c) in ("Activation", "Softmax", "softmax", "sigmoid")
        ]
        given = keyword(call, "activation")
        activation = string(given) if given is not None else None
        if given is not None and activation is None:
            activation = getattr(given, "attr", "?")
        if not after or given is not None:
            yield scope, call, activation


def _is_pointwise(call: ast.Call) -> bool:
    size = argument(call, 1, "kernel_size")
    return size is not None and ast.unparse(size) in ("1", "(1, 1)")


def _mismatch(
    loss: str, logits: bool, activation: str | None, sizes: list[float]
) -> Iterator[tuple[str, bool, str]]:
    """Yield (level, whether at the loss, reason) for a loss and a last activation."""
    crossed = "crossentropy" in loss
    if crossed and logits and activation in ("sigmoid", "softmax"):
        yield "strong", True, f"the loss expects raw scores, the last layer gives {activation}"
        yield "strong", False, f"`{activation}` before a loss that applies it once more"
    if crossed and not logits and activation in (None, "linear", "relu", "tanh"):
        yield "strong", True, "the loss expects probabilities, the last layer gives raw scores"
        yield "strong", False, "raw scores go to a loss that expects probabilities"
    if loss.startswith("binary") and activation == "softmax":
        yield "medium", False, "softmax with a binary cross entropy"
        yield "medium", True, "a binary cross entropy over a softmax"
    if "categorical" in loss and sizes and max(sizes) == 1:
        yield "strong", True, "a categorical loss over one unit is always 0"
        yield "strong", False, "one unit cannot tell classes apart in a categorical loss"
    if "categorical" in loss and activation == "sigmoid":
        yield "medium", False, "sigmoid outputs do not sum to 1 as the loss assumes"
    if loss in ("mse", "meansquarederror", "mae") and activation in ("softmax", "relu"):
        yield "medium", False, f"`{activation}` bounds what a regression can give"
