"""Schedules that run away: steps counted as epochs, warm-up without end, decay that grows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, keyword
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import argument, clue, names_in, string, text
from dl_bug_lsp.provenance.scopes import Scope

# Schedules that count optimiser steps: callee -> (position, keyword) of their length.
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
FEW_STEPS = 30
"""Fewer steps than any real epoch schedule of small data has."""


def find(training: Training) -> Iterator[Clue]:
    """Yield schedules whose length, growth or direction cannot be meant."""
    yield from _lengths(training)
    yield from _warm_ups(training)
    yield from _factors(training)
    yield from _plateaus(training)
    yield from _stepped_per_batch(training)


def _lengths(training: Training) -> Iterator[Clue]:
    for scope, call in training.named(*STEP_LENGTHS):
        position, names = STEP_LENGTHS[called_name(call)]
        length = argument(call, position, *names)
        if length is None:
            continue
        if _counts_epochs(length):
            why = f"{text(length)} counts epochs, the schedule counts optimiser steps"
            yield clue("strong", scope.file, length.lineno, why)
            continue
        for origin in training.origins(scope, length):
            if 0 < origin.value <= FEW_STEPS:
                why = f"the schedule is through after {origin.value:g} optimiser steps"
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
        return (
            any(w in words for w in ("loader", "batch", "dl", "dataset")) and "epoch" not in words
        )
    return False
