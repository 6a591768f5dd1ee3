"""A file's nodes with the class and function around them, and what names of operations stand for.

Nothing here looks at values: whole workspaces are gone through.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from dl_bug_lsp.evidence.word_index import HELD_FILES
from dl_bug_lsp.workspace import Workspace

MOST_NODES = 200_000
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Enclosing:
    """What stands around a node: its innermost class and function, by name."""

    file: str
    cls: str = ""
    function: str = ""


@dataclass(slots=True)
class FileNodes:
    """All expressions and statements of a file with what is around them.

    ``made`` holds, for the last part of a name that is bound, the last parts of everything that is
    called to make its value: ``fc`` of ``self.fc = nn.Sequential(nn.Linear(2, 3))`` stands for
    ``Sequential`` and ``Linear``. ``classes`` are those defined here with the names of their
    bases, ``imports`` the top modules, ``bound`` the names that a function (or the module,
    ``("", "")``) binds. ``bare`` are classes whose constructor calls no other one, with the line at
    which it first sets an attribute; ``parameters`` those of functions by name, and of
    constructors by class.
    """

    file: str
    nodes: list[tuple[ast.AST, Enclosing]] = field(default_factory=list)
    made: dict[str, set[str]] = field(default_factory=dict)
    classes: dict[str, list[str]] = field(default_factory=dict)
    imports: set[str] = field(default_factory=set)
    bound: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    bare: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, list[str]] = field(default_factory=dict)


def last_name(expr: ast.AST) -> str:
    """Return the last part of a dotted name, of what is called, or of what is indexed."""
    while isinstance(expr, (ast.Call, ast.Subscript)):
        expr = expr.func if isinstance(expr, ast.Call) else expr.value
    if isinstance(expr, ast.Attribute):
        return expr.attr
    return expr.id if isinstance(expr, ast.Name) else ""


def file_nodes(workspace: Workspace, file: str) -> FileNodes:
    """Return a file's nodes; kept with what else was derived from the file."""
    make = partial(_read, workspace, file)
    return workspace.derived_unindexed("raising.nodes", file, make) if file else make()


def _read(workspace: Workspace, file: str) -> FileNodes:
    nodes = FileNodes(file)
    tree = workspace.tree(file)
    if tree is None:
        return nodes
    queue: list[tuple[ast.AST, Enclosing]] = [(tree, Enclosing(file))]
    while queue and len(nodes.nodes) < MOST_NODES:
        node, within = queue.pop()
        inner = within
        _note(node, within, nodes)
        if isinstance(node, ast.ClassDef):
            nodes.classes[node.name] = [last_name(base) for base in node.bases]
            inner = Enclosing(file, node.name, "")
        elif isinstance(node, _DEFINITIONS):
            inner = Enclosing(file, within.cls, node.name)
        if isinstance(node, (ast.expr, ast.stmt)):
            nodes.nodes.append((node, within if not isinstance(node, _DEFINITIONS) else inner))
        for name, value in _bound(node):
            nodes.made.setdefault(name, set()).update(_makers(value))
        queue.extend((child, inner) for child in reversed(list(ast.iter_child_nodes(node))))
    _hand_on(tree, nodes)
    return nodes


def _note(node: ast.AST, within: Enclosing, nodes: FileNodes) -> None:
    """Note what a node binds, imports or defines."""
    names = nodes.bound.setdefault((within.cls if within.function else "", within.function), set())
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        names.add(node.id)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        names.add(node.name)
    elif isinstance(node, ast.arg):
        names.add(node.arg)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        names.update((a.asname or a.name).partition(".")[0] for a in node.names)
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
        nodes.imports.update(m.partition(".")[0] for m in modules if m)
    elif isinstance(node, ast.Global):
        nodes.bound.setdefault(("", ""), set()).update(node.names)
    elif isinstance(node, _DEFINITIONS):
        names.add(node.name)
        if not isinstance(node, ast.ClassDef):
            own = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            method = bool(within.cls) and not within.function
            key = within.cls if method and node.name == "__init__" else node.name
            nodes.parameters[key] = own[1:] if method else own
            if method and node.name == "__init__" and nodes.classes.get(within.cls):
                _note_bare(node, within.cls, nodes)


def _note_bare(node: ast.FunctionDef | ast.AsyncFunctionDef, cls: str, nodes: FileNodes) -> None:
    called = {last_name(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    if called & {"__init__", "super"}:
        return
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(isinstance(t, ast.Attribute) and last_name(t.value) == "self" for t in targets):
            nodes.bare[cls] = statement.lineno
            return


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            name = last_name(target)
            if name:
                yield name, node.value
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value:
        name = last_name(node.target)
        if name:
            yield name, node.value


def _makers(value: ast.expr) -> set[str]:
    names = {last_name(n) for n in ast.walk(value) if isinstance(n, ast.Call)}
    # A class that is chosen or handed over and called later: `layer = nn.LSTM if … else nn.GRU`.
    names.update(n.attr for n in ast.walk(value) if isinstance(n, ast.Attribute))
    return names - {""}


def _hand_on(tree: ast.Module, nodes: FileNodes) -> None:
    """Let the target of a loop stand for what its iterable was made of, and aliases too."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            sources = {last_name(n) for n in ast.walk(node.iter) if isinstance(n, ast.Attribute)}
            targets = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute)):
            sources = {last_name(node.value)}
            targets = [last_name(t) for t in node.targets]
        else:
            continue
        for source in sources & nodes.made.keys():
            for target in targets:
                if target and target != source:
                    nodes.made.setdefault(target, set()).update(nodes.made[source])


__all__ = ["HELD_FILES", "Enclosing", "FileNodes", "file_nodes", "last_name"]
