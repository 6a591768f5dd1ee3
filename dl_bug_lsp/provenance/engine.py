"""Demand-driven evaluation: what an expression stands for, and what it came from.

Nothing is run. A `Node` is an expression in a context (which call led there); its ``inputs`` are
the nodes that its value is made of, its ``values`` what it may stand for. Both are computed when
asked for and remembered, so that a slice costs only what it visits.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeVar

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.provenance import calls, changes, configuration, evaluation, known_calls, names
from dl_bug_lsp.provenance import dependencies as inputs
from dl_bug_lsp.provenance.config_composition import Settings
from dl_bug_lsp.provenance.configuration import Configuration
from dl_bug_lsp.provenance.launches import NO_RUN, Run, run_of
from dl_bug_lsp.provenance.nodes import (
    MAX_ALTERNATIVES,
    MAX_NODES,
    Context,
    Edge,
    Instance,
    Node,
    StepKind,
    Value,
    union,
)
from dl_bug_lsp.provenance.program import Program
from dl_bug_lsp.provenance.queries import Queries
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.provenance.written_files import from_originals
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import ConfigEntry

__all__ = ["Edge", "Engine", "Node"]
T = TypeVar("T")


class Engine:
    """Makes nodes and answers what they stand for; holds every memo of one localization."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.program = Program(workspace)
        self.nodes: dict[tuple[int, int], Node] = {}
        self.contexts: dict[tuple[int, ...], Context] = {}
        self._entries: dict[tuple[str, tuple[str | int, ...]], Node] = {}
        self.keep: list[object] = []
        self._settings: dict[str, Settings] = {}
        self.written: dict[str, list[Node]] = {}
        self._told: tuple[Iterable[str], tuple[str, ...]] | None = None
        self.queries = Queries()
        self.instances: dict[int, list[Instance]] = {}
        self.entries: dict[int, list[Context]] = {}
        self._made: dict[tuple[object, ...], ast.expr] = {}
        self._unwritten: set[int] = set()
        self._derived: dict[tuple[object, ...], Node] = {}

    def node(self, expr: ast.expr, context: Context) -> Node:
        """Return the node of an expression in a context, always the same one."""
        key = (id(expr), id(context))
        node = self.nodes.get(key)
        if node is None:
            checkpoint()
            node = self.nodes[key] = Node(self, context, expr)
            self.keep.append((expr, context))
        return node

    def config_node(self, entry: ConfigEntry, context: Context, table: str = "") -> Node:
        """Return a node that stands for an entry of a config file, or of composed ``table``."""
        table = table or entry.file
        key = (table, entry.path)
        node = self._entries.get(key)
        if node is None:
            literal = ast.Constant(value=entry.value, lineno=entry.line, col_offset=0)
            node = self._entries[key] = Node(self, context, literal, entry, table)
        return node

    def made(self, key: tuple[object, ...], make: Callable[[], ast.expr]) -> ast.expr:
        """Return an expression that no program writes, always the same one for a key."""
        expression = self._made.get(key)
        if expression is None:
            expression = self._made[key] = make()
            self._unwritten.add(id(expression))
        return expression

    def is_written(self, expression: ast.expr) -> bool:
        """Say whether an expression stands in the program: it was not put there by `made`."""
        return id(expression) not in self._unwritten

    def derived(
        self,
        key: tuple[object, ...],
        like: Node,
        nodes: Callable[[], list[Node]],
        values: Callable[[], list[Value]] | None = None,
        role: str = "definition",
    ) -> Node:
        """Return a node that stands for others, which are looked up when it is asked.

        It is shown as ``like``. ``values`` says what it stands for where that is not what the
        ``nodes`` stand for.
        """
        derived = self._derived.get(key)
        if derived is None:
            derived = self._derived[key] = Node(
                self, like.context, like.expr, like.entry, like.table
            )
            derived.kind = StepKind.OTHER
            work = values or (lambda: union(nodes()))

            def lists() -> list[Edge]:
                return [(role, n) for n in nodes() if n is not derived] or [("base", like)]

            derived.derive(work, lists)
        return derived

    def open_context(self, scope: Scope) -> Context:
        """Return the context of a scope whose caller is not known."""
        key = (id(scope), 0)
        context = self.contexts.get(key)
        if context is None:
            outer = self.open_context(scope.parent) if scope.parent is not None else None
            context = self.contexts[key] = Context(scope, None, outer)
        return context

    def settings(self, file: str) -> Settings:
        """Return the entries of a config file, or of composed settings, by path."""
        settings = self._settings.get(file)
        if settings is None:
            entries = from_originals(self.workspace, self.workspace.config_entries(file))
            settings = self._settings[file] = Settings(entries)
        return settings

    def started(self, lines: Iterable[str], frames: tuple[str, ...]) -> None:
        """Say what a log tells of the run: its lines, and the files of its frames, outermost first.

        It is looked at when first asked for.
        """
        self._told = (lines, frames)

    @cached_property
    def run(self) -> Run:
        """How the failing program was started, as far as log and workspace tell."""
        if self._told is None:
            return NO_RUN
        lines, frames = self._told
        return run_of(self.workspace, tuple(lines), frames)

    @cached_property
    def configuration(self) -> Configuration:
        """The configs of the run, and what they name."""
        return Configuration(self)

    def ask(self, kind: str, *key: object, work: Callable[[], list[T]]) -> list[T]:
        """Answer a question that may lead back to itself; see `queries`."""
        return list(self.queries.ask((kind, *key), lambda: tuple(work())))

    @property
    def limits(self) -> frozenset[str]:
        """The limits that cut something short so far.

        "nodes", "work" and "nesting" end the evaluation early, "rounds" a circle that does not
        come to an end, "callers" what many places call, "steps" a slice, unless it is to be short.
        """
        return frozenset(self.queries.limits)

    @property
    def exhausted(self) -> bool:
        """Whether the budget of nodes is spent."""
        return len(self.nodes) > MAX_NODES

    def values_of(self, node: Node) -> tuple[Value, ...]:
        """Compute what a node stands for; use `Node.values`."""
        if node.work is not None:
            return tuple(node.work()[:MAX_ALTERNATIVES])
        if node.entry is not None:
            return tuple(configuration.entry_values(self, node, node.entry)[:MAX_ALTERNATIVES])
        evaluate = evaluation.VALUES.get(type(node.expr))
        if evaluate is None:
            return ()
        if self.exhausted:
            self.queries.cut("nodes")
            return ()
        return tuple(evaluate(self, node, node.expr)[:MAX_ALTERNATIVES])

    def inputs_of(self, node: Node) -> tuple[Edge, ...]:
        """Compute the nodes that a node's value is made of; use `Node.inputs`."""
        if node.lists is not None:
            return tuple(node.lists())
        if self.exhausted:
            return ()
        if node.entry is not None:
            return tuple(configuration.entry_inputs(self, node, node.entry))
        list_inputs = inputs.INPUTS.get(type(node.expr), inputs.children)
        return tuple(list_inputs(self, node, node.expr))

    # What modules ask of those in higher layers: functions, which take the engine first.
    callables = calls.callables
    construct = calls.construct
    enter = calls.enter
    returns = calls.returns
    elements = known_calls.elements
    local = names.local
    lookup = names.lookup
    defined = names.defined
    module_nodes = names.module_nodes
    changes_of_name = changes.of_name
    changes_of_attribute = changes.of_attribute
    changes_outside = changes.outside
    changes_of_environment = changes.of_environment
    changes_of_options = changes.of_options
    set_by_name = changes.set_by_name
