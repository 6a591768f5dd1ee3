"""Updates made every so many rounds, and whether that ever comes true."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, calls_in
from dl_bug_lsp.evidence.domain_rules.training_nodes import BRANCHES
from dl_bug_lsp.evidence.domain_rules.training_program import Origin, Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import clue, names_in, on_optimizer, text
from dl_bug_lsp.provenance.scopes import Scope


def find(training: Training) -> Iterator[Clue]:
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
