"""Nodes: an expression in a context, with what it may stand for and what it is made of."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance.scopes import Synthetic
from dl_bug_lsp.provenance.values import Const, Context, StepKind, Value
from dl_bug_lsp.workspace.values import ConfigEntry

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

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
            told = f"{self.entry.key}: {self.entry.text}" if self.entry.text else self.entry.key
            return _shortened(told)
        expr = self.expr
        if isinstance(expr, Synthetic):
            expr = expr.value
        try:
            return _shortened(ast.unparse(expr))
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
            found: tuple[Value, ...] = queries.ask(key, lambda: self.engine.values_of(self), place)
            self._known = queries.known(key)
            return found
        queries.lean_on(self._known[1])
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
