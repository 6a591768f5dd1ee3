"""Rules for models that cannot learn: one-unit softmax, squashed stacks, dead starts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.losses import INNER
from dl_bug_lsp.evidence.training_rules.program import Training, argument, clue, string, text
from dl_bug_lsp.provenance.scopes import Scope, called_name

# callee -> position of the number of outputs.
OUTPUTS = {
    "Dense": 0, "Linear": 1, "LazyLinear": 0, "Conv2D": 0, "Conv1D": 0, "Conv2d": 1, "Conv1d": 1,
    "Conv": 0, "DenseGeneral": 0,
}  # fmt: skip
SQUASHING = frozenset(
    {"sigmoid", "tanh", "Sigmoid", "Tanh", "hard_sigmoid", "Hardsigmoid", "softsign"}
)
INITIALIZERS = frozenset(
    {
        "kernel_initializer",
        "kernel_init",
        "embeddings_initializer",
        "recurrent_initializer",
        "depthwise_initializer",
        "w_init",
    }
)
DEEP = 4
"""With so many squashing layers in a row the gradient is below 1 % of what it was."""


def find(training: Training) -> Iterator[Clue]:
    """Yield layers, initial weights and axes that keep the gradient from flowing."""
    yield from _one_unit(training)
    yield from _squashed(training)
    yield from _starts(training)
    yield from _axes(training)
    yield from _normalisers(training)
    yield from _outputs(training)


def _sizes(training: Training, scope: Scope, call: ast.Call) -> list[float]:
    size = argument(
        call, OUTPUTS[called_name(call)], "units", "filters", "features", "out_features"
    )
    return training.numbers(scope, size) if size is not None else []


def _one_unit(training: Training) -> Iterator[Clue]:
    """Find a softmax over a single unit is 1 whatever the weights are."""
    single = [
        (scope, call)
        for scope, call in training.named(*OUTPUTS)
        if set(_sizes(training, scope, call)) == {1.0}
    ]
    for scope, call in single:
        activation = keyword(call, "activation")
        if string(activation) in ("softmax", "log_softmax") or (
            getattr(activation, "attr", "") in ("softmax", "log_softmax")
        ):
            why = "a softmax over one unit is always 1"
            yield clue("strong", scope.file, (activation or call).lineno, why)
    if not single:
        return
    wide = any(
        min(_sizes(training, s, c), default=1) > 1 and not training.loops(s, c)
        for s, c in training.named(*OUTPUTS)
        if INNER.search(s.name) is None
        and "head" in ast.dump(training.statement(s, c) or c).lower()
    )
    for scope, call in training.named("softmax", "log_softmax", "Softmax", "LogSoftmax"):
        words = f"{scope.name} {text(call)}"
        if re.search(r"att|gate|weight|alpha|mask|rout|mix", words, re.IGNORECASE):
            continue
        why = "a softmax over one unit is always 1"
        yield clue("medium" if wide else "strong", scope.file, call.lineno, why)


def _squashed(training: Training) -> Iterator[Clue]:
    for scope in training.functions:
        activated: list[ast.expr] = []
        for call in scope.calls:
            inner = keyword(call, "activation")
            name = string(inner) or getattr(inner, "attr", "")
            if called_name(call) in OUTPUTS and inner is not None and name in SQUASHING:
                activated.append(inner)
                if training.loops(scope, call):
                    activated.extend([inner] * 2)
            elif called_name(call) in SQUASHING and _in_stack(training, scope, call):
                activated.append(call)
                if training.loops(scope, call):
                    activated.extend([call] * 2)
        # A sigmoid's slope is 1/4 at most, that of tanh 1.
        sigmoid = any("igmoid" in ast.unparse(e) for e in activated)
        if len(activated) >= DEEP - 1:
            level = "strong" if sigmoid or len(activated) > DEEP else "medium"
            for expr in dict.fromkeys(activated):
                why = "layer upon layer squashes its input, so gradients vanish"
                yield clue(level, scope.file, expr.lineno, why)
    for entry in training.entries:
        if entry.key in ("activation", "nonlinearity", "act") and str(entry.value).lower() in (
            "sigmoid", "tanh", "softmax", "linear", "none", "identity", "hard_sigmoid",
        ):  # fmt: skip
            why = f"`{entry.value}` as the activation of all layers"
            yield clue("medium", entry.file, entry.line, why)


def _in_stack(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether an activation belongs to a stack of layers, not to a gate or an output."""
    statement = training.statement(scope, call)
    words = ast.dump(statement) if isinstance(statement, ast.Assign) else ""
    return re.search(r"gate|att|forget|reset|update", words, re.IGNORECASE) is None


