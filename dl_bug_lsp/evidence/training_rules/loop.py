"""Rules for the training loop: steps, accumulated updates, gradients, and warnings in the log.

Steps that are missing, in the wrong order or never reached; updates whose condition never holds;
gradients that are lost, reversed or never applied. Warnings count at the lines of the workspace
that they name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, source
from dl_bug_lsp.evidence.nan_sources import warned
from dl_bug_lsp.evidence.training_rules.program import (
    BRANCHES,
    SIGNS,
    Origin,
    Training,
    clue,
    names_in,
    on_optimizer,
    text,
)
from dl_bug_lsp.provenance.nodes import StepKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import backward_slice


def find_loop(training: Training) -> Iterator[Clue]:
    """Yield the faults of loops that are written out."""
    backward = [
        (s, c)
        for s, c in training.named("backward", "manual_backward")
        if "autograd" not in ast.unparse(c.func)
    ]
    if backward:
        yield from _never(training, backward)
    for scope, call in backward:
        yield from _around_backward(training, scope, call)


def _steps(training: Training) -> list[tuple[Scope, ast.Call]]:
    return [(s, c) for s, c in training.named("step", "update") if on_optimizer(c)]


def _never(training: Training, backward: list[tuple[Scope, ast.Call]]) -> Iterator[Clue]:
    scope, call = backward[0]
    by_hand = any(".grad" in ast.unparse(b.value) for s in training.functions
                  for bs in s.bindings.values() for b in bs)  # fmt: skip
    lightning = "Trainer" in training.by_name or called_name(call) == "manual_backward"
    if not _steps(training) and not by_hand and not lightning:
        why = "gradients are computed, but no optimizer ever makes a step"
        yield clue("strong", scope.file, call.lineno, why)
    zeroed = any(n in training.by_name for n in ("zero_grad", "zero_grads"))
    zeroed = zeroed or ".grad = None" in " ".join(
        source(s) for s in ast.walk(scope.node) if isinstance(s, ast.Assign)
    )
    if not zeroed and not by_hand and _repeats(training, scope, call):
        why = "gradients are never set back to zero and add up"
        yield clue("strong", scope.file, call.lineno, why)
        for other, step in _steps(training)[:2]:
            yield clue(
                "medium", other.file, step.lineno, "no `zero_grad` before or after this step"
            )


MOST_CALLS = 4
"""Functions that call one another on the way to a loop."""


def _repeats(training: Training, scope: Scope, node: ast.AST, depth: int = MOST_CALLS) -> bool:
    """Whether what stands in a function runs more than once, as far as that is known."""
    if training.loops(scope, node):
        return True
    if scope.is_module:
        return False
    callers = training.case.engine.program.callers(scope.name.rpartition(".")[2])
    if not callers or not depth:
        return True
    return len(callers) > 1 or any(_repeats(training, s, c, depth - 1) for s, c in callers)


def _around_backward(training: Training, scope: Scope, backward: ast.Call) -> Iterator[Clue]:
    """Judge the order of zero_grad, backward and step in one loop (or one function)."""
    loops = training.loops(scope, backward)
    body: ast.AST = loops[0] if loops else scope.node
    inside = [c for c in calls_in(body) if c is not backward]
    steps = [c for c in inside if called_name(c) == "step" and on_optimizer(c)]
    zeros = [c for c in inside if called_name(c) == "zero_grad"]
    backwards = [c for c in calls_in(body) if called_name(c) == "backward"]
    if len(backwards) == 1:
        yield from _order(scope, backward, steps, zeros)
    batches = bool(loops) and isinstance(loops[0], ast.For) and _over_batches(loops[0])
    if batches and not steps and not _calls_step(training, inside):
        for later in (c for c in scope.calls if called_name(c) == "step" and on_optimizer(c)):
            if len(training.loops(scope, later)) < len(loops):
                why = f"{text(later)} stands outside the loop that computes gradients"
                yield clue("strong", scope.file, later.lineno, why)
    if batches and len(loops) > 1 and not zeros and not _calls_step(training, inside):
        for early in (c for c in scope.calls if called_name(c) == "zero_grad"):
            if steps and 0 < len(training.loops(scope, early)) < len(loops):
                why = f"{text(early)} runs once an epoch, so gradients of all batches add up"
                yield clue("strong", scope.file, early.lineno, why)
            elif steps and not training.loops(scope, early):
                why = f"{text(early)} runs once, so gradients of all batches add up"
                yield clue("strong", scope.file, early.lineno, why)
    if not loops:
        return
    if _after_batches(training, scope, backward, loops[0]):
        why = "only the last batch of the epoch is learnt from"
        yield clue("medium", scope.file, backward.lineno, why)


def _over_batches(loop: ast.For) -> bool:
    """Whether a loop goes over the batches of an epoch (not over parts of one step)."""
    words = f"{ast.unparse(loop.target)} {ast.unparse(loop.iter)}".lower()
    return re.search(r"loader|batch|dataset|\bdl\b|_dl\b|\bdata\b", words) is not None and not (
        re.search(r"micro|accum|chunk", words)
    )


def _calls_step(training: Training, calls: list[ast.Call]) -> bool:
    """Whether one of the calls is of a function of the workspace that makes the step."""
    names = {called_name(c) for c in calls}
    return any(
        s.name.rpartition(".")[2] in names
        and any(called_name(c) in ("step", "zero_grad") for c in s.calls)
        for s in training.functions
    )


def _order(
    scope: Scope, backward: ast.Call, steps: list[ast.Call], zeros: list[ast.Call]
) -> Iterator[Clue]:
    at = backward.lineno
    after = [c for c in steps if c.lineno > at]
    for zero in zeros:
        if any(at < zero.lineno < s.lineno for s in after):
            why = f"{text(zero)} wipes the gradients before the step uses them"
            yield clue("strong", scope.file, zero.lineno, why)
    if steps and not after and all(c.lineno < at for c in steps):
        level = "medium" if any(z.lineno < steps[0].lineno for z in zeros) else "weak"
        if any(steps[-1].lineno < z.lineno < at for z in zeros) or level == "medium":
            level = "strong"
        why = f"{text(steps[0])} comes before the gradients are computed"
        yield clue(level, scope.file, steps[0].lineno, why)


def _after_batches(training: Training, scope: Scope, backward: ast.Call, loop: ast.AST) -> bool:
    """Whether backward stands beside, not in, a loop over the batches."""
    return any(
        isinstance(n, ast.For)
        and n is not loop
        and (n.end_lineno or 0) < backward.lineno
        and re.search(r"loader|batch", ast.unparse(n.iter)) is not None
        and loop in training.loops(scope, n)
        for n in ast.walk(loop)
    )


def find_accumulation(training: Training) -> Iterator[Clue]:
    """Yield the conditions, and the numbers in them, that keep updates from being made."""
    yield from _conditions(training)


def _conditions(training: Training) -> Iterator[Clue]:
    """Find updates under a condition on a counter, and whether it ever comes true."""
    for scope in training.functions:
        for branch in training.nodes(scope, BRANCHES):
            if not isinstance(branch, ast.If):
                continue
            modulo = next(
                (
                    n
                    for n in ast.walk(branch.test)
                    if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod)
                ),
                None,
            )
            if modulo is None or not training.owns(scope, branch):
                continue
            if _updates(training, branch):
                yield from _every(training, scope, branch, modulo)


def _updates(training: Training, branch: ast.If) -> bool:
    for statement in branch.body:
        for call in calls_in(statement):
            name = called_name(call)
            if name == "apply_gradients" or (name == "step" and on_optimizer(call)):
                return True
            own = [s for s in training.functions if s.name.rpartition(".")[2] == name]
            for function in own[:3]:
                if any(called_name(c) == "step" and on_optimizer(c) for c in function.calls):
                    return True
    return False


def _every(training: Training, scope: Scope, branch: ast.If, modulo: ast.BinOp) -> Iterator[Clue]:
    loop = next((n for n in training.loops(scope, branch) if isinstance(n, ast.For)), None)
    every = training.origins(scope, modulo.right)
    least = min((o.value for o in every), default=None)
    counted = loop is not None and names_in(loop.target) & names_in(modulo.left)
    if loop is None or not counted or least is None:
        if least is None or least > 1:
            why = f"an update is made only where {text(branch.test)}"
            yield clue("weak", scope.file, branch.lineno, why)
        return
    rounds = _rounds(training, scope, loop)
    if rounds and least > max(o.value for o in rounds):
        why = f"{text(branch.test)} is never true in a loop of {rounds[0].value:g} rounds"
        yield clue("strong", scope.file, branch.lineno, why)
        for origin in every:
            yield clue(
                "strong", origin.file, origin.line, f"updates every {origin.value:g} rounds", 0.9
            )
        for origin in rounds:
            why = f"only {origin.value:g} rounds, fewer than one update takes"
            yield clue("medium", origin.file, origin.line, why)
    elif least >= 16:
        why = f"one update in {least:g} rounds, and the count starts anew with every loop"
        yield clue("medium", scope.file, branch.lineno, why)
        for origin in every:
            yield clue("medium", origin.file, origin.line, why, 0.8)


def _rounds(training: Training, scope: Scope, loop: ast.For) -> list[Origin]:
    call = loop.iter
    while (
        isinstance(call, ast.Call)
        and called_name(call) in ("tqdm", "enumerate", "list")
        and call.args
    ):
        call = call.args[0]
    if isinstance(call, ast.Call) and called_name(call) in ("range", "trange") and call.args:
        end = call.args[1] if len(call.args) > 1 else call.args[0]
        return training.origins(scope, end)
    return []


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


def find_gradients(training: Training) -> Iterator[Clue]:
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
            why = f"after {text(call)} nothing calls the optimizers' `step()`"
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
    """TensorFlow: gradients that no optimizer applies, losses made outside the tape."""
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
            level = "weak" if _without_gradients(training, scope, call) else "strong"
            yield clue(level, scope.file, call.lineno, why)


def _without_gradients(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether a call stands where nothing is trained: under ``no_grad``."""
    blocks = (n for n in training.around(scope, call) if isinstance(n, ast.With))
    words = [ast.dump(item.context_expr) for block in blocks for item in block.items]
    return any("no_grad" in w or "inference_mode" in w for w in (*words, *scope.decorators()))


