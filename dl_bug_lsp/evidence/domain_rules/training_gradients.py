"""Gradients that are lost, reversed or never applied."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name
from dl_bug_lsp.evidence.domain_rules.training_nodes import SIGNS
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import clue, text
from dl_bug_lsp.provenance.scopes import Scope

OTHER_VALUES = re.compile(
    r"target|teacher|ema|hidden|state|next|code|quant|mask|weight|mem|log|metric|stat|label"
    r"|anchor|old|prev|scale|mean|std|acc|memory|baseline|advantage"
)
"""Words for values that no gradient should go through."""
FAIR = re.compile(
    r"adv|reward|policy|entropy|log_?prob|elbo|fake|real|disc|critic|actor|return|gain|mean\(\)"
    r"|likelihood|score|q_|value|ll\b|sim|cos|reduce|softplus|log"
)
"""Words for what is rightly made large by the minus before it."""


def find(training: Training) -> Iterator[Clue]:
    """Yield where gradients stop, turn round or go nowhere."""
    yield from _broken_graph(training)
    yield from _by_hand(training)
    yield from _modes(training)
    yield from _reversed_sign(training)
    yield from _tape(training)
    yield from _first_batch_only(training)


def _broken_graph(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("requires_grad_"):
        if re.search(r"loss", ast.unparse(call.func)) and not call.args:
            why = "a loss that is asked to require gradients has none behind it"
            yield clue("strong", scope.file, call.lineno, why)
    for scope, call in training.named("tensor", "Variable", "as_tensor", "from_numpy"):
        flagged = any(k.arg == "requires_grad" for k in call.keywords)
        inner = ast.unparse(call.args[0]) if call.args else ""
        if (flagged and "loss" in inner) or re.search(r"loss\w*\.(?:item|data|detach)", inner):
            why = f"{text(call)} starts a new graph, the model is not in it"
            yield clue("strong", scope.file, call.lineno, why)
    for scope in training.functions:
        for name, bindings in sorted(scope.bindings.items()):
            for binding in bindings:
                if name.endswith(".requires_grad") and "loss" in name:
                    why = "a loss that is told to require gradients has none behind it"
                    yield clue("strong", scope.file, binding.line, why)
        short = scope.name.rpartition(".")[2]
        if short in (
            "forward",
            "call",
            "training_step",
            "compute_loss",
            "loss",
            "loss_fn",
            "__call__",
        ):
            yield from _cut(training, scope)


def _cut(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find calls that cut the gradient's way inside a forward pass or a loss."""
    for call in scope.calls:
        name = called_name(call)
        if name not in ("detach", "stop_gradient", "item", "numpy", "no_grad"):
            continue
        statement = training.statement(scope, call)
        around = ast.unparse(statement) if statement is not None and not isinstance(
            statement, (ast.For, ast.If, ast.With)) else ast.unparse(call)  # fmt: skip
        if OTHER_VALUES.search(around.lower()) or (name in ("item", "numpy") and "log" in around):
            continue
        if isinstance(statement, ast.Expr) or _after_backward(scope, call):
            continue  # what is kept for the records, or used when the gradients are there
        level = "strong" if name in ("detach", "stop_gradient", "no_grad") else "medium"
        yield clue(
            level, scope.file, call.lineno, f"{text(call)} cuts the gradient's way back", 0.9
        )


def _after_backward(scope: Scope, call: ast.Call) -> bool:
    backward = [c.lineno for c in scope.calls if called_name(c) in ("backward", "manual_backward")]
    return bool(backward) and max(backward) < call.lineno


def _by_hand(training: Training) -> Iterator[Clue]:
    """Lightning without automatic optimisation: who computes gradients has to apply them."""
    for scope, call in training.named("manual_backward"):
        owner = scope.owner
        methods = list(owner.functions.values()) if owner is not None else [scope]
        stepped = any(called_name(c) == "step" for method in methods for c in method.calls)
        if not stepped:
            why = f"after {text(call)} nothing calls the optimisers' `step()`"
            yield clue("strong", scope.file, call.lineno, why)


def _modes(training: Training) -> Iterator[Clue]:
    """Find evaluation mode that is never left again."""
    evals = [
        (s, c)
        for s, c in training.named("eval")
        if isinstance(c.func, ast.Attribute)
        and not c.args
        and not re.search(r"teacher|ema|vgg|frozen|target|ref|pd|frame|df", ast.unparse(c.func))
    ]
    trains = [
        c for _, c in training.named("train") if isinstance(c.func, ast.Attribute) and not c.args
    ]
    if "backward" in training.by_name and evals and not trains and "torch" in training.imported:
        for scope, call in evals:
            why = "nothing puts the model back into training mode"
            yield clue("medium", scope.file, call.lineno, why)


def _reversed_sign(training: Training) -> Iterator[Clue]:
    """Find a loss with the wrong sign: what should fall is made to rise."""
    losses = re.compile(r"cross_?entropy|criterion|mse|l1_loss|bce|nll|loss_fn|loss_func|huber")
    for scope in training.functions:
        for node in training.nodes(scope, SIGNS):
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
                if not isinstance(node.operand, (ast.Call, ast.Name, ast.Attribute)):
                    continue
                inner = ast.unparse(node.operand).lower()
                called = isinstance(node.operand, ast.Call) and losses.search(
                    called_name(node.operand).lower()
                )
                named = re.fullmatch(r"(?:self\.)?(?:total_)?loss", inner)
                other = not training.owns(scope, node) or FAIR.search(inner.replace("loss", ""))
                if other and not called:
                    continue
                if called or named:
                    why = f"{text(node)} makes the loss grow"
                    yield clue("strong", scope.file, node.lineno, why)
            elif (
                isinstance(node, ast.Assign)
                and _names_loss(node.targets[0])
                and training.owns(scope, node)
            ):
                yield from _minus_missing(scope, node)


def _names_loss(target: ast.expr) -> bool:
    """Whether a name or attribute ends as `_minus_missing` asks; saves writing all others out."""
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return name.lower().endswith(("loss", "nll"))


def _minus_missing(scope: Scope, node: ast.Assign) -> Iterator[Clue]:
    target = ast.unparse(node.targets[0]).lower()
    if not re.search(r"(?:^|[._])(?:loss|nll|\w+_loss)$", target):
        return
    value = ast.unparse(node.value).lower()
    plain = re.fullmatch(
        r"(?:torch\.|tf\.|jnp\.)?(?:reduce_)?(?:mean|sum)?\(?[\w.\[\]]*(?:log_?prob\w*|logp\w*|elbo|likelihood)"
        r"[^-]*\)?(?:\.mean\(\)|\.sum\(\))?",
        value,
    )
    if plain and "-" not in value and "nll" not in value and "cross" not in value:
        why = f"{text(node)} is to be made large, not small: the minus is missing"
        yield clue("strong", scope.file, node.lineno, why)


def _tape(training: Training) -> Iterator[Clue]:
    """TensorFlow: gradients that no optimiser applies, losses made outside the tape."""
    applied = any(
        n in training.by_name for n in ("apply_gradients", "apply", "assign_sub", "minimize")
    )
    for scope, call in training.named("gradient"):
        if "tape" in ast.unparse(call.func).lower() and not applied:
            why = "the gradients are never applied"
            yield clue("strong", scope.file, call.lineno, why)


def _first_batch_only(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("next"):
        inner = call.args[0] if call.args else None
        if (
            isinstance(inner, ast.Call)
            and called_name(inner) == "iter"
            and training.loops(scope, call)
        ):
            why = f"{text(call)} begins anew, so every round gets a first batch"
            yield clue("strong", scope.file, call.lineno, why)
