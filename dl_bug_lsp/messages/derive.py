"""Facts that follow from those a message states: which dimension of two shapes clashes."""

from __future__ import annotations

import math

from dl_bug_lsp.messages.facts import Fact, FactKind, Role

Shape = tuple[int, ...]


def _shapes(facts: list[Fact]) -> tuple[Shape, Shape] | None:
    """Return the first actual and the first expected shape, where both are there."""
    shapes: dict[Role, Shape] = {}
    for fact in facts:
        if fact.kind is FactKind.SHAPE and isinstance(fact.value, tuple):
            shapes.setdefault(fact.role, fact.value)
    if Role.ACTUAL in shapes and Role.EXPECTED in shapes:
        return shapes[Role.ACTUAL], shapes[Role.EXPECTED]
    return None


def _size(role: Role, value: int) -> Fact:
    return Fact(FactKind.SIZE, role, value, str(value))


def inner(facts: list[Fact]) -> list[Fact]:
    """Compare a product's sides: the left's last dimension, the right's last but one."""
    pair = _shapes(facts)
    if pair is None or not pair[0] or not pair[1]:
        return []
    left, right = pair
    return [
        _size(Role.ACTUAL, left[-1]),
        _size(Role.EXPECTED, right[-2] if len(right) > 1 else right[-1]),
    ]


def differ(facts: list[Fact]) -> list[Fact]:
    """Compare shapes of one rank: each dimension in which they differ, with its axis."""
    pair = _shapes(facts)
    if pair is None or len(pair[0]) != len(pair[1]):
        return []
    out = []
    for axis, (actual, expected) in enumerate(zip(*pair, strict=True)):
        if actual != expected and -1 not in (actual, expected):
            out += [_size(Role.ACTUAL, actual), _size(Role.EXPECTED, expected)]
            out.append(Fact(FactKind.AXIS, Role.OTHER, axis, str(axis)))
    return out


def broadcast(facts: list[Fact]) -> list[Fact]:
    """Compare shapes aligned from the right: each dimension that differs, none being 1."""
    pair = _shapes(facts)
    if pair is None:
        return []
    out = []
    for axis, (actual, expected) in enumerate(
        zip(reversed(pair[0]), reversed(pair[1]), strict=False)
    ):
        if actual != expected and not {1, -1} & {actual, expected}:
            out += [_size(Role.ACTUAL, actual), _size(Role.EXPECTED, expected)]
            out.append(Fact(FactKind.AXIS, Role.OTHER, -1 - axis, str(-1 - axis)))
    return out


def elements(facts: list[Fact]) -> list[Fact]:
    """Return the number of elements of the expected shape, and the size in it that cannot fit.

    Where the number of elements is a multiple of the product of all dimensions but one, and that
    holds of one dimension alone, the others fit. A dimension of -1 may have any size.
    """
    expected = [f.value for f in facts if f.kind is FactKind.SHAPE and f.role is Role.EXPECTED]
    actual = [f.value for f in facts if f.kind is FactKind.SIZE and f.role is Role.ACTUAL]
    shape = expected[0] if expected else None
    if not isinstance(shape, tuple) or not shape or min(shape) < -1:
        return []
    said = {f.value for f in facts if f.kind is FactKind.SIZE and f.role is Role.EXPECTED}
    sizes = {axis: size for axis, size in enumerate(shape) if size != -1}
    product = math.prod(sizes.values())
    is_told = len(sizes) < len(shape) or product in said
    derived = [] if is_told else [_size(Role.EXPECTED, product)]
    if len(actual) != 1 or not isinstance(actual[0], int) or not product or len(sizes) < 2:
        return derived
    wrong = [axis for axis, size in sizes.items() if actual[0] % (product // size) == 0]
    if len(wrong) == 1:
        derived.append(_size(Role.EXPECTED, sizes[wrong[0]]))
        derived.append(Fact(FactKind.AXIS, Role.OTHER, wrong[0], str(wrong[0])))
    return derived


def size_of_axis(facts: list[Fact]) -> list[Fact]:
    """Return the size that the actual shape has in the one dimension that the message names."""
    axes = [fact.value for fact in facts if fact.kind is FactKind.AXIS]
    for fact in facts:
        if fact.kind is not FactKind.SHAPE or fact.role is not Role.ACTUAL or len(axes) != 1:
            continue
        axis, shape = axes[0], fact.value
        if isinstance(axis, int) and isinstance(shape, tuple) and -len(shape) <= axis < len(shape):
            return [_size(Role.ACTUAL, shape[axis])] if shape[axis] > 0 else []
    return []


def at_axis(facts: list[Fact]) -> list[Fact]:
    """Compare shapes in the dimensions that the message names."""
    return _where_axis(facts, named=True)


def off_axis(facts: list[Fact]) -> list[Fact]:
    """Compare shapes in all dimensions but those that the message names."""
    return _where_axis(facts, named=False)


def _where_axis(facts: list[Fact], named: bool) -> list[Fact]:
    axes = {fact.value for fact in facts if fact.kind is FactKind.AXIS}
    differing = differ(facts)
    groups = [differing[start : start + 3] for start in range(0, len(differing), 3)]
    return [fact for group in groups if (group[-1].value in axes) is named for fact in group]
