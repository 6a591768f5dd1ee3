"""Rules for learning-rate schedulers: their length, growth and direction, and when they step.

Steps counted as epochs, warm-up that never ends, decay that grows; a scheduler of epochs that steps
with every batch, one that is given a counter for a metric, and one that steps before its optimizer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.hyperparameters import OPTIMIZERS
from dl_bug_lsp.evidence.training_rules.program import (
    LOOPS,
    OPTIMIZER,
    Loop,
    Training,
    argument,
    clue,
    names_in,
    on_optimizer,
    receiver,
    string,
    text,
)
from dl_bug_lsp.provenance.scopes import Scope, called_name, dotted_name

# Schedules that count optimizer steps: callee -> (position, keyword) of their length.
STEP_LENGTHS: dict[str, tuple[int, tuple[str, ...]]] = {
    "ExponentialDecay": (1, ("decay_steps",)),
    "InverseTimeDecay": (1, ("decay_steps",)),
    "PolynomialDecay": (1, ("decay_steps",)),
    "CosineDecay": (1, ("decay_steps",)),
    "CosineDecayRestarts": (1, ("first_decay_steps",)),
    "exponential_decay": (1, ("transition_steps", "decay_steps")),
    "cosine_decay_schedule": (1, ("decay_steps",)),
    "linear_schedule": (2, ("transition_steps",)),
    "polynomial_schedule": (3, ("transition_steps",)),
    "warmup_cosine_decay_schedule": (3, ("decay_steps",)),
    "warmup_exponential_decay_schedule": (3, ("transition_steps",)),
    "get_linear_schedule_with_warmup": (2, ("num_training_steps",)),
    "get_cosine_schedule_with_warmup": (2, ("num_training_steps",)),
    "get_polynomial_decay_schedule_with_warmup": (2, ("num_training_steps",)),
    "get_scheduler": (3, ("num_training_steps",)),
}
EPOCH_SCHEDULES = frozenset(
    {"StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "LambdaLR", "PolynomialLR"}
)
COUNTER = re.compile(
    r"(?:self\.)?(?:current_)?(?:epoch|ep|e|step|i|it|n|global_step)(?: *\+ *1)?"
)  # fmt: skip
FEW_STEPS = 30
"""Fewer steps than any real epoch schedule of small data has."""


def find_schedules(training: Training) -> Iterator[Clue]:
    """Yield schedules whose length, growth or direction cannot be meant."""
    yield from _lengths(training)
    yield from _warm_ups(training)
    yield from _factors(training)
    yield from _plateaus(training)
    yield from _stepped_per_batch(training)
    yield from find_early_steps(training)
    for scope in training.functions:
        yield from _of_replaced(scope)
        yield from _never_stepped(scope)


def _of_replaced(scope: Scope) -> Iterator[Clue]:
    """Find an optimizer that is made anew while a schedule goes on with the one before."""
    for name, bindings in sorted(scope.bindings.items()):
        makings = [
            (binding.line, argument(call, 0, "optimizer"))
            for binding in bindings
            if isinstance(call := binding.value, ast.Call) and SCHEDULES.search(called_name(call))
        ]
        held = dotted_name(makings[-1][1]) if makings and makings[-1][1] is not None else None
        for later in scope.bindings.get(held or "", ()):
            is_made = isinstance(later.value, ast.Call) and called_name(later.value) in OPTIMIZERS
            if is_made and later.line > makings[-1][0]:
                why = f"`{held}` is made anew here; `{name}` still sets the rates of the one before"
                yield clue("medium", scope.file, later.line, why)


def _never_stepped(scope: Scope) -> Iterator[Clue]:
    """Find a schedule that begins with a small rate and that nothing steps or hands on."""
    used = {
        node.id
        for node in ast.walk(scope.node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    for name, bindings in sorted(scope.bindings.items()):
        call = bindings[-1].value
        if "." in name or name in used or not isinstance(call, ast.Call):
            continue
        if SCHEDULES.search(called_name(call)) and _begins_small(call):
            why = f"nothing steps `{name}`, so the learning rate stays the small one it begins with"
            yield clue("strong", scope.file, call.lineno, why)


def _begins_small(call: ast.Call) -> bool:
    """Whether a schedule begins with a warm-up: at 0, or at a small part of the rate."""
    name = called_name(call)
    if name == "LambdaLR":
        body = getattr(argument(call, 1, "lr_lambda"), "body", None)
        divides = (n for n in ast.walk(body) if isinstance(n, ast.BinOp)) if body else ()
        return any(isinstance(n.op, ast.Div) and isinstance(n.left, ast.Name) for n in divides)
    return name in ("LinearLR", "OneCycleLR", "CyclicLR") or name.endswith("_with_warmup")


SCHEDULES = re.compile(r"(?:LR|OnPlateau|Restarts)$|^get_\w*schedule(?:r|$|_)")
"""Names of classes and functions that make a schedule of an optimizer's learning rates."""


