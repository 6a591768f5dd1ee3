"""Code near the failure that deviates from similar code beside it.

`parallel` finds deviations in the syntax; here they are compared with the failure. Only code that
a failing value passed through counts, and only deviations that the message can be about. Values
that are made and never used, where a similar value is used twice, count too: redundancies
indicate errors (Xie and Engler, "Using redundancies to find errors", FSE 2002).
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import near_scopes
from dl_bug_lsp.evidence.repairs.parallel import WORD, Deviation, deviations, written_names
from dl_bug_lsp.evidence.repairs.repair_context import body_of
from dl_bug_lsp.evidence.words import HELD_FILES
from dl_bug_lsp.provenance.properties import ANY, NO_PROPERTY, Property, decides, property_of_input
from dl_bug_lsp.provenance.scopes import Scope, called_name

CATEGORIES = {
    "tensor_mismatch", "type_mismatch", "illegal_index", "illegal_argument", "key_not_found",
    "attribute_not_found", "null_reference", "device_unavailable", "framework_api_misuse",
    "division_by_zero", "undefined_variable", "not_implemented",
}  # fmt: skip
MOST_SCOPES, MOST_STATEMENTS, MOST_FILES = 24, 400, 60
FAR = 8.0
"""Distance on a slice at which a deviation counts a factor e less."""
PAIR = 0.6
"""What a deviation from one sibling counts; two or more that agree count whole."""
KINDS = {"lacks": "siblings.lacks", "breaks": "siblings.breaks", "renaming": "siblings.renaming"}


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines of the failing path that deviate from parallel code beside them."""
    if case.category.id not in CATEGORIES or not case.sites:
        return
    near = _nearness(case)
    scopes = _scopes(case)
    yield from _unused(case, scopes, near)
    for scope in scopes:
        for deviation in _of_scope(case, scope):
            first = getattr(deviation.node, "lineno", 0)
            last = getattr(deviation.node, "end_lineno", 0) or first
            reached = [near.get((scope.file, n), 0.0) for n in range(first, last + 1)]
            close = max(reached, default=0.0)
            if not close or not _may_matter(case, scope, deviation):
                continue
            score = close * (1.0 if deviation.of > 1 else PAIR)
            edit = None
            if deviation.new:
                edit = Suggestion(scope.file, deviation.line, deviation.old, deviation.new)
            kind = KINDS[deviation.kind]
            yield Clue(kind, scope.file, deviation.line, score, deviation.why, edit)


def _unused(case: Case, scopes: list[Scope], near: dict[tuple[str, int], float]) -> Iterator[Clue]:
    """Yield the reads on the failing path that stand where an unused value of their kind would."""
    owners = dict.fromkeys(scope.owner for scope in scopes if scope.owner is not None)
    found = [(scope, one) for scope in scopes for one in of_function(scope)]
    for cls in owners:
        candidates = list(of_class(cls, _read_in(case, cls.file)))
        if candidates:
            others = [_read_in(case, file) for file in case.code_files[:MOST_FILES]]
            elsewhere = frozenset().union(*others)
            found += [
                (cls, candidate) for candidate in candidates if candidate.name not in elsewhere
            ]
    for scope, one in found:
        close = near.get((scope.file, one.read.lineno), 0.0)
        if close:
            why = f"`{one.name}` (line {one.line}) is never used, and `{one.other}` stands here"
            edit = Suggestion(scope.file, one.read.lineno, one.other, one.name)
            score = close * one.near / math.sqrt(one.choices)
            yield Clue("siblings.unused", scope.file, one.read.lineno, score, why, edit)


def _read_in(case: Case, file: str) -> frozenset[str]:
    tree = case.workspace.tree(file)
    if tree is None:
        return frozenset()
    return case.workspace.derived("repairs.read_names", file, partial(read_names, tree), HELD_FILES)


def _nearness(case: Case) -> dict[tuple[str, int], float]:
    """Return how near to the failure the lines are that its values went through."""
    found: dict[tuple[str, int], float] = {}

    def reach(file: str, line: int, close: float) -> None:
        if line > 0:
            found[file, line] = max(found.get((file, line), 0.0), close)

    for depth, steps in enumerate((case.raise_slice, *case.outer_slices)):
        for step in steps:
            distance = step.distance + 2.0 * depth
            reach(step.node.file, step.node.line, math.exp(-distance / FAR))
    for inner, place in enumerate(reversed(case.places)):
        reach(place.file, place.line, math.exp(-2.0 * inner / FAR))
    for inner, _, made in case.makers:
        reach(made.file, made.line, math.exp(-(1.0 + 2.0 * inner) / FAR))
    return found


def _scopes(case: Case) -> list[Scope]:
    """Return the functions of the stack and the slices, and those that made the layers called."""
    found = dict.fromkeys(near_scopes(case)[:MOST_SCOPES])
    for _, _, made in case.makers:
        found[made.context.scope] = None
    return list(found)[: 2 * MOST_SCOPES]


def _of_scope(case: Case, scope: Scope) -> list[Deviation]:
    body = body_of(scope)
    if scope.is_class or len(body) > MOST_STATEMENTS:
        return []
    tree = case.workspace.tree(scope.file)
    if tree is None:
        return []
    known = case.workspace.derived(
        "repairs.written_names", scope.file, partial(written_names, tree), HELD_FILES
    )
    return list(deviations(body, known))


def _may_matter(case: Case, scope: Scope, deviation: Deviation) -> bool:
    """Whether what deviates can make what the message complains of."""
    extra = deviation.extra
    if extra is None:
        return True
    context = case.engine.open_context(scope)
    if deviation.role:
        for call in ast.walk(deviation.sibling):
            if isinstance(call, ast.Call) and any(
                extra is a for a in (*call.args, *(k.value for k in call.keywords))
            ):
                node = case.engine.node(call, context)
                child = case.engine.node(extra, context)
                # Of an unknown complaint, numbers like a learning rate are no cause.
                asked = case.asked if case.asked is not ANY else ANY & ~Property.VALUE
                return property_of_input(node, deviation.role, child, asked) is not NO_PROPERTY
        return True
    node = case.engine.node(extra, context)
    kinds = (ast.Subscript, ast.Attribute)
    return isinstance(extra, kinds) or case.asked is ANY or decides(node, case.asked)


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
