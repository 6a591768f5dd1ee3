"""Losses that do not fit the model's last activation, or that cannot be learnt from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import clue, names_in, text
from dl_bug_lsp.provenance.scopes import Scope

SOFTMAX = ("softmax", "log_softmax", "Softmax", "LogSoftmax", "softmax2d", "Softmax2d")
SIGMOID = ("sigmoid", "Sigmoid")
FROM_LOGITS = (
    "CrossEntropyLoss",
    "cross_entropy",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits",
)
FROM_BINARY_LOGITS = (
    "BCEWithLogitsLoss",
    "binary_cross_entropy_with_logits",
    "sigmoid_cross_entropy_with_logits",
    "sigmoid_binary_cross_entropy",
)
INNER = re.compile(
    r"att|entropy|nll|kl\b|kl_|divergence|score|weight|gate|alpha|mask|align|rout|mix|sample|predict|infer|generat|prob|eval|temperature"
    r"|teacher|distil|squeeze|excit|beta|policy|act\b|select|choose|export|serve|report|metric",
    re.IGNORECASE,
)
"""Names beside which a softmax or a sigmoid belongs where it is."""
MEASURES = re.compile(r"metric|update|append|print|\blog\b|log_dict|acc\b|auc|score", re.IGNORECASE)
"""Callees that measure or show what they are given."""
TARGETS = frozenset(
    "y target targets label labels y_true truth gt ground_truth tgt true yb y_batch".split()  # noqa: SIM905
)
OUTPUTS = frozenset(
    "output outputs logits pred preds prediction predictions out y_pred y_hat yhat scores".split()  # noqa: SIM905
)
DISCRETE = frozenset({"argmax", "round", "sign", "floor", "ceil", "argsort", "topk", "rint"})


def find(training: Training) -> Iterator[Clue]:
    """Yield mismatches of loss and activation, and losses whose gradient is lost or reversed."""
    yield from _double(training, FROM_LOGITS, SOFTMAX, "softmax")
    yield from _double(training, FROM_BINARY_LOGITS, SIGMOID, "sigmoid")
    yield from _negative_log_likelihood(training)
    for scope, call in _loss_calls(training):
        yield from _arguments(scope, call)


def _double(
    training: Training, losses: tuple[str, ...], activations: tuple[str, ...], name: str
) -> Iterator[Clue]:
    own = {s.name.rpartition(".")[2] for s in training.functions}
    used = [
        (s, c)
        for s, c in training.named(*losses)
        if called_name(c) not in own and not _is_metric(s)
    ]
    if not used:
        return
    loss = called_name(used[0][1])
    for scope, call in training.named(*activations):
        if _belongs(training, scope, call):
            continue
        why = f"`{loss}` applies its own {name}, so this one is the second"
        yield clue(
            "strong" if _is_last(training, scope, call) else "medium", scope.file, call.lineno, why
        )
        for other, used_call in used[:3]:
            why = f"`{loss}` wants raw scores, the model gives {name} outputs"
            yield clue("medium", other.file, used_call.lineno, why, 0.8)


def _is_metric(scope: Scope) -> bool:
    return "metric" in scope.name.lower()


def _belongs(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether an activation is an inner one (attention, gate) or stands outside training."""
    statement = training.statement(scope, call)
    targets = ""
    if isinstance(statement, ast.Assign):
        targets = " ".join(ast.unparse(t) for t in statement.targets)
    elif isinstance(statement, ast.AnnAssign):
        targets = ast.unparse(statement.target)
    owner = scope.owner.name if scope.owner is not None else ""
    words = f"{scope.name} {owner} {targets} {' '.join(sorted(names_in(call)))}"
    if INNER.search(words):
        return True
    for around in training.around(scope, call):
        if isinstance(around, ast.Call) and MEASURES.search(ast.unparse(around.func)):
            return True
        if isinstance(around, ast.With) and "no_grad" in ast.dump(around.items[0].context_expr):
            return True
    return any("no_grad" in d or "inference_mode" in d for d in scope.decorators())


def _is_last(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether an activation is what a forward pass gives, or the last layer of a stack."""
    parent = training.parent(scope, call)
    if isinstance(parent, ast.Return):
        return True
    if isinstance(parent, ast.Call) and called_name(parent) in ("Sequential", "ModuleList"):
        return bool(parent.args) and parent.args[-1] is call
    if isinstance(parent, (ast.List, ast.Tuple)):
        return parent.elts[-1] is call
    if isinstance(parent, ast.Call) and called_name(parent) in ("append", "add"):
        return not training.loops(scope, call)
    statement = training.statement(scope, call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
        given = {n for r in scope.returns for n in names_in(r)}
        later = [b for b in scope.bindings.get(name, []) if b.line > call.lineno]
        loss_argument = any(
            name in names_in(a)
            for s, c in training.named(*FROM_LOGITS)
            if s is scope
            for a in c.args
        )
        return (name in given and not later) or loss_argument
    return isinstance(parent, ast.Call) and called_name(parent) in FROM_LOGITS + FROM_BINARY_LOGITS


def _negative_log_likelihood(training: Training) -> Iterator[Clue]:
    used = list(training.named("NLLLoss", "nll_loss"))
    if not used or "log_softmax" in training.by_name or "LogSoftmax" in training.by_name:
        return
    for scope, call in training.named("softmax", "Softmax"):
        if not _belongs(training, scope, call):
            why = "the negative log likelihood wants log-probabilities"
            yield clue("strong", scope.file, call.lineno, why)
    for scope, call in used:
        why = "the negative log likelihood is given values that are no log-probabilities"
        yield clue("medium", scope.file, call.lineno, why)


def _loss_calls(training: Training) -> Iterator[tuple[Scope, ast.Call]]:
    pattern = re.compile(r"criterion|loss|cross_?entropy|kl_div|nll|mse", re.IGNORECASE)
    for scope, call in training.calls:
        if pattern.search(called_name(call)) and len(call.args) >= 2:
            yield scope, call


def _arguments(scope: Scope, call: ast.Call) -> Iterator[Clue]:
    first, second = call.args[0], call.args[1]
    if ast.dump(first) == ast.dump(second):
        why = f"{text(call)} compares a value with itself"
        yield clue("strong", scope.file, call.lineno, why)
    one, two = _last_word(first), _last_word(second)
    keras_like = called_name(call) in ("loss_fn", "compiled_loss", "compute_loss")
    if one in TARGETS and two in OUTPUTS and not keras_like and not _defines(scope):
        torch_like = called_name(call) in FROM_LOGITS + FROM_BINARY_LOGITS + ("kl_div", "nll_loss")
        why = f"{text(call)} has prediction and target in each other's place"
        yield clue("strong" if torch_like else "weak", scope.file, call.lineno, why)
    for inner in (n for n in ast.walk(first) if isinstance(n, ast.Call)):
        if called_name(inner) in DISCRETE:
            why = f"{text(inner)} has no gradient"
            yield clue("strong", scope.file, inner.lineno, why)
    for compare in (n for n in ast.walk(first) if isinstance(n, ast.Compare)):
        why = f"{text(compare)} has no gradient"
        yield clue("strong", scope.file, compare.lineno, why)


def _last_word(expr: ast.expr) -> str:
    if isinstance(expr, ast.Attribute):
        return expr.attr.lower()
    return expr.id.lower() if isinstance(expr, ast.Name) else ""


def _defines(scope: Scope) -> bool:
    """Whether the function takes (y_true, y_pred) as Keras' losses do."""
    return [p.arg for p in scope.parameters()][:2] == ["y_true", "y_pred"]