def _lengths(training: Training) -> Iterator[Clue]:
    for scope, call in training.named(*STEP_LENGTHS):
        position, names = STEP_LENGTHS[called_name(call)]
        length = argument(call, position, *names)
        if length is None:
            continue
        if _counts_epochs(length):
            why = f"{text(length)} counts epochs, the schedule counts optimizer steps"
            yield clue("strong", scope.file, length.lineno, why)
            continue
        for origin in training.origins(scope, length):
            if 0 < origin.value <= FEW_STEPS:
                why = f"the schedule is through after {origin.value:g} optimizer steps"
                yield clue("medium", origin.file, origin.line, why)


def _counts_epochs(expr: ast.expr) -> bool:
    """Whether an expression names epochs and nothing that turns them into steps."""
    words = {n.lower() for n in names_in(expr)}
    keys = [string(n.slice) for n in ast.walk(expr) if isinstance(n, ast.Subscript)]
    words |= {k.lower() for k in keys if k}
    epochs = any("epoch" in w for w in words)
    steps = any(
        w.startswith(("step", "len", "batches", "iters", "num_batches", "updates", "n_batches"))
        or "per_epoch" in w
        or "steps" in w
        for w in words
    )
    times = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult) for n in ast.walk(expr))
    return epochs and not steps and not times


def _warm_ups(training: Training) -> Iterator[Clue]:
    for scope, call in training.named(
        *STEP_LENGTHS, "TrainingArguments", "Seq2SeqTrainingArguments"
    ):
        warm = keyword(call, "num_warmup_steps") or keyword(call, "warmup_steps")
        total = (
            keyword(call, "num_training_steps")
            or keyword(call, "decay_steps")
            or keyword(call, "max_steps")
        )
        if warm is None and called_name(call).startswith("get_"):
            warm, total = argument(call, 1), argument(call, 2)
        if warm is None or total is None:
            continue
        least = min((n for n in training.numbers(scope, total) if n > 0), default=None)
        for origin in training.origins(scope, warm):
            if least is not None and origin.value >= least:
                why = f"{origin.value:g} steps of warm-up in a training of {least:g}"
                yield clue("strong", origin.file, origin.line, why)
    yield from _configured_warm_up(training)


def _configured_warm_up(training: Training) -> Iterator[Clue]:
    keys = ("max_steps", "total_steps", "num_training_steps", "train_steps", "steps")
    totals = [float(value) for key, value, _ in training.numbered_entries if key in keys]
    for key, value, entry in training.numbered_entries:
        if "warmup" not in key:
            continue
        ratio = "ratio" in key or "frac" in key
        if (ratio and value >= 0.9) or (not ratio and totals and 1 < max(totals) <= value):
            yield clue("strong", entry.file, entry.line, "the warm-up lasts all training long")


