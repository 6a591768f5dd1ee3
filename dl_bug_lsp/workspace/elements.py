"""One pass over a Python file: its functions, classes, imports and terms."""

from __future__ import annotations

import ast
import threading
import warnings
from dataclasses import dataclass

from dl_bug_lsp.workspace import outline
from dl_bug_lsp.workspace.records import FunctionRow, Record, make_record
from dl_bug_lsp.workspace.terms import Vocabulary
from dl_bug_lsp.workspace.text import split_lines

MOST_SIGNS = 200_000
"""Signs and line ends of a source: about as many nodes has its tree, each of some 400 bytes."""
_SIGNS = b"()[]{},.;:=+-*/<>%&|^~@!\n"
_parse_lock = threading.Lock()
_Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("cases", "finalbody", "orelse", "handlers", "body")
# The blocks of each kind of compound statement, last first.
_BLOCKS_OF: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(block for block in _BLOCKS if block in getattr(kind, "_fields", ()))
    for kind in (*ast.stmt.__subclasses__(), ast.ExceptHandler, ast.match_case)
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree, or why and where (1-based) there is none."""

    tree: ast.Module | None
    problem: str | None = None
    problem_line: int | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class; ``first`` is the line of its first decorator, else ``line``."""

    name: str
    first: int
    line: int
    end_line: int
    is_class: bool


def parse(text: str) -> Parsed:
    """Parse Python source without running it, without a warning and without ever raising."""
    signs = len(encoded := text.encode("utf-8", "surrogatepass")) - len(
        encoded.translate(None, _SIGNS)
    )
    if signs > MOST_SIGNS:
        return Parsed(None, f"too large to be parsed: {signs} signs and lines", 1)
    # Filters are state of the process, hence the lock; an invalid escape is no failure of ours.
    with _parse_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Parsed(ast.parse(text))
        except SyntaxError as error:
            return Parsed(None, error.msg or "invalid syntax", error.lineno or 1)
        except (ValueError, RecursionError, MemoryError) as error:
            return Parsed(None, str(error) or type(error).__name__, 1)


def python_record(
    text: str,
    vocabulary: Vocabulary,
    raw: list[int] | None = None,
    decoding: tuple[str | None, int | None] = (None, None),
) -> Record:
    """Index Python source; where it is broken, what its layout still tells.

    ``raw`` gives the line on disk of each line (1-based) where the source stands in another file; a
    problem of ``decoding`` explains one of parsing and is told in its place.
    """
    parsed = parse(text)
    found, imported = _scanned(text) if parsed.tree is None else definitions(parsed.tree)
    numbers, starts = vocabulary.encode(text)
    last = len(starts) - 1

    def on_disk(line: int) -> int:
        return line if raw is None else raw[min(line, len(raw)) - 1]

    rows = [
        FunctionRow(
            d.name,
            on_disk(d.line),
            on_disk(d.end_line),
            d.is_class,
            starts[min(d.first, last) - 1],
            starts[min(d.end_line, last)],
        )
        for d in found
    ]
    at = parsed.problem_line
    problem = decoding if decoding[0] else (parsed.problem, on_disk(at) if at else None)
    return make_record(numbers, rows, imported, problem=problem)


def _scanned(text: str) -> tuple[list[Definition], list[str]]:
    lines = split_lines(text)
    found = [Definition(name, at, at, end, c) for name, at, end, c in outline.outline(lines)]
    return found, outline.imports(lines)


def definitions(tree: ast.Module) -> tuple[list[Definition], list[str]]:
    """Collect functions and classes in order of appearance, and imported modules.

    Only statements are visited: expressions define nothing that a name could be given for.
    """
    found: list[Definition] = []
    imported: list[str] = []
    stack: list[tuple[ast.AST, str]] = [(node, "") for node in reversed(tree.body)]
    while stack:
        node, outer = stack.pop()
        if isinstance(node, _Definition):
            name = outer + node.name
            first = min((d.lineno for d in node.decorator_list), default=node.lineno)
            end = node.end_lineno or node.lineno
            is_class = isinstance(node, ast.ClassDef)
            found.append(Definition(name, min(first, node.lineno), node.lineno, end, is_class))
            outer = name + "."
        elif isinstance(node, ast.Import):
            imported.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.extend(_from_modules(node))
        for block in _BLOCKS_OF.get(type(node), ()):
            stack.extend((child, outer) for child in reversed(getattr(node, block)))
    return found, imported


def _from_modules(node: ast.ImportFrom) -> list[str]:
    """Name both ``a`` and ``a.b`` for ``from a import b``: ``b`` may be a module."""
    base = "." * node.level + (node.module or "")
    joint = base if base.endswith(".") or not base else base + "."
    return [base, *(joint + alias.name for alias in node.names if alias.name != "*")]
