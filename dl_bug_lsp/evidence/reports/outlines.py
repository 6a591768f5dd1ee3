"""What one Python file offers to a bug report: its words, definitions, names and imports."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass, field

from dl_bug_lsp.workspace.elements import parse

_TOKEN = re.compile(r"\n|[^\W\d]\w*")
_BLOCKS = ("cases", "finalbody", "orelse", "handlers", "body")


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class by its dotted name; ``first`` is its first decorator's line (1-based)."""

    name: str
    first: int
    line: int
    end_line: int
    is_class: bool


@dataclass(slots=True)
class Outline:
    """A file's content as the ranking of bug reports needs it; lines are 1-based.

    ``words`` are the identifiers and words in order, ``starts[n]`` how many stand before line
    n + 1; ``names`` maps each defined name to the kinds of its definitions (``c`` class, ``m``
    method, ``f`` function, ``p`` parameter, ``a`` attribute, ``v`` variable); ``imports`` are pairs
    of module and imported name (empty for ``import module``).
    """

    words: list[str]
    starts: list[int]
    definitions: list[Definition] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    imports: list[tuple[str, str]] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """How often each identifier or word stands in the file."""
        return Counter(self.words)


def outline_of(text: str) -> Outline:
    """Read a file; one that cannot be parsed still has words."""
    words: list[str] = []
    starts = [0]
    for token in _TOKEN.findall(text):
        if token == "\n":
            starts.append(len(words))
        else:
            words.append(token)
    starts.append(len(words))
    found = Outline(words, starts)
    tree = parse(text).tree
    if tree is not None:
        _visit(tree, found)
    return found


def _visit(tree: ast.Module, found: Outline) -> None:
    stack: list[tuple[ast.AST, str, str]] = [(node, "", "") for node in reversed(tree.body)]
    while stack:
        node, outer, inside = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = outer + node.name
            inside = _define(node, name, inside, found)
            outer = name + "."
        elif isinstance(node, ast.Import):
            found.imports.extend((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found.imports.extend((module, alias.name) for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            _assign(node, inside, found)
        for block in _BLOCKS:
            held = getattr(node, block, None)
            if isinstance(held, list):
                stack.extend((child, outer, inside) for child in reversed(held))


def _define(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    name: str,
    inside: str,
    found: Outline,
) -> str:
    """Note a definition and its parameters; return what its body stands in."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    is_class = isinstance(node, ast.ClassDef)
    end = node.end_lineno or node.lineno
    found.definitions.append(Definition(name, first, node.lineno, end, is_class))
    if isinstance(node, ast.ClassDef):
        _name(node.name, "c", found)
        return "c"
    _name(node.name, "m" if inside == "c" else "f", found)
    given = node.args
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if argument is not None and argument.arg not in {"self", "cls"}:
            _name(argument.arg, "p", found)
    return "f"


def _assign(node: ast.Assign | ast.AnnAssign, inside: str, found: Outline) -> None:
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        for item in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if isinstance(item, ast.Attribute):
                _name(item.attr, "a", found)
            elif isinstance(item, ast.Name) and inside != "f":
                _name(item.id, "v", found)


def _name(name: str, kind: str, found: Outline) -> None:
    kinds = found.names.get(name, "")
    if kind not in kinds:
        found.names[name] = kinds + kind
