"""Nodes: an expression in a context, what it may stand for and what it is made of.

Values are what an expression may evaluate to, without running anything.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from dl_bug_lsp.provenance.scopes import AnyItem, ElementOf, Synthetic
from dl_bug_lsp.workspace.contents import ConfigEntry

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine
    from dl_bug_lsp.provenance.scopes import Scope


# ---------------------------------------------------------------------- limits
CALL_METHODS = ("forward", "__call__", "call")
"""What calling an instance runs: torch and flax modules, Python, Keras."""
MAX_ALTERNATIVES = 6
"""Values that one expression may stand for."""
MAX_DEPTH = 24
"""Calls entered one inside the other."""
MAX_CALLERS = 6
"""Callers looked at for a parameter whose call is not known."""
MAX_NODES = 30_000
"""Nodes of one localization."""
MAX_NESTING = 60
"""Questions that are open at one time; Python's own stack ends at about 1,000 frames."""
MAX_POSTPONED = 400
"""Questions that wait for deeper ones to be answered first."""
MAX_ROUNDS = 5
"""How often a circle of questions is gone through before its answers are taken as incomplete."""
MAX_RECURSION = 2
"""Entries into one function, each from within the one before, that are kept apart."""
MAX_WRITTEN_OUT = 12
"""Rounds of a comprehension that are written out."""
MAX_BASES = 64
"""Classes that one class is looked up in."""
MAX_ITEMS = 256
"""Items of a list that is written by repetition."""
MAX_INSTANCES = 3
"""Instances of one class that are looked at where it is not known which one is meant."""
MAX_CHANGES = 24
"""Statements that put something into one object."""
MAX_DEFINITIONS = 6
"""Definitions of a name that may reach a line."""
MAX_SOLVED = 25_000
"""Questions that are worked out in one localization, each round of a circle counted."""


# ---------------------------------------------------------------------- nodes
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


MERGERS = ("OmegaConf.merge", "OmegaConf.unsafe_merge")
TABLE_WRAPPERS = (
    "types.SimpleNamespace",
    "argparse.Namespace",
    "easydict.EasyDict",
    "omegaconf.OmegaConf.create",
    "omegaconf.OmegaConf.to_container",
    "omegaconf.OmegaConf.to_object",
    "builtins.dict",
    "box.Box",
    "ml_collections.ConfigDict",
    "addict.Dict",
    "munch.Munch",
)
TABLE_CLASSES = (".ConfigDict", ".EasyDict", ".AttrDict")
CONTAINERS = {"ModuleList", "Sequential", "Compose", "ParameterList", "ConcatDataset", "Chain"}


@dataclass(frozen=True, slots=True)
class LibraryObject:
    """What a library call returned: the callee's dotted name and the call's node."""

    name: str
    call: Node

    @property
    def wraps_table(self) -> bool:
        """Whether the call gives its dict or keywords back as an object with the same members."""
        return self.name in TABLE_WRAPPERS or self.name.endswith(TABLE_CLASSES)

    @property
    def is_table(self) -> bool:
        """Whether keys can be put into it."""
        return self.name.startswith(("collections.", "builtins.dict")) or self.wraps_table

    @property
    def is_merged(self) -> bool:
        """Whether the call merged several tables into one."""
        return self.name.endswith(MERGERS)

    @property
    def holds_parts(self) -> bool:
        """Whether it holds the modules or functions that it was given, in their order."""
        return self.name.rpartition(".")[2] in CONTAINERS


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


Edge = tuple[str, "Node"]
"""The role in which a node goes into another, and that node."""

MAX_TEXT = 80
"""Characters that are shown of an expression."""


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


