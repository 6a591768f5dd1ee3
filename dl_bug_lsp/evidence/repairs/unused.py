"""Values that are made and never used, where another of their kind is used twice.

What is redundant points to a slip (Xie and Engler, "Using redundancies to find errors", FSE 2002):
of two layers, operands or arguments that were made alike, one is read in the place of the other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.domain_rules.syntax import called_name
from dl_bug_lsp.evidence.repairs.parallel import WORD
from dl_bug_lsp.provenance.scopes import Scope

ALIKE, SAME_KIND = 1.0, 0.7
LOOKED_UP = {"locals", "vars", "getattr", "eval", "exec", "globals", "parameters", "children"}
"""Functions that reach names which no expression names."""
MOST_NAMES = 60


@dataclass(frozen=True, slots=True)
class Unused:
    """A name that nothing reads, and a place where another of its kind is read instead.

    ``near`` (0 to 1) is how alike the two are.
    """

    name: str
    line: int
    other: str
    read: ast.expr
    near: float
    choices: int


def of_function(scope: Scope) -> Iterator[Unused]:
    """Yield the local names and parameters of a function that it never reads."""
    node = scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    reads: dict[str, list[ast.expr]] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            reads.setdefault(inner.id, []).append(inner)
            if inner.id in LOOKED_UP:
                return
    made: dict[str, tuple[int, ast.expr | None]] = {
        p.arg: (p.lineno, None) for p in scope.parameters() if p.arg not in ("self", "cls")
    }
    for name, bindings in scope.bindings.items():
        if "." not in name and all(b.scope is scope for b in bindings):
            made[name] = (bindings[0].line, bindings[0].value)
    if len(made) <= MOST_NAMES:
        yield from _of(made, reads)


def of_class(cls: Scope, known: frozenset[str]) -> Iterator[Unused]:
    """Yield the attributes that a class sets in its methods and nothing reads.

    ``known`` are the attributes and texts that any code near the failure reads.
    """
    reads: dict[str, list[ast.expr]] = {}
    for inner in ast.walk(cls.node):
        if (
            isinstance(inner, ast.Attribute)
            and isinstance(inner.ctx, ast.Load)
            and isinstance(inner.value, ast.Name)
            and inner.value.id == "self"
        ):
            reads.setdefault(inner.attr, []).append(inner)
    made: dict[str, tuple[int, ast.expr | None]] = {}
    for name, found in cls.attributes.items():
        if found and name not in made:
            made[name] = (found[0][1].line, found[0][1].value)
    unread = {name: at for name, at in made.items() if name not in known or name in reads}
    if len(unread) <= MOST_NAMES:
        yield from _of(unread, reads)


def read_names(tree: ast.AST) -> frozenset[str]:
    """Return the attributes that code reads, and the words of its texts."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.update(re.findall(r"\w+", node.value[:200]))
    return frozenset(found)


def _of(
    made: dict[str, tuple[int, ast.expr | None]], reads: dict[str, list[ast.expr]]
) -> Iterator[Unused]:
    unread = [name for name in made if name not in reads and not name.startswith("_")]
    for name in unread:
        line, value = made[name]
        for other, (at, its) in made.items():
            found = sorted(reads.get(other, ()), key=lambda n: (n.lineno, n.col_offset))
            if other == name or len(found) < 2:
                continue
            near = _alike(name, other, value, its)
            if not near:
                continue
            places = found[1:] if (line, name) > (at, other) else found[:-1]
            for place in places:
                yield Unused(name, line, other, place, near, len(places))


def _alike(name: str, other: str, value: ast.expr | None, its: ast.expr | None) -> float:
    """Return whether two values were made alike: by their names, or by the same constructor."""
    one, two = [w.lower() for w in WORD.findall(name)], [w.lower() for w in WORD.findall(other)]
    differ = [(a, b) for a, b in zip(one, two, strict=False) if a != b]
    same_words = len(one) == len(two) and len(one) > 1 and len(differ) == 1
    numbered = same_words and all(word.isdigit() for pair in differ for word in pair)
    constructed = (
        isinstance(value, ast.Call)
        and isinstance(its, ast.Call)
        and called_name(value) == called_name(its)
        and called_name(value)[:1].isupper()
    )
    if numbered or (same_words and constructed):
        return ALIKE
    return SAME_KIND if constructed else 0.0
