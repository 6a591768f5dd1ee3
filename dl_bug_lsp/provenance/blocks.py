"""Blocks of a config that name a class or function: each is a call of it, with named arguments.

``_target_: a.b.Net`` (hydra), ``dict(type='Net', …)`` (mmengine), ``!new:a.b.Net`` (hyperpyyaml),
``class_path: a.b.Net`` with ``init_args`` (jsonargparse), ``name: net`` for what a registry keeps.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.nodes import (
    Class,
    Config,
    Context,
    Edge,
    Function,
    Instance,
    LibraryObject,
    Mapping,
    Node,
    Value,
)
from dl_bug_lsp.provenance.scopes import Scope

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

NAMING = ("_target_", "type", "class_path", "target", "_component_", "class_name", "cls", "class",
          "name", "arch", "model_type", "model_name", "architecture")  # fmt: skip
"""Keys whose value names what a block stands for, the plainest first."""
ARGUMENTS = ("init_args", "params", "kwargs", "args", "arguments", "config")
"""Keys of a table below a block that holds the arguments."""
OF_BLOCKS = ("_partial_", "_recursive_", "_convert_", "_args_")
TAGS = ("!new:", "!name:", "!apply:")
MAX_BLOCKS = 2_000
MAX_SITES = 3
BUILDERS = (
    *("instantiate", "build", "build_from_cfg", "from_cfg", "from_config", "call", "create"),
    *("instantiate_from_config", "get_class", "build_model_from_cfg", "load_hyperpyyaml"),
)
"""Last names of functions that make an object of a block."""


def name_in(engine: Engine, table: Node) -> str:
    """Return the class or function that a table names, as it is written; empty for none."""
    if table.entry is not None and table.entry.text.startswith(TAGS):
        return table.entry.text.partition(":")[2].partition(" ")[0]
    for key in NAMING:
        for node in objects.member(engine, table, key)[:1]:
            constant = node.constant
            if constant is not None and isinstance(constant.value, str) and constant.value:
                return constant.value
            for value in node.values[:1]:
                if isinstance(value, (Class, Function)):
                    return value.scope.name
    return ""


def is_table(node: Node) -> bool:
    """Whether a node stands for a table."""
    return any(
        isinstance(v, (Config, Mapping))
        or (isinstance(v, LibraryObject) and v.name == "builtins.dict")
        for v in node.values
    )


def arguments_of(engine: Engine, table: Node) -> Node:
    """Return the table that holds a block's arguments: the block itself, or one below it."""
    for key in ARGUMENTS:
        for node in objects.member(engine, table, key)[:1]:
            if is_table(node):
                return node
    return table


def named(scope: Scope, name: str) -> bool:
    """Whether a block's name means a class or function: its last part, or as registered."""
    own = scope.name.rpartition(".")[2]
    if name.replace("::", ".").replace("/", ".").rpartition(".")[2] == own:
        return True
    return name in registered(scope)


