"""Where something that is missing would stand: beside what its like stand beside elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dl_bug_lsp.provenance.scopes import Scope

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Block = list[ast.stmt]


def blocks_of(statement: ast.stmt) -> Iterator[Block]:
    """Yield the blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for handler in getattr(statement, "handlers", []):
        yield handler.body
    for case in getattr(statement, "cases", []):
        yield case.body


def way_to(body: Block, line: int) -> list[tuple[Block, int]]:
    """Return the blocks around a line with the statement's index in each, outermost first."""
    for index, statement in enumerate(body):
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            here = [(body, index)]
            if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                return here
            for block in blocks_of(statement):
                inner = way_to(block, line)
                if inner:
                    return [*here, *inner]
            return here
    return []


def body_of(scope: Scope) -> Block:
    """Return the statements of a function, class or module; none of a lambda."""
    body = getattr(scope.node, "body", [])
    return body if isinstance(body, list) else []


def names_read(node: ast.AST) -> list[str]:
    """Return the names and ``self`` attributes that code reads, in the order of the text."""
    found: list[tuple[int, int, str]] = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            found.append((inner.lineno, inner.col_offset, inner.id))
        elif (
            isinstance(inner, ast.Attribute)
            and isinstance(inner.ctx, ast.Load)
            and isinstance(inner.value, ast.Name)
            and inner.value.id == "self"
        ):
            found.append((inner.lineno, inner.end_col_offset or 0, f"self.{inner.attr}"))
    return [name for _, _, name in sorted(found)]


def beside(order: Sequence[str], wanted: str, known: set[str]) -> list[tuple[str, int]]:
    """Return the known names before and after a wanted one in an order, each with its distance.

    The nearest on either side come first; a name counts once.
    """
    spots = [i for i, name in enumerate(order) if name == wanted]
    found: dict[str, int] = {}
    for spot in spots:
        for side in (range(spot - 1, -1, -1), range(spot + 1, len(order))):
            distance = 0
            seen: set[str] = set()
            for i in side:
                name = order[i]
                if name == wanted or name in seen or name not in known:
                    continue
                seen.add(name)
                distance += 1
                found[name] = min(found.get(name, 99), distance)
    return sorted(found.items(), key=lambda item: (item[1], order.index(item[0])))


def import_lines(tree: ast.Module) -> list[ast.stmt]:
    """Return the import statements at a module's top."""
    return [s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]
