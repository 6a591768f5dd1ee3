"""One pass over a Python file: its functions, classes, imports and terms."""

from __future__ import annotations

import ast
import threading
import warnings
from dataclasses import dataclass

from dl_bug_lsp.workspace import outline
from dl_bug_lsp.workspace.terms import terms_by_line
from dl_bug_lsp.workspace.text import split_lines
from dl_bug_lsp.workspace.values import FileElements, FunctionElement

_parse_lock = threading.Lock()
_Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree, or why and where (1-based) there is none."""

    tree: ast.Module | None
    problem: str | None = None
    problem_line: int | None = None


def parse(text: str) -> Parsed:
    """Parse Python source without running it, without a warning and without ever raising."""
    # Filters are state of the process, hence the lock; an invalid escape is no failure of ours.
    with _parse_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Parsed(ast.parse(text))
        except SyntaxError as error:
            return Parsed(None, error.msg or "invalid syntax", error.lineno or 1)
        except (ValueError, RecursionError, MemoryError) as error:
            return Parsed(None, str(error) or type(error).__name__, 1)


def python_elements(file: str, text: str, parsed: Parsed | None = None) -> FileElements:
    """Return the elements of Python source; where it is broken, what its layout still tells."""
    parsed = parsed if parsed is not None else parse(text)
    terms, starts = terms_by_line(text)
    if parsed.tree is None:
        lines = split_lines(text)
        found = [(name, line, line, end, cls) for name, line, end, cls in outline.outline(lines)]
        imported = outline.imports(lines)
    else:
        found, imported = _definitions(parsed.tree)
    last = len(starts) - 1
    functions = tuple(
        FunctionElement(
            name, line, end, is_class, tuple(terms[starts[first - 1] : starts[min(end, last)]])
        )
        for name, first, line, end, is_class in found
    )
    return FileElements(
        file=file,
        functions=functions,
        imports=tuple(dict.fromkeys(imported)),
        terms=tuple(terms),
        problem=parsed.problem,
        problem_line=parsed.problem_line,
    )


def _definitions(tree: ast.Module) -> tuple[list[tuple[str, int, int, int, bool]], list[str]]:
    """Collect (name, first line with decorators, line, end line, is class) and imported modules.

    Only statements are visited: expressions define nothing that a name could be given for.
    """
    found: list[tuple[str, int, int, int, bool]] = []
    imported: list[str] = []
    stack: list[tuple[ast.AST, str]] = [(node, "") for node in reversed(tree.body)]
    while stack:
        node, outer = stack.pop()
        if isinstance(node, _Definition):
            name = outer + node.name
            first = min((d.lineno for d in node.decorator_list), default=node.lineno)
            is_class = isinstance(node, ast.ClassDef)
            end = node.end_lineno or node.lineno
            found.append((name, min(first, node.lineno), node.lineno, end, is_class))
            outer = name + "."
        elif isinstance(node, ast.Import):
            imported.extend(alias.name for alias in node.names)
            continue
        elif isinstance(node, ast.ImportFrom):
            imported.extend(_from_modules(node))
            continue
        stack.extend((child, outer) for child in reversed(_blocks(node)))
    return found, imported


def _from_modules(node: ast.ImportFrom) -> list[str]:
    """``from a import b`` may import the module ``a.b``: both are named."""
    base = "." * node.level + (node.module or "")
    joint = base if base.endswith(".") or not base else base + "."
    return [base, *(joint + alias.name for alias in node.names if alias.name != "*")]


def _blocks(node: ast.AST) -> list[ast.AST]:
    """Return the statements inside a compound statement, of all its blocks."""
    inner: list[ast.AST] = []
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            inner.extend(block)
    return inner
