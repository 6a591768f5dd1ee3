"""Small questions to the syntax of training code, and the clue that answers them."""

from __future__ import annotations

import ast
import re

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import source

OPTIMIZER = re.compile(
    r"(?:^|[._])(?:opt|optim|optimizer|optimiser|scaler|opt_\w+|optimizer_\w+|\w+_opt"
    r"|\w+_optimizer|\w+_optim|solver)s?(?:\[|$|\.)"
)


def clue(level: str, file: str, line: int, why: str, score: float = 1.0) -> Clue:
    """Return a clue of the training rules; ``level`` is strong, medium or weak."""
    return Clue(f"training.{level}", file, line, score, why)


def text(node: ast.AST) -> str:
    """Return the source of a node for a sentence."""
    return f"`{source(node)}`"


def names_in(node: ast.AST) -> set[str]:
    """Return the names and attribute names inside a node."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return names | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def string(expr: ast.expr | None) -> str | None:
    """Return the value of a string literal."""
    if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
        return expr.value
    return None


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """Return a call's argument by its keyword or by its position."""
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    if 0 <= position < len(call.args):
        found = call.args[position]
        return None if isinstance(found, ast.Starred) else found
    return None


def on_optimizer(call: ast.Call) -> bool:
    """Whether a method is called on what is named as an optimiser."""
    base = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return OPTIMIZER.search(base.lower()) is not None and "sched" not in base.lower()