def registered(scope: Scope) -> tuple[str, ...]:
    """Return the names that decorators register a class or function under."""
    names: list[str] = []
    for call in getattr(scope.node, "decorator_list", ()):
        for argument in (
            [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
        ):
            for item in (
                argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
            ):
                value = item.value if isinstance(item, ast.Constant) else None
                names.extend([value] if isinstance(value, str) else [])
    return tuple(names)


def fields_of(cls: Scope) -> list[str]:
    """Return the annotated names of a class body: a dataclass's fields."""
    return [
        s.target.id
        for s in getattr(cls.node, "body", ())
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    ]


class Blocks:
    """The blocks of the run's configs, by the last part of the names in them."""

    def __init__(self, engine: Engine, tables: Iterator[Node]) -> None:
        self.engine = engine
        self.all: list[tuple[str, Node]] = []
        self._by_name: dict[str, list[Node]] = {}
        self._made: dict[int, Node] = {}
        self._known: dict[int, Instance | None] = {}
        for table in tables:
            if len(self.all) >= MAX_BLOCKS:
                break
            name = name_in(engine, table)
            if name:
                self.all.append((name, table))
                for key in {name, name.rpartition(".")[2]}:
                    self._by_name.setdefault(key, []).append(table)

    def of(self, scope: Scope) -> list[Node]:
        """Return the tables that name a class or function."""
        names = (scope.name.rpartition(".")[2], *registered(scope))
        tables = dict.fromkeys(t for name in names for t in self._by_name.get(name, ()))
        return list(tables)

    def arguments(self, scope: Scope) -> list[dict[str, Node]]:
        """Return what each block gives for the parameters of a function or constructor."""
        owner = scope.owner
        if owner is not None and scope.name.rpartition(".")[2] != "__init__":
            return []
        tables = self.of(owner if owner is not None else scope)
        return [self._bound(scope, table) for table in tables[:MAX_SITES]]

    def _bound(self, scope: Scope, table: Node) -> dict[str, Node]:
        return self._given(table, [parameter.arg for parameter in scope.parameters()])

    def _given(self, table: Node, names: list[str]) -> dict[str, Node]:
        inner = arguments_of(self.engine, table)
        bound: dict[str, Node] = {}
        for name in names:
            members = objects.member(self.engine, inner, name)
            if not members and inner is not table:
                members = objects.member(self.engine, table, name)
            for node in members[:1]:
                bound[name] = self.made(node)
        return bound

    def made(self, table: Node) -> Node:
        """Return a node that stands for what a block makes; the node itself where it names none."""
        node = self._made.get(id(table))
        if node is not None:
            return node
        name = name_in(self.engine, table) if is_table(table) else ""
        self._made[id(table)] = table
        if name:
            node = Node(self.engine, table.context, table.expr, table.entry, table.table)
            values = self.values(name, table, node)
            if values:
                node.stand_for(tuple(values), self._given_to(table))
                self._made[id(table)] = node
        return self._made[id(table)]

    def values(self, name: str, table: Node, node: Node) -> list[Value]:
        """Return what a block stands for when it is built."""
        classes = [s for s in self._scopes(name, table) if s.is_class]
        if not classes:
            partial = any(
                c.value is True
                for n in objects.member(self.engine, table, "_partial_")
                for c in n.constants
            )
            return [LibraryObject(name, node)] if "." in name or partial else []
        return [self.instance(cls, table, node) for cls in classes[:1]]

    def instance(self, cls: Scope, table: Node, node: Node) -> Instance:
        """Return the object of a workspace class that a block makes."""
        init = objects.find_method(self.engine, cls, "__init__")
        scope = init if init is not None else cls
        if init is None:
            bound = self._given(table, fields_of(cls))
        else:
            bound = self._bound(init, table)
            for parameter in init.parameters()[:1]:
                bound[parameter.arg] = node
        closure = objects.class_closure(self.engine, scope) if init is not None else None
        return Instance(cls, node, Context(scope, bound, closure, 1))

    def known_instance(self, cls: Scope) -> Instance | None:
        """Return the object that the first block naming a class makes, None without a block."""
        if id(cls) not in self._known:
            self._known[id(cls)] = self._first_instance(cls)
        return self._known[id(cls)]

    def _first_instance(self, cls: Scope) -> Instance | None:
        for table in self.of(cls)[:1]:
            node = Node(self.engine, table.context, table.expr, table.entry, table.table)
            instance = self.instance(cls, table, node)
            node.stand_for((instance,), self._given_to(table))
            self._made[id(table)] = node
            return instance
        return None

    def _given_to(self, table: Node) -> tuple[Edge, ...]:
        """Return the inputs of a block but for the keys that only say what it is."""
        return tuple(
            edge
            for edge in table.inputs
            if edge[1].entry is None or edge[1].entry.key not in (*NAMING[:4], *OF_BLOCKS)
        )

    def _scopes(self, name: str, table: Node) -> list[Scope]:
        """Return the workspace classes that a written name means: by module, else by name alone."""
        module, _, last = name.replace("::", ".").rpartition(".")
        engine = self.engine
        if module:
            home = engine.program.imported(engine.configuration.home, module)
            for scope in [home] if home is not None else []:
                if last in scope.classes:
                    return [scope.classes[last]]
                values = engine.node(_name(engine, last, scope), engine.open_context(scope)).values
                classes = [v.scope for v in values if isinstance(v, Class)]
                if classes:
                    return classes
        return [
            cls
            for scope in engine.program.all_modules()
            for cls in scope.classes.values()
            if named(cls, name) or name in registered(cls)
        ][:1]


def _name(engine: Engine, name: str, scope: Scope) -> ast.Name:
    probe = ast.Name(id=name, ctx=ast.Load(), lineno=1 << 30, col_offset=0)
    engine.keep.append(probe)
    return probe


def built(engine: Engine, callee: str, arguments: list[Node]) -> list[Value]:
    """Return what a call makes of the block that it is given, nothing where it is given none."""
    if callee.rpartition(".")[2] not in BUILDERS:
        return []
    for table in arguments[:2]:
        node = engine.configuration.blocks.made(table)
        if node is not table:
            return list(node.values)
    return []
