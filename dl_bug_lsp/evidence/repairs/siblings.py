"""Code near the failure that is not like the code beside it: what its siblings have or keep to.

`parallel` finds the deviations in the syntax alone; here they are held against the failure. Only
what a failing value went through counts, and only what the message can be about: an activation that
is missing makes no wrong size.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from functools import partial

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import near_scopes
from dl_bug_lsp.evidence.repairs import unused
from dl_bug_lsp.evidence.repairs.parallel import Deviation, deviations, written_names
from dl_bug_lsp.evidence.repairs.places import body_of
from dl_bug_lsp.evidence.words import HELD_FILES
from dl_bug_lsp.provenance.properties import ANY, NO_PROPERTY, Property, decides, handed
from dl_bug_lsp.provenance.scopes import Scope

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
    found = [(scope, one) for scope in scopes for one in unused.of_function(scope)]
    for cls in owners:
        candidates = list(unused.of_class(cls, _read_in(case, cls.file)))
        if candidates:
            others = [_read_in(case, file) for file in case.code_files[:MOST_FILES]]
            elsewhere = frozenset().union(*others)
            found += [(cls, one) for one in candidates if one.name not in elsewhere]
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
    return case.workspace.derived(
        "repairs.read_names", file, partial(unused.read_names, tree), HELD_FILES
    )


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
                return handed(node, deviation.role, child, asked) is not NO_PROPERTY
        return True
    node = case.engine.node(extra, context)
    kinds = (ast.Subscript, ast.Attribute)
    return isinstance(extra, kinds) or case.asked is ANY or decides(node, case.asked)
