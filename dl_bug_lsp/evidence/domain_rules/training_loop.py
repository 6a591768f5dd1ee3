"""The training loop: steps that are missing, come in the wrong order or are never reached."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, calls_in, source
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import clue, on_optimizer, text
from dl_bug_lsp.provenance.scopes import Scope


def find(training: Training) -> Iterator[Clue]:
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
        why = "gradients are computed, but no optimiser ever makes a step"
        yield clue("strong", scope.file, call.lineno, why)
    zeroed = any(n in training.by_name for n in ("zero_grad", "zero_grads"))
    zeroed = zeroed or ".grad = None" in " ".join(
        source(s) for s in ast.walk(scope.node) if isinstance(s, ast.Assign)
    )
    if not zeroed and not by_hand:
        why = "gradients are never set back to zero and add up"
        yield clue("strong", scope.file, call.lineno, why)
        for other, step in _steps(training)[:2]:
            yield clue(
                "medium", other.file, step.lineno, "no `zero_grad` before or after this step"
            )


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
