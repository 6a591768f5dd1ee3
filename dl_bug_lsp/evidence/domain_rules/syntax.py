"""What the rules ask of syntax trees."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import Function
from dl_bug_lsp.provenance.scopes import Scope, called_name

OF_NOTHING = re.compile(
    r"'?NoneType'? object (?P<what>is not subscriptable|does not support item|is not callable"
    r"|has no attribute '(?P<name>\w+)')|cannot unpack non-iterable NoneType"
)
"""What Python says of the operation that None does not have."""


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def defaults_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, ast.expr]:
    """Return the defaults of a function's parameters by their names."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    late = positional[len(positional) - len(arguments.defaults) :]
    found = {a.arg: d for a, d in zip(late, arguments.defaults, strict=True)}
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {a.arg: d for a, d in pairs if d is not None}


def code_lines(case: Case, file: str) -> Iterator[str]:
    """Yield the lines of a program's file, of a notebook those of its code cells."""
    if not file.endswith(".ipynb"):
        yield from case.workspace.lines(file)
    for cell in case.workspace.cells(file):
        yield from cell.lines


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Yield all calls inside a node."""
    return (n for n in ast.walk(node) if isinstance(n, ast.Call))


def names_in(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the names of an expression or a statement."""
    return (part for part in ast.walk(node) if isinstance(part, ast.Name))


DRAWN_MEASURES = frozenset(
    ("rand", "randn", "random", "uniform", "normal", "gauss", "standard_normal", "triangular")
)
"""Functions and methods that draw random numbers with a fraction."""
DRAWN_COUNTS = frozenset(("integers", "randint", "randrange", "choice"))
"""Functions and methods that draw random whole numbers."""


def is_drawn(scope: Scope, expr: ast.AST, names: frozenset[str], depth: int = 3) -> bool:
    """Return whether a call of these names goes into an expression of a function, by its names."""
    for part in ast.walk(expr):
        if isinstance(part, ast.Call) and called_name(part) in names:
            return True
        if isinstance(part, ast.Name) and depth:
            bound = [b.value for b in scope.bindings.get(part.id, ())[:MOST_BOUND]]
            if any(
                is_drawn(scope, value, names, depth - 1)
                for value in bound
                if isinstance(value, ast.AST) and value is not expr
            ):
                return True
    return False


MOST_BOUND = 4


def is_text(node: ast.expr) -> bool:
    """Whether an expression is a text as it is written."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


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


def refused_operands(case: Case) -> list[Node]:
    """Return what may be the None that the failing operation refuses, where the message says which.

    Python says which operation failed: what is subscripted is no part of what is called.
    """
    match = OF_NOTHING.search(case.message)
    if match is None:
        return []
    found: list[Node] = []
    for start in case.starts:
        for part in ast.walk(start.expr):
            expr = _operand(part, match["what"] or "", match["name"])
            if expr is not None:
                found.append(start.engine.node(expr, start.context))
    return found


def _operand(part: ast.AST, what: str, name: str | None) -> ast.expr | None:
    """Return what an operation is done to, where it is the one that a message speaks of."""
    if isinstance(part, ast.Attribute) and name is not None:
        return part.value if part.attr == name else None
    if isinstance(part, ast.Subscript) and what.endswith(("subscriptable", "item")):
        return part.value
    if isinstance(part, ast.Call) and what.endswith("callable"):
        return part.func
    return None


def callees_of_nothing(case: Case) -> set[str]:
    """Return the names of the workspace's functions of which one has returned the None that fails.

    Empty where it may have come from elsewhere.
    """
    called: set[str] = set()
    for operand in refused_operands(case):
        made = [operand]
        if isinstance(operand.expr, ast.Name):
            made = [child for role, child in operand.inputs if role == "definition"]
        for node in made:
            if not isinstance(node.expr, ast.Call):
                return set()
            values = node.engine.node(node.expr.func, node.context).values
            if not values or not all(isinstance(value, Function) for value in values):
                return set()
            called.add(called_name(node.expr))
    return called


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


def written_number(expr: ast.expr) -> float | None:
    """Return a number that is written as such, with or without a sign; None of all else."""
    try:
        value = ast.literal_eval(expr)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return float(value) if isinstance(value, (int, float)) else None


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
