"""Oddities near the failure: parameters never used, names that are nearly another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, calls_in, near_scopes
from dl_bug_lsp.evidence.nearness import nearness
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.provenance.values import Class, Function

IGNORED = {
    *("self", "cls", "_", "args", "kwargs", "batch_idx", "stage", "index", "key", "name"),
    *("trainer", "pl_module", "logs", "outputs", "info", "state", "control", "event"),
}
"""Parameters that a protocol or a framework's hook asks for, used or not."""
HOOKS = {"forward", "training_step", "validation_step", "test_step", "call", "__exit__", "setup"}

UNNAMED = 0.3
MAX_SAME = 6
"""Names of the same letters in one function."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the parameters that the functions near the failure never use."""
    scopes = near_scopes(case)
    touched: dict[tuple[str, int], None] = {}
    for step in case.raise_slice:
        touched.setdefault((step.node.file, step.node.line))
    for scope in scopes:
        for name in unused_parameters(scope):
            why = f"`{scope.name}` never uses its parameter `{name}`"
            yield Clue("rules.unused_parameter_def", scope.file, scope.line, 1.0, why)
            inside = [line for file, line in touched if file == scope.file and _inside(scope, line)]
            for _, _, made in case.makers:
                if made.file == scope.file and _inside(scope, made.line):
                    yield Clue("rules.unused_parameter_maker", made.file, made.line, 1.0, why)
            for order, line in enumerate(inside):
                score = 1 / (1 + order / 2)
                yield Clue("rules.unused_parameter", scope.file, line, score, why)
    yield from _nearly_same(scopes, {str(f.value) for f in case.facts.facts})
    yield from _argument_twice(case)


def _argument_twice(case: Case) -> Iterator[Clue]:
    """Find calls of workspace code that hand the same variable to two parameters."""
    for step in case.raise_slice:
        node = step.node
        expr = node.expr
        if node.entry is not None or not isinstance(expr, ast.Call) or len(expr.args) < 2:
            continue
        callee = node.engine.node(expr.func, node.context)
        if not any(isinstance(v, (Class, Function)) for v in callee.values):
            continue
        names = [a.id for a in expr.args if isinstance(a, ast.Name)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            why = f"`{node.text}` hands `{twice[0]}` to two parameters"
            score = 1 / (1 + step.distance / 4)
            yield Clue("rules.argument_twice", node.file, node.line, score, why)


def _inside(scope: Scope, line: int) -> bool:
    node = scope.node
    if isinstance(node, ast.Module):
        return False
    return node.lineno < line <= (node.end_lineno or node.lineno)


def unused_parameters(scope: Scope) -> list[str]:
    """Return the parameters that a function's body never reads."""
    node = scope.node
    short = scope.name.rpartition(".")[2]
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or short in HOOKS:
        return []
    if short.startswith("on_") or _is_protocol_method(scope):
        return []
    body_names = {
        n.id for statement in node.body for n in ast.walk(statement) if isinstance(n, ast.Name)
    }
    trivial = len(node.body) == 1 and isinstance(node.body[0], (ast.Pass, ast.Raise, ast.Expr))
    saved = any(called_name(call) == "save_hyperparameters" for call in calls_in(node))
    if (
        saved
        or trivial
        or "locals" in body_names
        or ("super" in body_names and len(node.body) == 1)
    ):
        return []
    names = [p.arg for p in scope.parameters() if p.arg not in IGNORED and p.arg[0] != "_"]
    return [name for name in names if name not in body_names]


def _is_protocol_method(scope: Scope) -> bool:
    """Whether a method is a special one of a class with bases: a protocol says what it takes.

    A constructor's own parameters are the class's business.
    """
    owner = scope.parent
    if owner is None or not isinstance(owner.node, ast.ClassDef):
        return False
    short = scope.name.rpartition(".")[2]
    return short.startswith("__") and short != "__init__" and bool(owner.node.bases)


def _nearly_same(scopes: list[Scope], named: set[str]) -> Iterator[Clue]:
    """Yield variables of one function with the same letters in nearly the same order.

    Two names that the message does not speak of are mostly meant to be two.
    """
    for scope in scopes:
        same: dict[str, list[str]] = {}
        for name in sorted(n for n in scope.bindings if "." not in n and len(n) > 3):
            same.setdefault("".join(sorted(name)), []).append(name)
        # Generated code numbers its names: many of the same letters are no slip.
        for names in (found for found in same.values() if 1 < len(found) <= MAX_SAME):
            for name, other in combinations(names, 2):
                if nearness(name, other) > 0.85:
                    score = 1.0 if {name, other} & named else UNNAMED
                    for one in (name, other):
                        line = scope.bindings[one][0].line
                        why = f"`{name}` and `{other}` differ by a slip"
                        yield Clue("rules.slip", scope.file, line, score, why)
