"""What the rules ask of syntax trees."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.provenance.scopes import Scope


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Yield all calls inside a node."""
    return (n for n in ast.walk(node) if isinstance(n, ast.Call))


def near_scopes(case: Case) -> list[Scope]:
    """Return the scopes that the stack and the slices touch, the raise site's first."""
    scopes: list[Scope] = [site.context.scope for site in reversed(case.sites)]
    for step in case.raise_slice:
        scope = step.node.context.scope
        if step.node.entry is None and scope not in scopes:
            scopes.append(scope)
    return list(dict.fromkeys(scopes))


def near_files(case: Case) -> list[str]:
    """Return the Python files that the stack and the slices touch, then the others (bounded)."""
    files = [scope.file for scope in near_scopes(case)]
    return list(dict.fromkeys([*files, *case.code_files]))


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield all statements inside a node."""
    return (n for n in ast.walk(node) if isinstance(n, ast.stmt))


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, class or module without those of functions inside it."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        inner = waiting.pop()
        yield inner
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(inner))


def source(node: ast.AST) -> str:
    """Return the source of a node, shortened for a sentence."""
    try:
        text = ast.unparse(node)
    except (ValueError, AttributeError, RecursionError):
        return ""
    text = " ".join(text.split())
    return text if len(text) <= 70 else text[:67] + "..."


def standard_modules(tree: ast.AST | None) -> set[str]:
    """Return the names under which a file imports modules of the standard library."""
    return {
        alias.asname or alias.name
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] in sys.stdlib_module_names
    }
