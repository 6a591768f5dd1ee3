"""What an exception's message says, as typed facts, and the facts that follow from them.

Which dimension of two shapes clashes is derived. A message of sizes that differ may be symmetric:
it does not say which of them is right.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

FactValue: TypeAlias = "int | float | str | tuple[int, ...]"


class FactKind(Enum):
    """What sort of thing a fact names."""

    SHAPE = "shape"
    SIZE = "size"
    AXIS = "axis"
    INDEX = "index"
    BOUND = "bound"
    COUNT = "count"
    NUMBER = "number"
    KEY = "key"
    NAME = "name"
    ATTRIBUTE = "attribute"
    CLASS = "class"
    FUNCTION = "function"
    ARGUMENT = "argument"
    PARAMETER = "parameter"
    MODULE = "module"
    PATH = "path"
    LINE = "line"
    COLUMN = "column"
    DTYPE = "dtype"
    DEVICE = "device"
    LAYER = "layer"
    OPERATION = "operation"
    LITERAL = "literal"
    CANDIDATE = "candidate"
    OPTION = "option"
    REQUIREMENT = "requirement"


class Role(Enum):
    """The side that a fact takes in what the message complains about."""

    ACTUAL = "actual"
    """The value that was given, found or asked for: the one complained about."""
    EXPECTED = "expected"
    """The value that was required, or what the parameter, layer or container holds."""
    OWNER = "owner"
    """The object, class, function or file that the complaint is about."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Fact:
    """One typed fact of a message, with the words it was read from.

    A SHAPE's value is a tuple of ints (-1 for an unknown dimension); a SIZE, INDEX, BOUND, COUNT,
    AXIS, LINE or COLUMN an int; a NUMBER an int or a float; a PARAMETER the state-dict name
    (``"head.weight"``); a DTYPE NumPy's name for it (``"int64"`` for torch's Long, XLA's s64 and
    DT_INT64); all others text. ``text`` is empty for what the family implies without saying it.
    """

    kind: FactKind
    role: Role
    value: FactValue
    text: str


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """The facts of one message and the family (``"torch.matmul"``, ``"python.key"``) that read it.

    ``family`` is None where no family knows the message; generic facts (quoted names, paths,
    numbers) are extracted all the same.
    """

    family: str | None
    facts: tuple[Fact, ...]

    def of(self, kind: FactKind, role: Role | None = None) -> tuple[Fact, ...]:
        """Return the facts of a kind, and of a role where one is given."""
        return tuple(f for f in self.facts if f.kind is kind and role in (None, f.role))


# ---------------------------------------------------------------------- derived facts
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


def bound_of_axis(facts: list[Fact]) -> list[Fact]:
    """Return the size of the dimension that an index is beyond, as its bound."""
    sizes = [fact.value for fact in size_of_axis(facts)]
    return [Fact(FactKind.BOUND, Role.EXPECTED, size, str(size)) for size in sizes]


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


# ---------------------------------------------------------------------- symmetric messages
SYMMETRIC = {
    *("broadcast", "concat", "dot", "label_shape", "length", "matmul", "merge_shapes", "mv"),
    *("same_dimension", "shapes_incompatible", "stack", "operands", "comparison"),
}
"""Families of messages that name sizes or types which do not fit, without saying which is right."""
ASKS = re.compile(r"\b(?:expect|should|request|need|want)|\bdoesn't match\b|\b(?:in)?to shape\b")
"""What a message that asks for one of its sizes says."""


def is_symmetric(facts: MessageFacts, message: str) -> bool:
    """Whether a message names sizes or types that do not fit, and not which one was asked for."""
    family = (facts.family or "").rpartition(".")[2]
    if "equal size, but got" in message:
        return True
    return family in SYMMETRIC and not ASKS.search(message)