def _factors(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("StepLR", "MultiStepLR", "ExponentialLR", "ExponentialDecay"):
        at = {"ExponentialLR": 1, "StepLR": 2, "MultiStepLR": 2, "ExponentialDecay": 2}
        factor = argument(call, at[called_name(call)], "gamma", "decay_rate")
        for origin in training.origins(scope, factor) if factor is not None else ():
            if origin.value > 1:
                why = f"the learning rate grows by {origin.value:g} each time"
                yield clue("strong", origin.file, origin.line, why)
            elif origin.value < 0.02 or (
                called_name(call) == "ExponentialLR" and origin.value < 0.3
            ):
                why = f"a decay by {origin.value:g} leaves no learning rate"
                yield clue("medium", origin.file, origin.line, why)
    for scope, call in training.named("LambdaLR", "LearningRateScheduler", "LambdaScheduler"):
        function = argument(
            call, 1 if called_name(call) == "LambdaLR" else 0, "lr_lambda", "schedule"
        )
        if isinstance(function, ast.Lambda) and _collapses(function.body):
            why = f"{text(function)} shrinks the learning rate at every count"
            yield clue("medium", scope.file, function.lineno, why)


def _collapses(expr: ast.expr) -> bool:
    """Whether a small base is raised to the count itself, not to a part of it."""
    for power in (n for n in ast.walk(expr) if isinstance(n, ast.BinOp)):
        small = isinstance(power.left, ast.Constant) and isinstance(power.left.value, (int, float))
        if isinstance(power.op, ast.Pow) and small and isinstance(power.right, ast.Name):
            value = power.left.value if isinstance(power.left, ast.Constant) else 1
            return isinstance(value, (int, float)) and value <= 0.6
    return False


def _plateaus(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("ReduceLROnPlateau"):
        mode = argument(call, 1, "mode")
        monitor = string(argument(call, 0, "monitor")) or ""
        steps = " ".join(
            ast.dump(c) for s, c in training.named("step") if s.file == scope.file and c.args
        )
        on_loss = "loss" in monitor or "loss" in steps
        if string(mode) == "max" and on_loss and mode is not None:
            why = "a falling loss counts as a plateau, and the learning rate is cut"
            yield clue("strong", scope.file, mode.lineno, why)
        patience = keyword(call, "patience")
        for origin in training.origins(scope, patience) if patience is not None else ():
            if origin.value <= 0:
                yield clue("medium", origin.file, origin.line, "no patience at all")


def _stepped_per_batch(training: Training) -> Iterator[Clue]:
    """Find a schedule counted in epochs whose ``step`` stands in the loop over batches."""
    epochs = [name for name in EPOCH_SCHEDULES if name in training.by_name]
    if not epochs or any(n in training.by_name for n in ("OneCycleLR", "CyclicLR")):
        return
    for scope, call in training.named("step"):
        if "sched" not in ast.dump(call.func).lower():
            continue
        if _in_batch_loop(training, scope, call):
            why = f"{text(call)} runs for every batch, `{epochs[0]}` counts epochs"
            level = "medium" if epochs[0] in ("LambdaLR", "PolynomialLR") else "strong"
            yield clue(level, scope.file, call.lineno, why)


def _in_batch_loop(training: Training, scope: Scope, call: ast.Call) -> bool:
    for loop in training.loops(scope, call)[:1]:
        if not isinstance(loop, ast.For):
            return False
        words = " ".join(sorted(names_in(loop.iter) | names_in(loop.target))).lower()
        if "epoch" in words:
            return False
        names_batches = any(w in words for w in ("loader", "batch", "dl", "dataset"))
        return names_batches or _inside_epochs(training, scope, call, loop)
    return False


def _inside_epochs(training: Training, scope: Scope, call: ast.Call, loop: ast.For) -> bool:
    """Whether a loop computes gradients in each round, inside a loop over epochs."""
    outer = training.loops(scope, call)[1:]
    counts = any("epoch" in ast.unparse(o.target) for o in outer if isinstance(o, ast.For))
    calls = (n for n in ast.walk(loop) if isinstance(n, ast.Call))
    return counts and any(called_name(inner) == "backward" for inner in calls)


def find_counted(training: Training) -> Iterator[Clue]:
    """Yield the steps of schedulers that wait for a metric and are given a counter."""
    names = {name for _, name, _, call in training.made if called_name(call) == "ReduceLROnPlateau"}
    for scope, call in training.named("step") if names else ():
        given = ast.unparse(call.args[0]) if call.args else ""
        if receiver(call) in names and COUNTER.fullmatch(given):
            why = f"the scheduler of {text(call)} waits for a metric, and is given a counter"
            yield clue("strong", scope.file, call.lineno, why)


# --- a scheduler that steps before its optimizer --------------------------------------------------

BY_STEPS = frozenset(
    (
        "StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "LambdaLR", "LinearLR",
        "CosineAnnealingWarmRestarts", "MultiplicativeLR", "ConstantLR", "PolynomialLR", "CyclicLR",
        "OneCycleLR", "SequentialLR", "ChainedScheduler", "get_scheduler",
    )
)  # fmt: skip
"""PyTorch's and transformers' schedulers whose ``step`` takes no metric."""
WARMED_UP = re.compile(r"get_\w+_schedule(?:_with_\w+)?$")
HARMLESS = frozenset(
    ("zero_grad", "unscale_", "load_state_dict", "state_dict", "clip_grad_norm_", "len", "print",
     "clip_grad_value_", "get_lr", "backward", "append", "isinstance", "hasattr", "getattr")
)  # fmt: skip
"""What may be given an optimizer, or be called on one, and makes no step."""
WORKS = re.compile(r"step|train|fit|epoch|run|update|warm|learn|optimi[sz]e")
"""Words of functions of other packages that may make steps of an optimizer that they are given."""
WITH = (ast.With, ast.AsyncWith)
DEEPEST = 3
"""How many functions of the program that call one another are looked through for a step."""


def find_early_steps(training: Training) -> Iterator[Clue]:
    """Yield steps of PyTorch's schedulers that come before the first step of their optimizer.

    Since PyTorch 1.1 this skips the first value of the schedule. Found is only a step that every
    round of a loop makes, where the optimizer steps after it in the same round or in a loop inside
    it, and where nothing before it may have made a step of the optimizer.
    """
    if "torch" not in training.imported:
        return
    schedulers = _schedulers(training)
    optimizers = frozenset(
        _last(name) for _, name, _, call in training.made if called_name(call) in OPTIMIZERS
    )
    for body in training.bodies if schedulers else ():
        calls = sorted(body.calls, key=_end)
        for number, call in enumerate(calls):
            own = schedulers.get(_last(receiver(call)))
            if own is None or called_name(call) != "step" or call.args or call.keywords:
                continue
            loop = _loop_of(training, body.scope, call)
            steps = _Steps(training, body.scope, frozenset(schedulers), own, optimizers - own)
            if loop is None or steps.may_stand_elsewhere():
                continue
            if any(steps.may_be_made(other, loop) for other in calls[:number]):
                continue
            for other in calls[number + 1 :]:
                if steps.is_made(other) and _follows(training, body.scope, other, loop):
                    step = f"{text(call)} comes before {text(other)}"
                    why = f"{step}, which skips the first value of the schedule"
                    yield clue("medium", body.file, call.lineno, why)
                    break


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _end(node: ast.expr) -> tuple[int, int]:
    """Return where a node ends: a call is made when its arguments are there."""
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _schedulers(training: Training) -> dict[str, frozenset[str]]:
    """Return the names of schedulers, each with those of its optimizers, none if one is not known.

    A name that the program also gives to something else is left out.
    """
    defined = {_last(scope.name) for scope in training.scopes}
    found: dict[str, set[str]] = {}
    others: set[str] = set()
    for scope in training.scopes:
        for name, bindings in scope.bindings.items():
            for value in (binding.value for binding in bindings):
                if isinstance(value, ast.Call) and _is_scheduler(called_name(value), defined):
                    optimizer = argument(value, 0, "optimizer")
                    given = dotted_name(optimizer) if optimizer is not None else None
                    found.setdefault(_last(name), set()).add(_last(given or ""))
                elif not isinstance(value, (ast.Constant, ast.Name, ast.Attribute)):
                    others.add(_last(name))
    return {
        name: frozenset(() if "" in given else given)
        for name, given in found.items()
        if name not in others
    }


def _is_scheduler(name: str, defined: Collection[str]) -> bool:
    return (name in BY_STEPS or WARMED_UP.match(name) is not None) and name not in defined


def _loop_of(training: Training, scope: Scope, call: ast.Call) -> Loop | None:
    """Return the loop each round of which begins with or comes to a call, None if there is none."""
    statement = training.statement(scope, call)
    if not isinstance(statement, ast.Expr) or statement.value is not call:
        return None
    inner: ast.AST = statement
    for outer in training.around(scope, statement):
        if isinstance(outer, LOOPS):
            return outer if inner in outer.body else None
        if not isinstance(outer, WITH):
            return None
        inner = outer
    return None


def _follows(training: Training, scope: Scope, call: ast.Call, loop: Loop) -> bool:
    """Whether each round of a loop comes to a call, or to a loop inside it that has the call."""
    way: list[ast.AST] = [call]
    for outer in training.around(scope, call):
        if outer is loop:
            straight = (ast.expr, ast.Expr, ast.Assign, *WITH, *LOOPS)
            return way[-1] in loop.body and all(isinstance(node, straight) for node in way)
        # What decides within a loop inside it is how often the call is made, and not when first.
        way = [] if isinstance(outer, LOOPS) else way
        way.append(outer)
    return False


@dataclass(frozen=True)
class _Steps:
    """What makes steps of the optimizers of one scheduler in a function."""

    training: Training
    scope: Scope
    schedulers: frozenset[str]
    own: frozenset[str]
    """The names of the scheduler's optimizers, none if they are not known."""
    others: frozenset[str]
    """The names of other optimizers."""

    def is_made(self, call: ast.Call) -> bool:
        """Whether a call is certainly a step of the optimizer."""
        name = _last(receiver(call))
        if called_name(call) != "step" or name in self.schedulers:
            return False
        if not self.own:
            return on_optimizer(call)
        # A scaler makes the steps of the optimizers that it is given.
        return name in self.own or bool(_given(call) & self.own)

    def may_be_made(self, call: ast.Call, loop: Loop | None = None, depth: int = 0) -> bool:
        """Whether a call may make a step: itself, or what it calls or is given the optimizer."""
        name, owner = called_name(call), _last(receiver(call))
        if name == "step":
            if owner in self.schedulers or owner in self.others or _given(call) & self.others:
                return False
            return self.is_made(call) or not (call.args or call.keywords)
        if name in ("train", "eval") and owner not in ("", "self") and not call.args:
            return False
        own = [f for f in self.training.methods.get(name, ()) if f.node is not self.scope.node]
        if own:
            return depth < DEEPEST and any(
                self.may_be_made(inner, None, depth + 1) for f in own for inner in f.calls
            )
        if not any(given in self.own or OPTIMIZER.search(given.lower()) for given in _given(call)):
            return False
        if name in HARMLESS or _is_scheduler(name, ()) or name == "ReduceLROnPlateau":
            return False
        is_inside = loop is not None and loop.lineno <= call.lineno
        return is_inside or WORKS.search(name.lower()) is not None

    def may_stand_elsewhere(self) -> bool:
        """Whether another function of the file, which may run before, makes steps."""
        return not self.scope.is_module and any(
            self.is_made(call)
            for other in self.training.functions
            if other.file == self.scope.file and other.node is not self.scope.node
            for call in other.calls
        )


def _given(call: ast.Call) -> set[str]:
    """Return the last names of what a call is given."""
    values = (*call.args, *(keyword.value for keyword in call.keywords))
    return {_last(name) for value in values if (name := dotted_name(value)) is not None}
