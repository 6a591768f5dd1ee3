"""What was split and is given in part: the whole, or both parts, in the place of one.

Vocabularies, label tables and encoders that were built from the training part know nothing of what
only the other part holds.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from dl_bug_lsp.interpretation.values import Table, Value
from dl_bug_lsp.provenance.scopes import called_name

SPLITTERS = frozenset(
    ("train_test_split", "random_split", "split", "array_split", "vsplit", "partition", "islice",
     "sample", "head", "tail", "query", "drop", "iloc", "loc", "take", "skip", "select", "filter",
     "Subset", "narrow", "subset", "split_data", "split_dataset", "train_val_split", "choices")
)  # fmt: skip
"""Functions and methods that give a part of what they are given."""
MOST_PARTS = 4
Known = Callable[[str], "Value | None"]


@dataclass(frozen=True, slots=True)
class Part:
    """How a name was bound: ``value`` is the expression, ``beside`` the names bound likewise."""

    line: int
    value: ast.expr
    beside: tuple[str, ...]


def parts_in(function: ast.AST) -> dict[str, list[Part]]:
    """Return the names that a function or module binds, with how, in the order of lines."""
    found: dict[str, list[Part]] = {}
    made: dict[str, list[str]] = {}
    for node in _own_statements(function):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        for name, value, group in _bound(node.targets[0], node.value):
            found.setdefault(name, []).append(Part(node.lineno, value, group))
            if isinstance(value, ast.Call):
                made.setdefault(ast.unparse(value.func), []).append(name)
    for names in made.values():
        for name in names if 1 < len(set(names)) <= MOST_PARTS else ():
            found[name] = [
                replace(part, beside=tuple(dict.fromkeys((*part.beside, *names))))
                for part in found[name]
            ]
    return found


def _own_statements(function: ast.AST) -> Iterator[ast.AST]:
    waiting = list(reversed(getattr(function, "body", [])))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt)]
            waiting.extend(reversed(inner))


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr, tuple[str, ...]]]:
    if isinstance(target, ast.Name):
        yield target.id, value, ()
    elif isinstance(target, ast.Tuple):
        names = [item.id for item in target.elts if isinstance(item, ast.Name)]
        paired = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for at, item in enumerate(target.elts):
            if isinstance(item, ast.Name):
                own = value.elts[at] if paired and isinstance(value, ast.Tuple) else value
                yield item.id, own, tuple(names)


def others_of(
    node: ast.Name, own: Value, parts: Sequence[Part], known: Known
) -> Iterator[tuple[ast.expr, str]]:
    """Yield what a part may have to be: what it was taken from, or all parts together."""
    before = [part for part in parts if part.line < node.lineno]
    if not before:
        return
    part = before[-1]
    for name in _taken_from(part.value):
        whole = known(name) if name != node.id else None
        if whole is not None and type(whole.data) is type(own.data) and whole.data is not own.data:
            yield ast.Name(name, ast.Load()), "name.whole"
    for name in part.beside[: MOST_PARTS + 1]:
        other = known(name) if name != node.id else None
        if other is None or type(other.data) is not type(own.data):
            continue
        pair: list[ast.expr] = [ast.Name(node.id, ast.Load()), ast.Name(name, ast.Load())]
        if isinstance(own.data, (list, tuple, str)):
            yield ast.BinOp(pair[0], ast.Add(), pair[1]), "name.joined"
        elif isinstance(own.data, Table) and known("pd") is not None:
            concat = ast.Attribute(ast.Name("pd", ast.Load()), "concat", ast.Load())
            yield ast.Call(concat, [ast.List(pair, ast.Load())], []), "name.joined"


def _taken_from(value: ast.expr) -> Iterator[str]:
    """Yield the names of what an expression takes a part of."""
    taken: list[ast.expr] = []
    if isinstance(value, ast.Subscript):
        taken = [value.value]
    elif isinstance(value, ast.Call) and called_name(value) in SPLITTERS:
        taken = list(value.args[:2])
        if isinstance(value.func, ast.Attribute):
            taken.append(value.func.value)
    for base in taken:
        while isinstance(base, (ast.Attribute, ast.Subscript, ast.Call)):
            base = base.func if isinstance(base, ast.Call) else base.value
        if isinstance(base, ast.Name):
            yield base.id