def _starts(training: Training) -> Iterator[Clue]:
    """Weights that all start alike stay alike; huge ones saturate what follows."""
    for scope, call in training.named("zeros_", "ones_", "constant_"):
        target = ast.unparse(call.args[0]) if call.args else ""
        if "init" not in ast.dump(call.func) or "bias" in target or re.search(r"norm|bn", target):
            continue
        why = f"{text(call)} makes all units alike, and they stay so"
        yield clue("strong" if "weight" in target else "medium", scope.file, call.lineno, why)
    for scope, call in training.calls:
        for word in call.keywords:
            if word.arg in INITIALIZERS:
                name = string(word.value) or ast.unparse(word.value)
                if re.search(r"zeros|ones\b|[Cc]onstant|Zeros|Ones", name):
                    why = f"weights that start as `{name[:40]}` all learn the same"
                    around = training.statement(scope, call)
                    words = ast.unparse(around).partition("(")[0] if around is not None else ""
                    # A last layer and what adds to a residual may start at 0 (its inputs differ).
                    last = re.search(r"head|out|final|last|proj|bias|gate", words) is not None
                    level = "weak" if word.arg == "embeddings_initializer" else "strong"
                    level = "medium" if last else level
                    yield clue(level, scope.file, word.value.lineno, why)
    for scope, call in training.named(
        "normal_", "uniform_", "RandomNormal", "RandomUniform", "normal"
    ):
        width = keyword(call, "std") or keyword(call, "stddev") or keyword(call, "maxval")
        if width is None and called_name(call) == "normal_":
            width = argument(call, 2)
        for origin in training.origins(scope, width) if width is not None else ():
            if origin.value >= 1.5 and called_name(call) != "normal":
                why = f"weights that start with a spread of {origin.value:g} saturate the network"
                yield clue("strong", origin.file, origin.line, why)
    for scope, call in training.named("fill_", "zero_"):
        target = ast.unparse(call.func)
        if ".weight" in target and ".grad" not in target and "norm" not in target:
            why = f"{text(call)} makes all units alike"
            yield clue("medium", scope.file, call.lineno, why)


def _axes(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("softmax", "log_softmax", "Softmax", "LogSoftmax", "argmax"):
        axis = keyword(call, "dim") or keyword(call, "axis")
        if axis is None and called_name(call) in ("Softmax", "LogSoftmax", "argmax"):
            method = isinstance(call.func, ast.Attribute) and len(call.args) == 1
            axis = argument(call, 0) if method else argument(call, 1)
        if isinstance(axis, ast.Constant) and axis.value == 0 and type(axis.value) is int:
            why = f"{text(call)} runs over axis 0, the samples of the batch"
            level = "medium" if called_name(call) == "argmax" else "strong"
            yield clue(level, scope.file, axis.lineno, why)


def _normalisers(training: Training) -> Iterator[Clue]:
    torch = "torch" in training.imported
    for scope, call in training.named(
        "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "BatchNormalization"
    ):
        momentum = keyword(call, "momentum")
        for origin in training.origins(scope, momentum) if momentum is not None else ():
            # torch weighs the new statistics with the momentum, Keras the old ones.
            is_torch = called_name(call) != "BatchNormalization" and torch
            if (is_torch and origin.value >= 0.9) or (not is_torch and origin.value <= 0.1):
                why = "the running statistics follow a single batch"
                yield clue("medium", origin.file, origin.line, why)
            elif is_torch and origin.value == 0:
                yield clue("strong", origin.file, origin.line, "the running statistics never move")


def _outputs(training: Training) -> Iterator[Clue]:
    """Find a rectifier as the last word of a model: no negative values, no gradient at 0."""
    for scope in training.functions:
        short = scope.name.rpartition(".")[2]
        for call in scope.calls:
            if called_name(call) not in ("relu", "ReLU", "relu_"):
                continue
            parent = training.parent(scope, call)
            if short in ("forward", "call", "__call__") and isinstance(parent, ast.Return):
                owner = scope.owner.name if scope.owner is not None else ""
                if not re.search(r"block|layer|encoder|conv|down|up|res", owner, re.IGNORECASE):
                    why = "the model's output is cut off at 0, where it has no gradient"
                    yield clue("medium", scope.file, call.lineno, why)
            elif isinstance(parent, ast.Call) and called_name(parent) == "Sequential":
                around = ast.unparse(training.statement(scope, call) or call)
                words = around.partition("=")[0] + scope.name
                part = r"block|layer|encoder|conv|down|up|feature|backbone|trunk|stem"
                last = bool(parent.args) and parent.args[-1] is call
                if last and not re.search(part, words, re.IGNORECASE):
                    yield clue("weak", scope.file, call.lineno, "a rectifier as the last layer")