class Node:
    """An expression in a context, or an entry of a config file.

    ``line`` is 1-based; ``kind`` says what the step does with the value; ``table`` names the
    settings (a file's, or composed ones) that an entry is looked up in.
    """

    __slots__ = (
        *("_inputs", "_known", "_text", "context", "engine", "entry", "expr"),
        *("file", "kind", "line", "lists", "table", "work"),
    )

    def __init__(
        self,
        engine: Engine,
        context: Context,
        expr: ast.expr,
        entry: ConfigEntry | None = None,
        table: str = "",
    ) -> None:
        self.engine = engine
        self.context = context
        self.expr = expr
        self.entry = entry
        self.table = table
        self.file = entry.file if entry else context.scope.file
        self.line = entry.line if entry else getattr(expr, "lineno", 0)
        self.kind = StepKind.CONFIG if entry else kind_of(expr)
        self.work: Callable[[], list[Value]] | None = None
        self.lists: Callable[[], list[Edge]] | None = None
        self._text: str | None = None
        self._inputs: tuple[Edge, ...] | None = None
        self._known: tuple[tuple[Value, ...], bool] | None = None

    @property
    def text(self) -> str:
        """The source of the expression, shortened."""
        if self._text is None:
            self._text = self._shown()
        return self._text

    def _shown(self) -> str:
        if self.entry is not None:
            text = f"{self.entry.key}: {self.entry.text}" if self.entry.text else self.entry.key
            return _shortened(text)
        expr = self.expr
        if isinstance(expr, Synthetic):
            expr = expr.value
        part = ""
        if isinstance(expr, ast.Subscript) and isinstance(expr.value, ElementOf | AnyItem):
            # A part of any item: what is iterated over is not indexed itself.
            part, expr = f"[…][{ast.unparse(expr.slice)}]", expr.value.value
        try:
            return _shortened(f"{ast.unparse(expr)}{part}")
        except (ValueError, AttributeError, RecursionError):
            return ""

    @property
    def inputs(self) -> tuple[Edge, ...]:
        """The nodes that this one's value is made of, each with its role."""
        if self._inputs is None:
            self._inputs = self.engine.inputs_of(self)
        return self._inputs

    @property
    def values(self) -> tuple[Value, ...]:
        """What the expression may stand for (at most six); empty when nothing is known."""
        queries = self.engine.queries
        if self._known is None:
            key = ("values", id(self))
            place = self._place if self.work is None else None
            values: tuple[Value, ...] = queries.ask(key, lambda: self.engine.values_of(self), place)
            self._known = queries.known(key)
            return values
        queries.note_completeness(self._known[1])
        return self._known[0]

    def _place(self) -> tuple[object, ...]:
        """Return where the expression stands, and the calls that led there."""
        expr = self.expr
        calls = []
        at: Context | None = self.context
        while at is not None:
            calls.append((at.scope.file, at.scope.line, at.scope.name))
            at = at.caller
        end = (getattr(expr, "end_lineno", None) or 0, getattr(expr, "end_col_offset", None) or 0)
        start = (self.file, self.line, getattr(expr, "col_offset", 0))
        return (*start, *end, type(expr).__name__, calls)

    @property
    def complete(self) -> bool:
        """Whether no limit cut short what is known of the values."""
        return bool(self.values is not None and self._known is not None and self._known[1])

    def stand_for(self, values: tuple[Value, ...], inputs: tuple[Edge, ...] | None = None) -> Node:
        """Say what a node stands for that no expression of the program tells; return it."""
        self._known = (values, True)
        if inputs is not None:
            self._inputs = inputs
        return self

    def derive(self, work: Callable[[], list[Value]], lists: Callable[[], list[Edge]]) -> None:
        """Say how values and inputs are worked out that the expression does not tell."""
        self.work, self.lists = work, lists

    @property
    def constant(self) -> Const | None:
        """The one scalar that the expression stands for, or None."""
        constants = [v for v in self.values if isinstance(v, Const)]
        if len(constants) == 1 and len(self.values) == 1:
            return constants[0]
        return None

    @property
    def constants(self) -> tuple[Const, ...]:
        """All scalars that the expression may stand for."""
        return tuple(v for v in self.values if isinstance(v, Const))


def kind_of(expr: ast.expr) -> StepKind:
    """Return what kind of step an expression is, from its syntax alone."""
    if isinstance(expr, ast.Subscript):
        return StepKind.SLICING if _has_slice(expr.slice) else StepKind.INDEXING
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.operand, ast.Constant):
        return StepKind.LITERAL
    return KINDS.get(type(expr), StepKind.OTHER)


def _has_slice(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, ast.Slice) for part in parts)


KINDS: dict[type[ast.expr], StepKind] = {
    ast.Constant: StepKind.LITERAL,
    ast.Name: StepKind.NAME,
    ast.Attribute: StepKind.ATTRIBUTE,
    ast.BinOp: StepKind.ARITHMETIC,
    ast.UnaryOp: StepKind.ARITHMETIC,
    ast.Call: StepKind.CALL,
    ast.List: StepKind.CONTAINER,
    ast.Tuple: StepKind.CONTAINER,
    ast.Set: StepKind.CONTAINER,
    ast.Dict: StepKind.CONTAINER,
    ast.ListComp: StepKind.CONTAINER,
    ast.DictComp: StepKind.CONTAINER,
    ast.GeneratorExp: StepKind.CONTAINER,
    ast.IfExp: StepKind.CHOICE,
    ast.BoolOp: StepKind.CHOICE,
    ast.Compare: StepKind.CHOICE,
    ast.JoinedStr: StepKind.TEXT,
}


@dataclass(frozen=True, slots=True)
class Change:
    """One change of an object: ``how`` as in `Binding`, the key it goes under, what is put in."""

    how: str
    key: Node | None
    value: Node


def union(nodes: list[Node]) -> list[Value]:
    """Return what several nodes may stand for, each value once."""
    values: list[Value] = []
    for node in nodes:
        for value in node.values:
            if value not in values:
                values.append(value)
    return values


def combined(nodes: list[Node], values: list[Value], changes: list[Change]) -> list[Value]:
    """Return what an object may stand for that ``nodes`` make and that changed afterwards."""
    changes = [c for c in changes if c.how in {"store", "join", "grow"}]
    if not changes:
        return values
    lists = [v for v in values if isinstance(v, Items)]
    tables = any(
        isinstance(v, (Mapping, Config)) or (isinstance(v, LibraryObject) and v.is_table)
        for v in values
    )
    if lists and not tables:
        grown: list[Node] = [n for items in lists for n in items.items]
        for change in changes:
            inner = [v for v in change.value.values if isinstance(v, Items)]
            grown.extend(inner[0].items if change.how == "join" and inner else [change.value])
        whole = Items(tuple(grown[-MAX_WRITTEN_OUT:]), complete=False)
        return [whole, *(v for v in values if not isinstance(v, (Items, Const)))]
    stored = [c for c in changes if c.how != "grow"]
    if stored and (tables or not values):
        pairs = [(c.key, c.value) for c in reversed(stored)]
        return [Mapping((*pairs, *((None, n) for n in nodes)))]
    return values
