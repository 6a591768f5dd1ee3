"""Which constant or setting would have to be another one so that a computed size fits.

The message demands a size, and an expression on the failing path comes to another one by arithmetic
(``n_numeric + width * len(columns)``). The expression is turned round for each constant, setting
and list that it is made of: only those for which a whole, plausible number makes it come out right
can be the ones that are wrong.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.domain_rules.syntax import called_name
from dl_bug_lsp.evidence.numbers import numbers_of
from dl_bug_lsp.messages import Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.provenance.values import Config, Items, Mapping, StepKind

HANDED_ON = ("definition", "attribute", "return", "item", "setting", "configured", "stored")
MOST_DEPTH, MOST_ROOTS = 16, 12
MAKER_STEPS = 40
LARGEST = 1 << 40
FAR_OFF = 4
"""A number that would be so many times larger or smaller is hardly meant."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A leaf of a computed size: with ``new`` in place of ``old``, ``root`` comes to ``wanted``.

    ``counted`` says that ``old`` and ``new`` are lengths of a list; ``factor`` that the number is
    written out in the arithmetic itself. ``step`` is that of ``root``, ``distance`` how far it is
    from the failure; ``needed`` is False where the arithmetic could as well be left out.
    """

    root: Node
    given: int
    wanted: int
    leaf: Node
    old: int
    new: int
    counted: bool
    factor: bool
    step: Step
    distance: float
    needed: bool = True


def solutions(case: Case, pairs: Iterable[tuple[int, int]]) -> list[list[Solution]]:
    """Return the leaves of each size that arithmetic makes on the failing path.

    ``pairs`` are the sizes that contradict each other: (given, wanted).
    """
    wanted: dict[int, set[int]] = {}
    for given, other in (*pairs, *_told(case)):
        if given != other and min(given, other) > 0:
            wanted.setdefault(given, set()).add(other)
            wanted.setdefault(other, set()).add(given)
    found: list[list[Solution]] = []
    seen: set[int] = set()
    for depth, steps in enumerate((case.raise_slice, *case.outer_slices)):
        for step in steps:
            node = step.node
            if node.kind is not StepKind.ARITHMETIC or id(node.expr) in seen or node.line <= 0:
                continue
            value = whole(node)
            if value not in wanted or len(found) >= MOST_ROOTS:
                continue
            seen.update(id(part) for part in ast.walk(node.expr))
            for other in sorted(wanted[value]):
                group = list(_leaves(step, value, other, step.distance + 2.0 * depth))
                if any(s.old == other for s in group):
                    # What holds the wanted size already makes the other side too: it is the
                    # arithmetic around it that is wrong.
                    group = [replace(s, needed=False) for s in group if s.old != other]
                if group:
                    found.append(group)
    return found


def _told(case: Case) -> Iterator[tuple[int, int]]:
    """Yield the one size that the message demands with the one that there was."""
    expected, actual = numbers_of(case, Role.EXPECTED), numbers_of(case, Role.ACTUAL)
    one, other = expected - actual, actual - expected
    if len(one) == 1 and len(other) == 1:
        yield min(other), min(one)


def _leaves(step: Step, value: int, wanted: int, distance: float) -> Iterator[Solution]:
    root = step.node
    at: set[tuple[str, int, str]] = set()
    for leaf, old, new, counted in _solve(root, wanted, 0):
        key = (leaf.file, leaf.line, leaf.text)
        if key in at or new == old or leaf.line <= 0:
            continue
        at.add(key)
        inside = any(leaf.expr is part for part in ast.walk(root.expr))
        yield Solution(root, value, wanted, leaf, old, new, counted, inside, step, distance)


def _solve(node: Node, target: int, depth: int) -> Iterator[tuple[Node, int, int, bool]]:
    """Yield the leaves of an expression with the value that each would need: leaf, old, new."""
    value = whole(node)
    if value is None or depth > MOST_DEPTH or not 0 < target < LARGEST:
        return
    if node.kind in (StepKind.LITERAL, StepKind.CONFIG):
        yield node, value, target, False
        return
    expr = node.expr
    if isinstance(expr, ast.BinOp):
        left, right = (node.engine.node(e, node.context) for e in (expr.left, expr.right))
        a, b = whole(left), whole(right)
        if a is None or b is None:
            return
        for side, need in ((left, _left(expr.op, target, b)), (right, _right(expr.op, target, a))):
            if need is not None:
                yield from _solve(side, need, depth + 1)
        return
    if isinstance(expr, ast.Call) and expr.args:
        argument = node.engine.node(expr.args[0], node.context)
        if called_name(expr) == "len":
            yield from _counted(argument, value, target)
            return
        if called_name(expr) == "int":
            yield from _solve(argument, target, depth + 1)
            return
    for role, child in node.inputs:
        if role in HANDED_ON and whole(child) == value:
            yield from _solve(child, target, depth + 1)
            return


def _left(op: ast.operator, target: int, right: int) -> int | None:
    """Return what the left operand would have to be so that an operation gives the target."""
    if isinstance(op, ast.Add):
        return target - right
    if isinstance(op, ast.Sub):
        return target + right
    if isinstance(op, ast.Mult) and right and target % right == 0:
        return target // right
    if isinstance(op, ast.FloorDiv):
        return target * right
    if isinstance(op, ast.Pow) and right > 0 and target > 0:
        root = round(target ** (1 / right)) if right < 8 else 0
        return root if root**right == target else None
    return None


def _right(op: ast.operator, target: int, left: int) -> int | None:
    """Return what the right operand would have to be so that an operation gives the target."""
    if isinstance(op, ast.Add):
        return target - left
    if isinstance(op, ast.Sub):
        return left - target
    if isinstance(op, ast.Mult) and left and target % left == 0:
        return target // left
    if isinstance(op, ast.FloorDiv) and target and left // target:
        return left // target if left // (left // target) == target else None
    return None


def _counted(argument: Node, value: int, target: int) -> Iterator[tuple[Node, int, int, bool]]:
    """Yield the list whose length goes in."""
    for step in backward_slice([argument], MAKER_STEPS):
        node = step.node
        listed = any(
            (isinstance(v, Items) and v.complete and len(v.items) == value)
            or (isinstance(v, Mapping) and v.complete and len(v.pairs) == value)
            or (isinstance(v, Config) and v.entry is not None and v.entry.length == value)
            for v in node.values
        )
        if listed and node.kind in (StepKind.CONTAINER, StepKind.CONFIG):
            yield node, value, target, True
            return


def whole(node: Node) -> int | None:
    """Return the one whole number that a node stands for."""
    constant = node.constant
    value = constant.value if constant is not None else None
    return value if type(value) is int else None


def plausibility(solution: Solution, held: set[int], others: int) -> float:
    """Return how likely a leaf is the wrong one (0 to 1), among ``others`` that could be.

    ``held`` are the numbers that stand elsewhere near the failure: lengths of lists, and settings.
    """
    found = 1.0 if solution.new in held and solution.new > 2 else 0.6
    ratio = max(solution.new, solution.old) / max(1, min(solution.new, solution.old))
    if ratio > FAR_OFF:
        found *= 0.4
    if solution.factor and solution.needed:
        # A number in the arithmetic itself says how things are put together.
        found *= 0.6
    if solution.counted:
        found *= 0.7
    return found / math.sqrt(max(others, 1)) * math.exp(-solution.distance / 10)
