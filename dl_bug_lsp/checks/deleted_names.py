"""Names that a statement deletes and the next that uses them reads."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

FIELDS = ("body", "orelse", "finalbody")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def reads_of_deleted(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Yield names with the 1-based lines of their ``del`` and of the read after it.

    Both stand in one block, and nothing between them may bind the name again.
    """
    for node in ast.walk(tree):
        # A class reads a name of the module where its own is gone.
        for field in () if isinstance(node, ast.ClassDef) else FIELDS:
            given = getattr(node, field, None)
            block: list[ast.stmt] = given if isinstance(given, list) else []
            for at, statement in enumerate(block):
                for target in statement.targets if isinstance(statement, ast.Delete) else ():
                    if isinstance(target, ast.Name) and not hasattr(builtins, target.id):
                        line = _read_after(target.id, block[at + 1 :])
                        if line is not None:
                            yield target.id, target.lineno, line


def _read_after(name: str, statements: list[ast.stmt]) -> int | None:
    """Return the line that surely reads a name before a statement may bind it."""
    for statement in statements:
        if _mentions(name, statement):
            parts = _first_evaluated(statement)
            return next((part.lineno for part in parts if part.id == name), None)
        if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            return None
    return None


def _mentions(name: str, statement: ast.stmt) -> bool:
    """Whether a statement uses a name, or may bind it in any way."""
    return any(
        (isinstance(node, ast.Name) and node.id == name)
        or name in (getattr(node, "name", None), getattr(node, "rest", None))
        or (isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names)
        or isinstance(node, (ast.Import, ast.ImportFrom))
        for node in ast.walk(statement)
    )


def _first_evaluated(statement: ast.stmt) -> Iterator[ast.Name]:
    """Yield the names that a statement surely reads before it binds any."""
    if isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign, ast.Return)):
        first: ast.expr | None = statement.value
    elif isinstance(statement, (ast.If, ast.While)):
        first = statement.test
    else:
        first = statement.iter if isinstance(statement, ast.For) else None
    pending: list[ast.AST] = [first] if first is not None else []
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.BoolOp):
            pending.append(node.values[0])
        elif isinstance(node, ast.IfExp):
            pending.append(node.test)
        elif isinstance(node, COMPREHENSIONS):
            pending.append(node.generators[0].iter)
        elif not isinstance(node, (ast.Lambda, ast.NamedExpr)):
            pending.extend(ast.iter_child_nodes(node))
