"""What an exception's message says, as typed facts."""

from __future__ import annotations

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
