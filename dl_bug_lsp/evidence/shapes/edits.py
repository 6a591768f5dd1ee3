"""Small edits on the failing path, and constants that would have to be different.

The message demands a size, and an expression on the failing path evaluates to another one by
arithmetic (``n_numeric + width * len(columns)``). The expression is solved for each constant,
setting and list that it is made of. Only those for which a whole, plausible number gives the
demanded size can be wrong.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.domain_rules.syntax import keyword, source
from dl_bug_lsp.evidence.numbers import numbers_of
from dl_bug_lsp.evidence.shapes.layers import RECURRENT
from dl_bug_lsp.messages import Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import Config, Items, Mapping, StepKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

AXES = (1, -1, 0, 2, -2)
AXIS_CALLS = {
    "unsqueeze": 0, "squeeze": 0, "transpose": 0, "permute": 0, "flatten": 0, "softmax": 0,
    "mean": 0, "sum": 0, "max": 0, "min": 0, "argmax": 0, "expand_dims": 0, "swapaxes": 0,
    "size": 0, "chunk": 1, "split": 1, "cat": 1, "stack": 1, "concatenate": 1, "concat": 1,
    "movedim": 0, "std": 0, "var": 0, "norm": 0, "log_softmax": 0, "Flatten": 0,
}  # fmt: skip
"""Calls whose positional arguments from this one on are axes."""
AXIS_WORDS = {"dim", "axis", "dims", "axes", "start_dim", "end_dim", "dim0", "dim1"}
OPTIONS: dict[str, tuple[tuple[str, object], ...]] = {
    **dict.fromkeys(RECURRENT, (("batch_first", True),)),
    **dict.fromkeys(("cat", "concat", "concatenate", "stack"), (("dim", 1), ("dim", -1))),
    **dict.fromkeys(("mean", "sum", "max", "argmax"), (("dim", 1), ("keepdim", True), ("dim", -1))),
}
"""Keywords that are often forgotten, with the value they usually have."""
DATA = {"randn", "rand", "randint", "zeros", "ones", "empty", "full", "normal", "random", "arange"}
USUAL = (16, 24, 28, 32, 48, 64, 96, 128, 224, 256)
"""Sizes that images and layers often have."""
LIBRARIES = {"torch", "np", "jnp", "F", "tf", "nn", "numpy"}
MOST_CALLS = 40
MOST_NAMES = 10


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """An edit: other expressions in place of some (by ``id``), and how it is told.

    ``of`` says which place it changes, ``prior`` (0 to 1) how often such a place is wrong.
    """

    kind: str
    file: str
    line: int
    old: str
    new: str
    changes: dict[int, ast.expr]
    of: int
    prior: float


def edits_of(case: Case, told: set[int]) -> Iterator[Edit]:
    """Yield edits of the calls on the way to the failure, nearest first."""
    seen: set[int] = set()
    for steps in (case.raise_slice, *case.outer_slices):
        for step in steps:
            node = step.node
            if node.entry is not None or node.line <= 0 or len(seen) > MOST_CALLS:
                continue
            for call in ast.walk(node.expr):
                if isinstance(call, ast.Subscript) and id(call) not in seen:
                    seen.update((id(call), id(call.slice)))
                    yield from _of_shape(node, call)
                if id(call) in seen or not isinstance(call, (ast.Call, ast.BinOp)):
                    continue
                seen.update(id(part) for part in _parts(call))
                here = node.engine.node(call, node.context)
                if isinstance(call, ast.Call):
                    yield from _of_call(case, here, call, told)
                else:
                    yield from _of_operands(case, here, [call.left, call.right], told, 0.8)
            if isinstance(node.expr, ast.Constant) and id(node.expr) not in seen:
                seen.add(id(node.expr))
                yield from _of_operands(case, node, [node.expr], told, 0.5)


def written(expr: ast.AST) -> int | None:
    """Return the whole number that is written out, perhaps with a sign."""
    if isinstance(expr, ast.Constant) and type(expr.value) is int:
        return expr.value
    if (
        isinstance(expr, ast.UnaryOp)
        and isinstance(expr.op, ast.USub)
        and isinstance(expr.operand, ast.Constant)
        and type(expr.operand.value) is int
    ):
        return -expr.operand.value
    return None


def _parts(call: ast.expr) -> list[ast.AST]:
    """Return a call and its plain arguments: they are changed as parts of it."""
    kinds = (ast.Constant, ast.UnaryOp, ast.Name, ast.Attribute)
    return [call, *(n for n in ast.walk(call) if isinstance(n, kinds))]


def _ratios(told: set[int]) -> list[tuple[int, int]]:
    """Return the sizes of the message in pairs: a factor may be off by their ratio."""
    large = sorted(told)[-4:]
    return [(a, b) for a in large for b in large if a != b and b > 0 and a > 0]


def _number(value: int, like: ast.AST) -> ast.expr:
    return ast.copy_location(ast.Constant(value=value), like)


def _of_call(case: Case, node: Node, call: ast.Call, told: set[int]) -> Iterator[Edit]:
    name = called_name(call)
    first_axis = AXIS_CALLS.get(name)
    axes: list[ast.expr] = [k.value for k in call.keywords if k.arg in AXIS_WORDS]
    if first_axis is not None:
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        of_module = isinstance(base, ast.Name) and base.id in LIBRARIES
        axes.extend(call.args[first_axis + (1 if of_module and first_axis == 0 else 0) :])
    known = {id(a) for a in axes}
    for axis in axes:
        old = written(axis)
        for new in AXES if old is not None else ():
            if new != old:
                yield Edit("axis", node.file, axis.lineno, str(old), str(new),
                           {id(axis): _number(new, axis)}, id(axis), 1.0)  # fmt: skip
    yield from _orders(node, call, axes)
    yield from _options(node, call, name)
    values = [*call.args, *(k.value for k in call.keywords)]
    plain: list[ast.expr] = []
    for value in values:
        if id(value) in known:
            continue
        plain.extend(value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value])
    prior = 0.4 if name in DATA else 0.8
    yield from _of_operands(case, node, plain[:12], told, prior)


def _of_shape(node: Node, index: ast.Subscript) -> Iterator[Edit]:
    """Yield other axes for ``x.shape[1]``."""
    old = written(index.slice)
    if old is None or not isinstance(index.value, ast.Attribute) or index.value.attr != "shape":
        return
    for new in AXES:
        if new != old:
            changes = {id(index.slice): _number(new, index.slice)}
            yield Edit("axis", node.file, index.lineno, str(old), str(new),
                       changes, id(index.slice), 1.0)  # fmt: skip


def _of_operands(
    case: Case, node: Node, operands: list[ast.expr], told: set[int], prior: float
) -> Iterator[Edit]:
    """Yield other numbers for literals and other names for names."""
    for operand in operands:
        old = written(operand)
        if old is not None:
            news = [n for n in sorted(told)[:6] if n != old] if old in told else []
            news += [old + 1, old - 1, 2 * old, old // 2]
            news += [old * a // b for a, b in _ratios(told) if old * a % b == 0 and old > 1]
            news += [size for size in USUAL if 2 * old >= size >= old // 2 and old >= 16]
            for new in dict.fromkeys(news):
                if new > 0 and new != old:
                    changes = {id(operand): _number(new, operand)}
                    yield Edit("number", node.file, operand.lineno, str(old), str(new),
                               changes, id(operand), prior)  # fmt: skip
        elif isinstance(operand, (ast.Name, ast.Attribute)):
            for other in _other_names(node, operand):
                replaced = ast.copy_location(ast.Name(id=other, ctx=ast.Load()), operand)
                yield Edit("name", node.file, operand.lineno, source(operand), other,
                           {id(operand): replaced}, id(operand), prior)  # fmt: skip
            for factor in (2, 3):
                left = ast.copy_location(ast.Constant(value=factor), operand)
                doubled = ast.BinOp(left=left, op=ast.Mult(), right=operand)
                ast.copy_location(doubled, operand)
                yield Edit("number", node.file, operand.lineno, source(operand), source(doubled),
                           {id(operand): doubled}, id(operand), 0.6 * prior)  # fmt: skip


def _other_names(node: Node, operand: ast.expr) -> list[str]:
    """Return the names of the same function that stand for another whole number."""
    scope: Scope = node.context.scope
    own = operand.id if isinstance(operand, ast.Name) else ""
    mine = node.engine.node(operand, node.context).constant
    if mine is None or type(mine.value) is not int:
        return []
    found: list[str] = []
    names = [p.arg for p in scope.parameters()]
    if not scope.is_module:
        names += [n for n in scope.bindings if "." not in n]
    for name in names[:MOST_NAMES]:
        if name == own:
            continue
        probe = ast.copy_location(ast.Name(id=name, ctx=ast.Load()), operand)
        node.engine.keep.append(probe)
        constant = node.engine.node(probe, node.context).constant
        if constant is not None and type(constant.value) is int and constant.value != mine.value:
            found.append(name)
    return found


def _orders(node: Node, call: ast.Call, axes: list[ast.expr]) -> Iterator[Edit]:
    """Yield two neighbours of the arguments, or of a tuple among them, exchanged."""
    groups = [list(call.args)]
    groups += [
        list(a.elts)
        for a in (*call.args, *(k.value for k in call.keywords))
        if isinstance(a, (ast.Tuple, ast.List))
    ]
    for group in groups:
        for a, b in pairwise(group[:6]):
            if ast.dump(a) == ast.dump(b) or isinstance(a, ast.Starred):
                continue
            changes: dict[int, ast.expr] = {id(a): b, id(b): a}
            yield Edit("order", node.file, a.lineno, f"{source(a)}, {source(b)}",
                       f"{source(b)}, {source(a)}", changes, id(a), 0.9)  # fmt: skip


def _options(node: Node, call: ast.Call, name: str) -> Iterator[Edit]:
    """Yield a keyword that is usual, or that a sibling of the call has, and this one lacks."""
    extra: list[tuple[str, ast.expr]] = [
        (word, ast.copy_location(ast.Constant(value=value), call))  # type: ignore[arg-type]
        for word, value in OPTIONS.get(name, ())
    ]
    scope = node.context.scope
    for other in scope.calls:
        if other is not call and called_name(other) == name:
            extra.extend((k.arg, k.value) for k in other.keywords if k.arg is not None)
    seen: set[str] = set()
    for word, value in extra[:8]:
        shown = f"{word}={source(value)}"
        if keyword(call, word) is not None or shown in seen:
            continue
        seen.add(shown)
        keywords = [*call.keywords, ast.keyword(arg=word, value=value)]
        changed = ast.Call(func=call.func, args=call.args, keywords=keywords)
        ast.copy_location(changed, call)
        yield Edit("option", node.file, call.lineno, "", shown, {id(call): changed}, id(call), 1.0)


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