MOST_LINES = 4_000
"""Lines at the beginning of a log in which warnings are looked for: Python prints each once."""
WARNING = re.compile(r"^(?P<file>[^\s:][^:\n]{0,300}\.py):(?P<line>\d{1,7}): \w{0,60}Warning: ")
DECISIVE = (
    ("that is different to the input size", "targets and predictions are spread over each other"),
    ("none of the inputs have requires_grad", "no gradient passes here"),
    ("invalid value encountered", "a value that is no number arises here"),
    ("divide by zero encountered", "a division by zero happens here"),
    ("overflow encountered", "a value grows beyond what its type holds"),
    ("before `optimizer.step()`", "the schedule steps before the optimizer"),
    ("degrees of freedom <= 0", "a deviation is taken of too few values"),
)
"""What a warning says, and what it means for the training."""
OF_LOSSES = frozenset(("that is different to the input size",))
"""Warnings that the library gives from inside of a loss function."""
WARNED_INSIDE = "the log warns of what a loss like this one is given"
WARNED = "the log warns of this line"
"""How such a clue begins: it says where something shows, and not what caused it."""


LOSS_STEPS = 6
"""How far behind the start of a gradient the call of the loss is looked for."""


def _losses(training: Training) -> Iterator[tuple[str, int]]:
    """Yield the lines of the calls that return what gradients begin with."""
    seen: set[tuple[str, int]] = set()
    for start in training.case.starts:
        for step in backward_slice([start], LOSS_STEPS):
            place = (step.node.file, step.node.line)
            if step.node.kind is StepKind.CALL and step.decides and step.node.line > 0:
                if place not in seen:
                    seen.add(place)
                    yield place
                break


def find_warnings(training: Training) -> Iterator[Clue]:
    """Yield the lines about which the log warns with words that explain a silent failure."""
    for line in training.case.log.lines[:MOST_LINES]:
        match = WARNING.match(line.text)
        if match is None:
            continue
        message = line.text[match.end() :].lower()
        phrase, meaning = next((pair for pair in DECISIVE if pair[0] in message), ("", ""))
        if not meaning:
            continue
        place = training.case.workspace.locate(match["file"], int(match["line"]))
        if place is not None:
            why = f"{WARNED}: {meaning}"
            yield clue("strong", place.file, place.line, why)
        elif phrase in OF_LOSSES:
            for file, number in _losses(training):
                yield clue("strong", file, number, f"{WARNED_INSIDE}: {meaning}")
    files = dict.fromkeys(scope.file for scope in training.functions)
    places = list(warned(training.case, files))
    for (file, number), why in places:
        yield clue("strong", file, number, why, 1.0 / len(places) ** 0.5)
