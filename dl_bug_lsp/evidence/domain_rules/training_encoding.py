"""Classes and statistics that each part of the data gets anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, calls_in
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import clue, names_in, text
from dl_bug_lsp.provenance.scopes import Binding, Scope

HELD_OUT = re.compile(
    r"(?:\b|_)(?:val|valid|validation|test|dev|eval|held_?out|holdout)(?:\b|_)|X(?:te|va)\b",
    re.IGNORECASE,
)


def find(training: Training) -> Iterator[Clue]:
    """Yield encoders and scalers that are fitted more than once."""
    for scope in training.functions:
        yield from _arbitrary_index(training, scope)
    yield from _fitted_apart(training)


def _arbitrary_index(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find classes numbered over a set, whose order changes, or over one part of the data."""
    for call in scope.calls:
        if called_name(call) != "enumerate" or not call.args:
            continue
        inner = call.args[0]
        if isinstance(inner, ast.Call) and called_name(inner) in ("set", "unique", "frozenset"):
            level = "medium" if called_name(inner) == "set" else "weak"
            shared = len(training.engine.program.callers(scope.name.rpartition(".")[2])) > 1
            why = f"{text(call)} numbers classes in an order of its own each time"
            yield clue("strong" if shared else level, scope.file, call.lineno, why)


def _fitted_apart(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("fit_transform", "fit", "adapt"):
        words = " ".join(ast.unparse(a) for a in call.args)
        base = ast.unparse(call.func)
        scaler = called_name(call) != "fit" or re.search(
            r"scal|encod|vector|tokeniz|pca|imput", base.lower()
        )
        if (
            scaler
            and HELD_OUT.search(words)
            and not re.search(r"train|trainer|model", words + base)
        ):
            why = f"{text(call)} fits anew on held-out data"
            yield clue("strong", scope.file, call.lineno, why)
    for scope, call in training.named("fit_transform", "factorize", "get_dummies"):
        if scope.is_module:
            continue
        callers = training.engine.program.callers(scope.name.rpartition(".")[2])
        held = [c for _, c in callers if HELD_OUT.search(ast.unparse(c))]
        if len(callers) > 1 and held:
            why = f"{text(call)} is fitted anew for every part of the data"
            aligned = any(n in training.by_name for n in ("reindex", "align"))
            yield clue("weak" if aligned else "strong", scope.file, call.lineno, why)
    for scope in training.functions:
        for name, bindings in sorted(scope.bindings.items()):
            for binding in bindings:
                yield from _own_statistics(scope, name, binding)


def _own_statistics(scope: Scope, name: str, binding: Binding) -> Iterator[Clue]:
    """Held-out data standardised with its own mean."""
    if not HELD_OUT.search(name) or not isinstance(binding.value, ast.BinOp):
        return
    words = [
        ast.unparse(c.func) for c in calls_in(binding.value) if called_name(c) in ("mean", "std")
    ]
    if words and all(HELD_OUT.search(w) for w in words) and names_in(binding.value):
        why = "held-out data is scaled by its own statistics"
        yield clue("medium", scope.file, binding.line, why)
