"""Lines that run while a file is imported: definitions, and constants that other lines read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from dl_bug_lsp.workspace import Workspace

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_HEADERS = ("test", "target", "iter", "subject")


@dataclass(slots=True)
class ImportLines:
    """What a module's body does, by 1-based lines.

    ``definitions`` are the headers of functions and classes, also of inner ones, imports and
    docstrings; ``constants`` are where names of the module (``RATE``) and attributes of its classes
    (``Model.size``) get their values; ``inside`` are the lines of functions' bodies.
    """

    definitions: set[int] = field(default_factory=set)
    constants: dict[str, list[int]] = field(default_factory=dict)
    inside: set[int] = field(default_factory=set)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Names by their module (with dots where relative) and name there, empty for the module."""


def import_lines(workspace: Workspace, file: str) -> ImportLines:
    """Return what a file's body does; nothing where it is no Python."""
    tree = workspace.tree(file)
    lines = ImportLines()
    if tree is not None:
        _take_body(tree.body, "", lines)
        for node in ast.walk(tree):
            if isinstance(node, _DEFINITIONS):
                _take_header(node, lines)
            elif isinstance(node, _IMPORTS):
                _take_import(node, lines)
    return lines


def read_constants(
    workspace: Workspace, file: str, line: int, known: ImportLines
) -> Iterator[tuple[str, str, int]]:
    """Yield (name, file, line) of each constant that the statement at a line reads.

    Also of each default of its function's parameters.
    """
    tree = workspace.tree(file)
    defaults = _defaults(tree, line)
    for part in statement_at(tree, line):
        for node in ast.walk(part):
            if not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            if isinstance(node, ast.Name) and node.id in defaults:
                yield node.id, file, defaults[node.id]
            elif isinstance(node, ast.Name):
                yield from _named(workspace, file, node.id, known)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                yield from _attribute(workspace, file, node.value.id, node.attr, known)


def statement_at(tree: ast.Module | None, line: int) -> tuple[ast.AST, ...]:
    """Return the innermost statement around a line; of a compound one its header's expressions."""
    best: ast.stmt | None = None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            best = node if best is None or node.lineno >= best.lineno else best
    if best is None:
        return ()
    if not isinstance(getattr(best, "body", None), list):
        return (best,)
    if isinstance(best, (ast.With, ast.AsyncWith)):
        return tuple(item.context_expr for item in best.items)
    headers = (getattr(best, name, None) for name in _HEADERS)
    return tuple(header for header in headers if isinstance(header, ast.expr))


def _defaults(tree: ast.Module | None, line: int) -> dict[str, int]:
    """Return where the parameters of the innermost function around a line have their defaults."""
    best: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, _FUNCTIONS) and node.lineno <= line <= (node.end_lineno or 0):
            best = node if best is None or node.lineno > best.lineno else best
    if best is None:
        return {}
    arguments = best.args
    by_position = [*arguments.posonlyargs, *arguments.args]
    first = len(by_position) - len(arguments.defaults)
    pairs = [*zip(by_position[first:], arguments.defaults, strict=True)]
    given = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {a.arg: value.lineno for a, value in [*pairs, *given] if value is not None}


def lines_of(statement: tuple[ast.AST, ...]) -> range:
    """Return the 1-based lines over which a statement goes."""
    first = [getattr(part, "lineno", 0) for part in statement]
    last = [getattr(part, "end_lineno", 0) or 0 for part in statement]
    return range(min(first), max(last) + 1) if statement else range(0)


def _take_body(body: list[ast.stmt], owner: str, lines: ImportLines) -> None:
    for at, node in enumerate(body):
        if isinstance(node, ast.ClassDef):
            _take_body(node.body, f"{node.name}.", lines)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (n for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)):
                lines.constants.setdefault(f"{owner}{name.id}", []).append(node.lineno)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and at == 0:
            lines.definitions.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                _take_body(getattr(node, part, []), owner, lines)


def _take_header(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, lines: ImportLines
) -> None:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    lines.definitions.update(range(first, max(node.body[0].lineno, node.lineno + 1)))
    if node.body[0].lineno == node.lineno:
        lines.definitions.discard(node.lineno)
    if isinstance(node, _FUNCTIONS):
        lines.inside.update(range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))


def _take_import(node: ast.Import | ast.ImportFrom, found: ImportLines) -> None:
    found.definitions.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for name in node.names:
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found.imported[name.asname or name.name] = module, name.name
        elif name.asname or "." not in name.name:
            found.imported[name.asname or name.name] = name.name, ""


def _named(
    workspace: Workspace, file: str, name: str, known: ImportLines
) -> Iterator[tuple[str, str, int]]:
    if name in known.constants:
        yield from ((name, file, line) for line in known.constants[name])
    elif name in known.imported:
        module, there = known.imported[name]
        home = workspace.module_file(module, file) if there else None
        if home is not None and home != file:
            lines = import_lines(workspace, home).constants.get(there, [])
            yield from ((name, home, line) for line in lines)


def _attribute(
    workspace: Workspace, file: str, owner: str, name: str, known: ImportLines
) -> Iterator[tuple[str, str, int]]:
    if owner in ("self", "cls"):
        for dotted, lines in known.constants.items():
            if dotted.endswith(f".{name}"):
                yield from ((dotted, file, line) for line in lines)
        return
    yield from ((name, file, line) for line in known.constants.get(f"{owner}.{name}", ()))
    if owner not in known.imported:
        return
    module, there = known.imported[owner]
    joined = f"{module}{'' if module.endswith('.') else '.'}{there}" if there else module
    as_module = workspace.module_file(joined, file)
    if as_module is not None and as_module != file:
        lines = import_lines(workspace, as_module).constants.get(name, [])
        yield from ((f"{owner}.{name}", as_module, line) for line in lines)
    elif there and (home := workspace.module_file(module, file)) is not None and home != file:
        lines = import_lines(workspace, home).constants.get(f"{there}.{name}", [])
        yield from ((f"{owner}.{name}", home, line) for line in lines)
