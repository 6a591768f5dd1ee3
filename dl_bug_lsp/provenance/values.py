"""What an expression may stand for when nothing is run."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from dl_bug_lsp.workspace.values import ConfigEntry

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.nodes import Node
    from dl_bug_lsp.provenance.scopes import Scope


class StepKind(Enum):
    """What a step of a slice does to the value on its way."""

    LITERAL = "literal"
    CONFIG = "config"
    ARITHMETIC = "arithmetic"
    CONTAINER = "container"
    CALL = "call"
    INDEXING = "indexing"
    SLICING = "slicing"
    ATTRIBUTE = "attribute"
    NAME = "name"
    CHOICE = "choice"
    TEXT = "text"
    OTHER = "other"


DECIDING = frozenset(
    {
        StepKind.LITERAL,
        StepKind.CONFIG,
        StepKind.ARITHMETIC,
        StepKind.CONTAINER,
        StepKind.SLICING,
        StepKind.CHOICE,
        StepKind.TEXT,
    }
)
"""Steps that decide a value; the others only hand it on."""


@dataclass(frozen=True, slots=True)
class Const:
    """A Python scalar (or None) known without running anything."""

    value: str | int | float | bool | bytes | None


@dataclass(frozen=True, slots=True)
class Items:
    """A list, tuple or set whose elements are written down; ``complete`` when all of them are."""

    items: tuple[Node, ...]
    complete: bool = True
    text: str = ""


@dataclass(frozen=True, slots=True)
class Mapping:
    """A dict whose keys are written down; the first node of a pair is None for ``**other``.

    Not ``complete`` where a pair stands for any number of them.
    """

    pairs: tuple[tuple[Node | None, Node], ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Config:
    """A table, list or scalar of a config file, by its path from the top."""

    file: str
    path: tuple[str | int, ...]
    entry: ConfigEntry | None


@dataclass(frozen=True, slots=True)
class Parsed:
    """The namespace that an argument parser returns; options by destination name.

    The first node of an option is what won: the word of a command line, else a default.
    """

    options: dict[str, tuple[Node, ...]]


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a workspace class, with the bindings of its constructor call."""

    cls: Scope
    built: Node
    context: Context


@dataclass(frozen=True, slots=True)
class Function:
    """A workspace function, and what it is bound to.

    ``presets`` are the calls of ``functools.partial`` that gave it arguments beforehand.
    """

    scope: Scope
    receiver: Node | None
    closure: Context
    presets: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Class:
    """A workspace class."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class Module:
    """A workspace module."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class Library:
    """Something of a library (or a builtin) by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class LibraryObject:
    """What a library call returned: the callee's dotted name and the call's node."""

    name: str
    call: Node


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of the workspace that is opened or read as data."""

    file: str


Value: TypeAlias = (
    Const
    | Items
    | Mapping
    | Config
    | Parsed
    | Instance
    | Function
    | Class
    | Module
    | Library
    | LibraryObject
    | DataFile
)


@dataclass(slots=True, eq=False)
class Context:
    """A scope entered in one particular way: which nodes its parameters stand for.

    ``bindings`` is None where the caller is not known; then all callers are looked at.
    """

    scope: Scope
    bindings: dict[str, Node] | None = None
    outer: Context | None = None
    depth: int = 0
    caller: Context | None = None
    extra: dict[str, Node] = field(default_factory=dict)
