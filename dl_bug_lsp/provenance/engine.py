"""Demand-driven evaluation: what an expression stands for, and which expressions it came from.

Nothing is run. A `Node` is an expression in a context (which call led there); its ``inputs`` are the
nodes that its value is made of, its ``values`` what it may stand for. Both are computed when asked
for and remembered, so that a slice costs only what it visits.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from dl_bug_lsp.provenance import known_calls
from dl_bug_lsp.provenance.program import AnyItem, Binding, ElementOf, Entered, Program, Scope, dotted_name
from dl_bug_lsp.provenance.values import (
    Class,
    Config,
    Const,
    Context,
    Function,
    Instance,
    Items,
    Library,
    LibraryObject,
    Mapping,
    Module,
    Parsed,
    StepKind,
    Value,
)
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.values import ConfigEntry

MAX_ALTERNATIVES = 6
MAX_DEPTH = 24
MAX_CALLERS = 6
MAX_NODES = 30_000
MAX_NESTING = 60
MAX_WRITTEN_OUT = 12

Edge = tuple[str, "Node"]

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}

CALL_METHODS = ("forward", "__call__", "call")
USED_METHODS = (
    "forward",
    "call",
    "__call__",
    "__getitem__",
    "__iter__",
    "__len__",
    "training_step",
    "validation_step",
    "configure_optimizers",
    "setup",
    "train_dataloader",
    "val_dataloader",
    "collate_fn",
)
"""Methods that frameworks call on objects that are handed to them."""


class Node:
    """An expression in a context, or an entry of a config file.

    ``line`` is 1-based; ``kind`` says what the step does with the value.
    """

    __slots__ = ("_inputs", "_values", "context", "engine", "entry", "expr", "file", "kind", "line")

    def __init__(
        self,
        engine: Engine,
        context: Context,
        expr: ast.expr,
        entry: ConfigEntry | None = None,
    ) -> None:
        self.engine = engine
        self.context = context
        self.expr = expr
        self.entry = entry
        self.file = entry.file if entry else context.scope.file
        self.line = entry.line if entry else getattr(expr, "lineno", 0)
        self.kind = StepKind.CONFIG if entry else engine.kind_of(expr)
        self._inputs: tuple[Edge, ...] | None = None
        self._values: tuple[Value, ...] | None = None

    @property
    def text(self) -> str:
        """The source of the expression, shortened."""
        if self.entry is not None:
            return f"{self.entry.key}: {self.entry.text}"[:80]
        expr = self.expr
        if isinstance(expr, (ElementOf, Entered, AnyItem)):
            expr = expr.value
        try:
            return ast.unparse(expr)[:80]
        except (ValueError, AttributeError, RecursionError):
            return ""

    @property
    def inputs(self) -> tuple[Edge, ...]:
        """The nodes that this one's value is made of, each with its role."""
        if self._inputs is None:
            self._inputs = ()
            self._inputs = self.engine.inputs_of(self)
        return self._inputs

    @property
    def values(self) -> tuple[Value, ...]:
        """What the expression may stand for (at most six); empty when nothing is known."""
        if self._values is None:
            self._values = ()
            self._values = self.engine.values_of(self)
        return self._values

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


class Engine:
    """Makes nodes and answers what they stand for; holds every memo of one localization."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.program = Program(workspace)
        self._nodes: dict[tuple[int, int], Node] = {}
        self._contexts: dict[tuple[int, int], Context] = {}
        self._entries: dict[tuple[str, tuple[str | int, ...]], Node] = {}
        self._keep: list[object] = []
        self._nesting = 0

    # ------------------------------------------------------------------ making nodes
    def node(self, expr: ast.expr, context: Context) -> Node:
        """Return the node of an expression in a context, always the same one."""
        key = (id(expr), id(context))
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = Node(self, context, expr)
            self._keep.append((expr, context))
        return found

    def config_node(self, entry: ConfigEntry, context: Context) -> Node:
        """Return a node that stands for an entry of a config file."""
        key = (entry.file, entry.path)
        found = self._entries.get(key)
        if found is None:
            literal = ast.Constant(value=entry.value, lineno=entry.line, col_offset=0)
            found = self._entries[key] = Node(self, context, literal, entry)
        return found

    def open_context(self, scope: Scope) -> Context:
        """Return the context of a scope whose caller is not known."""
        key = (id(scope), 0)
        found = self._contexts.get(key)
        if found is None:
            outer = self.open_context(scope.parent) if scope.parent is not None else None
            found = self._contexts[key] = Context(scope, None, outer)
        return found

    @property
    def exhausted(self) -> bool:
        """Whether the budget of nodes is spent."""
        return len(self._nodes) > MAX_NODES

    def kind_of(self, expr: ast.expr) -> StepKind:
        """Return what kind of step an expression is, from its syntax alone."""
        if isinstance(expr, ast.Subscript):
            return StepKind.SLICING if _has_slice(expr.slice) else StepKind.INDEXING
        if isinstance(expr, ast.UnaryOp) and isinstance(expr.operand, ast.Constant):
            return StepKind.LITERAL
        return KINDS.get(type(expr), StepKind.OTHER)

    # ------------------------------------------------------------------ names
    def lookup(self, name: str, context: Context, line: int) -> list[Node]:
        """Return the nodes that a (dotted) name may stand for at a line of a context's scope."""
        at: Context | None = context
        first = True
        while at is not None:
            scope = at.scope
            if not (scope.is_class and not first):
                found = self._local(name, at, line if first else 1 << 30)
                if found is not None:
                    return found
            first = False
            at = at.outer
        return []

    def _local(self, name: str, context: Context, line: int) -> list[Node] | None:
        scope = context.scope
        if name in context.extra:
            return [context.extra[name]]
        reaching = self._reaching(scope, name, line)
        is_parameter = any(p.arg == name for p in scope.parameters())
        nodes = [self.node(b.value, context) for b in reaching]
        killed = any(not b.mutates and not b.blocks for b in reaching)
        if is_parameter and not killed:
            nodes = [*self.parameter(name, context), *nodes]
        if nodes or is_parameter:
            return nodes[:MAX_ALTERNATIVES]
        return None

    def _reaching(self, scope: Scope, name: str, line: int) -> list[Binding]:
        """Return the bindings that may reach ``line``, the one that counts most first."""
        bindings = scope.bindings.get(name)
        if not bindings:
            return []
        loops = _blocks_at(scope, line)
        before = [b for b in bindings if b.line < line]
        same = [b for b in bindings if b.line == line and b.blocks and b.loops != b.blocks]
        later = [b for b in bindings if b.line >= line and set(b.loops) & set(loops[1])]
        if scope.is_module and not before:
            before = bindings
        found: list[Binding] = []
        for binding in reversed(before):
            found.append(binding)
            if not binding.mutates and set(binding.blocks) <= set(loops[0]):
                break
        found.extend(b for b in (*later, *same) if b not in found)
        if not found and line >= 1 << 30:
            found = list(reversed(bindings))
        return found[:MAX_ALTERNATIVES]

    def parameter(self, name: str, context: Context) -> list[Node]:
        """Return what a parameter stands for: its argument, all callers' arguments, its default."""
        if context.bindings is not None:
            bound = context.bindings.get(name)
            if bound is not None:
                return [bound]
        scope = context.scope
        default = scope.default_of(name)
        nodes = []
        if context.bindings is None and context.depth < MAX_DEPTH:
            nodes = self._callers_arguments(name, scope)
        if default is not None:
            outer = context.outer or self.open_context(scope)
            nodes.append(self.node(default, outer))
        return nodes

    def _callers_arguments(self, name: str, scope: Scope) -> list[Node]:
        short = scope.name.rpartition(".")[2]
        owner = scope.owner
        if owner is not None and short == "__init__":
            short = owner.name.rpartition(".")[2]
        nodes: list[Node] = []
        callers = self.program.callers(short)
        if owner is not None and short in CALL_METHODS:
            callers = self.program.calls_of_instances(owner.name.rpartition(".")[2])
        if len(callers) > 4 * MAX_CALLERS:
            return []
        for caller, call in callers:
            bound = self.bind(scope, call, self.open_context(caller), owner is not None)
            if name in bound and bound[name] not in nodes:
                nodes.append(bound[name])
            if len(nodes) >= MAX_CALLERS:
                break
        return nodes

    # ------------------------------------------------------------------ calls
    def bind(self, scope: Scope, call: ast.Call, context: Context, method: bool) -> dict[str, Node]:
        """Bind a call's arguments to a function's parameters (PEP 570 and 3102 rules, no errors)."""
        parameters = scope.parameters()
        if method and parameters and "staticmethod" not in scope.decorators():
            parameters = parameters[1:]
        args = getattr(scope.node, "args", None)
        positional = parameters
        if args is not None:
            keyword_only = {a.arg for a in args.kwonlyargs}
            positional = [p for p in parameters if p.arg not in keyword_only]
        bound: dict[str, Node] = {}
        index = 0
        for arg in call.args:
            if isinstance(arg, ast.Starred):
                self._bind_starred(arg, positional[index:], context, bound)
                break
            if index < len(positional):
                bound[positional[index].arg] = self.node(arg, context)
            index += 1
        names = {p.arg for p in parameters}
        for keyword in call.keywords:
            value = self.node(keyword.value, context)
            if keyword.arg is None:
                self._bind_table(value, names, bound)
            elif keyword.arg in names:
                bound[keyword.arg] = value
        return bound

    def _bind_starred(
        self, arg: ast.Starred, parameters: list[ast.arg], context: Context, bound: dict[str, Node]
    ) -> None:
        node = self.node(arg.value, context)
        items = next((v for v in node.values if isinstance(v, Items)), None)
        for index, parameter in enumerate(parameters):
            if items is not None and index < len(items.items):
                bound[parameter.arg] = items.items[index]
            elif items is None:
                bound[parameter.arg] = node

    def _bind_table(self, table: Node, names: set[str], bound: dict[str, Node]) -> None:
        for name in sorted(names - bound.keys()):
            found = self.member(table, name)
            if found:
                bound[name] = found[0]

    def enter(self, function: Function, call: ast.Call | None, context: Context) -> Context:
        """Return the context of a function's body for one call of it."""
        scope = function.scope
        key = (id(scope), id(call) ^ (id(context) << 1) if call is not None else 0)
        if call is None:
            return self.open_context(scope)
        found = self._contexts.get(key)
        if found is not None:
            return found
        if context.depth >= MAX_DEPTH or self.exhausted:
            return self.open_context(scope)
        bound = self.bind(scope, call, context, function.receiver is not None)
        parameters = scope.parameters()
        if function.receiver is not None and parameters:
            bound[parameters[0].arg] = function.receiver
        entered = Context(scope, bound, function.closure, context.depth + 1)
        self._contexts[key] = entered
        self._keep.append((call, context))
        return entered

    def returns(self, function: Function, call: ast.Call | None, context: Context) -> list[Node]:
        """Return the nodes of what a call of a workspace function gives back."""
        entered = self.enter(function, call, context)
        scope = function.scope
        return [self.node(e, entered) for e in (scope.returns or scope.yields)]

    def many(self, source: Node | None) -> Node | None:
        """Return a node that stands for a list of what iterating over ``source`` gives."""
        if source is None:
            return None
        key = (id(source), -1)
        found = self._nodes.get(key)
        if found is None:
            found = Node(self, source.context, source.expr)
            items = tuple(self.elements_of(source))
            found._values = (Items(items, complete=False),) if items else ()
            found._inputs = tuple(("item", item) for item in items)
            self._nodes[key] = found
        return found

    def returns_for(self, function: Function, first: Node | None) -> list[Node]:
        """Return what a function gives back when a library calls it with one argument."""
        scope = function.scope
        parameters = [p.arg for p in scope.parameters()]
        bound: dict[str, Node] = {}
        if function.receiver is not None and parameters:
            bound[parameters.pop(0)] = function.receiver
        if first is None or not parameters:
            return self.returns(function, None, function.closure)
        key = (id(scope), id(first))
        entered = self._contexts.get(key)
        if entered is None:
            bound[parameters[0]] = first
            entered = Context(scope, bound, function.closure, function.closure.depth + 1)
            self._contexts[key] = entered
        return [self.node(e, entered) for e in (scope.returns or scope.yields)]

    def callables(self, node: Node) -> list[Function]:
        """Return the workspace functions that calling a node's value would run."""
        found: list[Function] = []
        for value in node.values:
            if isinstance(value, Function):
                found.append(value)
            elif isinstance(value, Instance):
                method = self._first_method(value, CALL_METHODS)
                if method is not None:
                    found.append(Function(method, value.built, self._class_closure(method)))
            elif isinstance(value, LibraryObject) and isinstance(value.call.expr, ast.Call):
                # jax.jit(f), partial(f, …), tf.function(f): calling the result calls f.
                for arg in value.call.expr.args[:1]:
                    inner = self.node(arg, value.call.context)
                    found.extend(v for v in inner.values if isinstance(v, Function))
        return found

    def _class_closure(self, method: Scope) -> Context:
        owner = method.parent
        return self.open_context(owner if owner is not None else method)

    def _first_method(self, instance: Instance, names: tuple[str, ...]) -> Scope | None:
        for name in names:
            method = self.method(instance.cls, name)
            if method is not None:
                return method
        return None

    def method(self, cls: Scope, name: str, seen: tuple[Scope, ...] = ()) -> Scope | None:
        """Find a method in a workspace class or its workspace bases."""
        if name in cls.functions:
            return cls.functions[name]
        for base in self.bases(cls):
            if base not in seen:
                found = self.method(base, name, (*seen, cls))
                if found is not None:
                    return found
        return None

    def bases(self, cls: Scope) -> list[Scope]:
        """Return the workspace classes that a class derives from."""
        found: list[Scope] = []
        context = self.open_context(cls.parent) if cls.parent else self.open_context(cls)
        for base in getattr(cls.node, "bases", []):
            values = self.node(base, context).values
            found.extend(v.scope for v in values if isinstance(v, Class))
        return found

    # ------------------------------------------------------------------ members
    def member(self, node: Node, key: str | int, *, mapping: bool = True) -> list[Node]:
        """Return the nodes that ``node[key]`` or ``node.key`` stands for."""
        found: list[Node] = []
        for value in node.values:
            if isinstance(value, Config):
                found.extend(self._config_member(value, key, node.context))
            elif isinstance(value, Mapping):
                for name, item in value.pairs:
                    if name is None:
                        found.extend(self.member(item, key))
                    elif any(c.value == key for c in name.constants):
                        found.append(item)
            elif isinstance(value, Items) and isinstance(key, int):
                if -len(value.items) <= key < len(value.items):
                    found.append(value.items[key])
                elif value.items and not value.complete:
                    found.append(value.items[0])
            elif isinstance(value, Parsed) and isinstance(key, str):
                if key in value.options:
                    found.append(value.options[key])
            elif isinstance(value, Instance) and isinstance(key, str):
                found.extend(self.attribute(value, key))
            elif isinstance(value, Instance):
                found.extend(self._called(value, ("__getitem__",), node.context))
            elif isinstance(value, LibraryObject) and known_calls.wraps_table(value.name):
                found.extend(self._wrapped_member(value, key))
        return found[:MAX_ALTERNATIVES]

    def _wrapped_member(self, value: LibraryObject, key: str | int) -> list[Node]:
        call = value.call.expr
        if not isinstance(call, ast.Call):
            return []
        for keyword in call.keywords:
            if keyword.arg == key:
                return [self.node(keyword.value, value.call.context)]
        tables = [k.value for k in call.keywords if k.arg is None] or call.args[:1]
        return [n for t in tables for n in self.member(self.node(t, value.call.context), key)]

    def _config_member(self, value: Config, key: str | int, context: Context) -> list[Node]:
        path = (*value.path, key)
        for entry in self.workspace.config_entries(value.file):
            if entry.path == path:
                return [self.config_node(entry, context)]
        return []

    def attribute(self, instance: Instance, name: str) -> list[Node]:
        """Return what an attribute of an instance stands for."""
        found: list[Node] = []
        for cls in self.lineage(instance.cls):
            for method, binding in cls.attributes.get(name, []):
                context = self._method_context(instance, cls, method)
                found.append(self.node(binding.value, context))
            if found:
                return found[:MAX_ALTERNATIVES]
            if name in cls.functions:
                method = cls.functions[name]
                bound = Function(method, instance.built, self._class_closure(method))
                if "property" in " ".join(method.decorators()):
                    return self.returns(bound, None, instance.context)
                return []
            for binding in cls.bindings.get(name, []):
                given = (instance.context.bindings or {}).get(name)
                if given is not None and "__init__" not in cls.functions:
                    return [given]
                found.append(self.node(binding.value, self.open_context(cls)))
            if found:
                return found[:MAX_ALTERNATIVES]
        given = (instance.context.bindings or {}).get(name)
        return [given] if given is not None else []

    def lineage(self, cls: Scope) -> list[Scope]:
        """Return a class and its workspace bases, depth first, each once."""
        found: list[Scope] = [cls]
        for current in found:
            found.extend(b for b in self.bases(current) if b not in found)
        return found

    def _method_context(self, instance: Instance, cls: Scope, method: Scope) -> Context:
        if method.name.endswith("__init__") and cls is instance.cls:
            return instance.context
        key = (id(method), id(instance.built))
        found = self._contexts.get(key)
        if found is None:
            found = Context(method, None, self._class_closure(method), instance.context.depth + 1)
            parameters = method.parameters()
            if parameters:
                found.extra[parameters[0].arg] = instance.built
            self._contexts[key] = found
        return found

    def enter_method(self, instance: Instance, method: Scope) -> Context:
        """Return the context of a method that someone unknown calls on a known instance."""
        return self._method_context(instance, instance.cls, method)

    def _called(self, instance: Instance, names: tuple[str, ...], context: Context) -> list[Node]:
        method = self._first_method(instance, names)
        if method is None:
            return []
        entered = self._method_context(instance, instance.cls, method)
        return [self.node(e, entered) for e in (method.returns or method.yields)]

    # ------------------------------------------------------------------ values
    def values_of(self, node: Node) -> tuple[Value, ...]:
        """Compute what a node stands for; use `Node.values`."""
        if node.entry is not None:
            entry = node.entry
            if entry.length is None:
                return (Const(entry.value),)
            return (Config(entry.file, entry.path, entry),)
        if self._nesting > MAX_NESTING or self.exhausted:
            return ()
        self._nesting += 1
        try:
            return tuple(self._evaluate(node)[:MAX_ALTERNATIVES])
        finally:
            self._nesting -= 1

    def _evaluate(self, node: Node) -> list[Value]:
        expr = node.expr
        method = getattr(self, f"_value_{type(expr).__name__}", None)
        found: list[Value] = method(node, expr) if method is not None else []
        return found

    def _union(self, nodes: list[Node]) -> list[Value]:
        found: list[Value] = []
        for node in nodes:
            for value in node.values:
                if value not in found:
                    found.append(value)
        return found

    def _value_Constant(self, node: Node, expr: ast.Constant) -> list[Value]:
        value = expr.value
        if value is None or isinstance(value, (str, int, float, bool, bytes)):
            return [Const(value)]
        return []

    def _value_Name(self, node: Node, expr: ast.Name) -> list[Value]:
        nodes = self.lookup(expr.id, node.context, node.line)
        mutated = self._mutated_table(expr.id, node)
        if mutated is not None:
            return [mutated]
        if nodes:
            return self._union(nodes)
        return self._definition(expr.id, node)

    def _mutated_table(self, name: str, node: Node) -> Mapping | None:
        """Return a dict that is filled by ``name[key] = value`` statements, with all its pairs."""
        scope = node.context.scope
        bindings = scope.bindings.get(name, [])
        filled = [b for b in bindings if b.key is not None and b.line < node.line]
        if not filled:
            return None
        pairs: list[tuple[Node | None, Node]] = [
            (self.node(b.key, node.context), self.node(b.value, node.context))
            for b in filled
            if b.key is not None
        ]
        for binding in bindings:
            if not binding.mutates and binding.line < node.line:
                pairs.append((None, self.node(binding.value, node.context)))
        return Mapping(tuple(pairs))

    def _definition(self, name: str, node: Node) -> list[Value]:
        at: Context | None = node.context
        while at is not None:
            scope = at.scope
            if name in scope.functions:
                return [Function(scope.functions[name], None, at)]
            if name in scope.classes:
                return [Class(scope.classes[name])]
            if name in scope.imports:
                return self._import(scope, *scope.imports[name])
            at = at.outer
        return [Library(f"builtins.{name}")] if name in known_calls.BUILTINS else []

    def _import(self, scope: Scope, module: str, name: str | None) -> list[Value]:
        target = self.program.imported(scope, module)
        if name is None:
            return [Module(target)] if target is not None else [Library(module)]
        if target is None:
            inner = self.program.imported(
                scope, f"{module.rstrip('.')}.{name}" if module.strip(".") else module + name
            )
            if inner is not None:
                return [Module(inner)]
            return [Library(f"{module}.{name}")]
        found = self._module_member(target, name)
        if found:
            return found
        dotted = f"{module}.{name}" if module.strip(".") else module + name
        inner = self.program.imported(scope, dotted)
        return [Module(inner)] if inner is not None else []

    def _module_member(self, module: Scope, name: str) -> list[Value]:
        context = self.open_context(module)
        nodes = self.lookup(name, context, 1 << 30)
        if nodes:
            return self._union(nodes)
        probe = ast.Name(id=name, ctx=ast.Load(), lineno=1 << 30, col_offset=0)
        return [
            v
            for v in self._definition(name, Node(self, context, probe))
            if not (isinstance(v, Library) and v.name.startswith("builtins."))
        ]

    def _value_Attribute(self, node: Node, expr: ast.Attribute) -> list[Value]:
        dotted = dotted_name(expr)
        if dotted is not None:
            local = self._local(dotted, node.context, node.line)
            if local:
                return self._union(local)
        found: list[Value] = []
        base = self.node(expr.value, node.context)
        for value in base.values:
            if isinstance(value, Module):
                found.extend(self._module_member(value.scope, expr.attr))
            elif isinstance(value, Library):
                found.append(Library(f"{value.name}.{expr.attr}"))
            elif isinstance(value, Class):
                found.extend(self._class_member(value, expr.attr))
            elif isinstance(value, Instance):
                found.extend(self._instance_member(value, expr.attr))
            elif isinstance(value, LibraryObject):
                found.extend(self._library_member(value, expr.attr))
        found.extend(self._union(self._table_members(base, expr.attr)))
        if not base.values and isinstance(expr.value, ast.Name):
            found.extend(self._own_member(node, expr))
        return found

    def _table_members(self, base: Node, name: str) -> list[Node]:
        tables = [v for v in base.values if not isinstance(v, Instance)]
        return self.member(base, name) if tables and len(tables) == len(base.values) else []

    def _library_member(self, value: LibraryObject, name: str) -> list[Value]:
        return [Library(f"{value.name}().{name}")] if name != "shape" else []

    def _own_member(self, node: Node, expr: ast.Attribute) -> list[Value]:
        """Resolve ``self.name`` in a method whose instance is not known."""
        scope = node.context.scope
        owner = scope.owner
        if owner is None or not isinstance(expr.value, ast.Name):
            return []
        parameters = scope.parameters()
        if not parameters or parameters[0].arg != expr.value.id:
            return []
        return self._instance_member(self.unknown_instance(owner), expr.attr)

    def unknown_instance(self, cls: Scope) -> Instance:
        """Return an instance of a class: one that the workspace builds, else one of unknown making."""
        init = self.method(cls, "__init__")
        for caller, call in self.program.callers(cls.name.rpartition(".")[2])[:1]:
            built = self.node(call, self.open_context(caller))
            for value in built.values:
                if isinstance(value, Instance) and value.cls is cls:
                    return value
        probe = ast.Name(id=cls.name, ctx=ast.Load(), lineno=cls.line, col_offset=0)
        self._keep.append(probe)
        built = self.node(probe, self.open_context(cls))
        context = self.open_context(init) if init is not None else self.open_context(cls)
        instance = Instance(cls, built, context)
        built._values = (instance,)
        return instance

    def _class_member(self, value: Class, name: str) -> list[Value]:
        for cls in self.lineage(value.scope):
            if name in cls.functions:
                method = cls.functions[name]
                receiver = None
                if "classmethod" in method.decorators():
                    probe = ast.Name(id=cls.name, ctx=ast.Load(), lineno=cls.line, col_offset=0)
                    self._keep.append(probe)
                    receiver = self.node(probe, self.open_context(cls))
                    receiver._values = (value,)
                return [Function(method, receiver, self.open_context(cls))]
            nodes = self._local(name, self.open_context(cls), 1 << 30)
            if nodes:
                return self._union(nodes)
        return []

    def _instance_member(self, value: Instance, name: str) -> list[Value]:
        nodes = self.attribute(value, name)
        if nodes:
            return self._union(nodes)
        for cls in self.lineage(value.cls):
            if name in cls.functions:
                method = cls.functions[name]
                static = "staticmethod" in method.decorators()
                receiver = None if static else value.built
                return [Function(method, receiver, self.open_context(cls))]
        return []

    def _value_Subscript(self, node: Node, expr: ast.Subscript) -> list[Value]:
        return self._union(self._subscript_nodes(node, expr))

    def _subscript_nodes(self, node: Node, expr: ast.Subscript) -> list[Node]:
        base = self.node(expr.value, node.context)
        index = self.node(expr.slice, node.context)
        found: list[Node] = []
        for constant in index.constants:
            if isinstance(constant.value, (str, int)):
                found.extend(self.member(base, constant.value))
        if not found and not index.constants:
            for value in base.values:
                if isinstance(value, Items):
                    found.extend(value.items)
                elif isinstance(value, Mapping):
                    found.extend(item for _, item in value.pairs)
                elif isinstance(value, Instance):
                    found.extend(self._called(value, ("__getitem__",), node.context))
        return found[:MAX_ALTERNATIVES]

    def _value_BinOp(self, node: Node, expr: ast.BinOp) -> list[Value]:
        left, right = self.node(expr.left, node.context), self.node(expr.right, node.context)
        fold = BINARY.get(type(expr.op))
        found: list[Value] = []
        if fold is not None:
            for a in left.constants:
                for b in right.constants:
                    value = _folded(fold, a.value, b.value)
                    if value is not None and value not in found:
                        found.append(value)
        if not found and isinstance(expr.op, ast.Div):
            found.extend(known_calls.joined_path(left, right))
        if not found and isinstance(expr.op, ast.Add):
            lists = [v for side in (left, right) for v in side.values if isinstance(v, Items)]
            if len(lists) == 2:
                found.append(Items((*lists[0].items, *lists[1].items)))
        return found

    def _value_UnaryOp(self, node: Node, expr: ast.UnaryOp) -> list[Value]:
        operand = self.node(expr.operand, node.context)
        if isinstance(expr.op, ast.USub):
            return [
                Const(-c.value)
                for c in operand.constants
                if isinstance(c.value, (int, float)) and not isinstance(c.value, bool)
            ]
        return []

    def _value_IfExp(self, node: Node, expr: ast.IfExp) -> list[Value]:
        return self._union([self.node(e, node.context) for e in (expr.body, expr.orelse)])

    def _value_BoolOp(self, node: Node, expr: ast.BoolOp) -> list[Value]:
        return self._union([self.node(e, node.context) for e in expr.values])

    def _value_Await(self, node: Node, expr: ast.Await) -> list[Value]:
        return list(self.node(expr.value, node.context).values)

    def _value_NamedExpr(self, node: Node, expr: ast.NamedExpr) -> list[Value]:
        return list(self.node(expr.value, node.context).values)

    def _value_Starred(self, node: Node, expr: ast.Starred) -> list[Value]:
        return list(self.node(expr.value, node.context).values)

    def _value_JoinedStr(self, node: Node, expr: ast.JoinedStr) -> list[Value]:
        parts: list[str] = []
        for part in expr.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            constant = self.node(inner, node.context).constant
            if constant is None:
                return []
            parts.append(str(constant.value))
        return [Const("".join(parts))]

    def _value_Lambda(self, node: Node, expr: ast.Lambda) -> list[Value]:
        name = f"<lambda>:{expr.lineno}:{expr.col_offset}"
        scope = node.context.scope.functions.get(name)
        return [Function(scope, None, node.context)] if scope is not None else []

    def _sequence(self, node: Node, expr: ast.List | ast.Tuple | ast.Set) -> list[Value]:
        items: list[Node] = []
        complete = True
        for element in expr.elts:
            if isinstance(element, ast.Starred):
                inner = self.node(element.value, node.context)
                lists = [v for v in inner.values if isinstance(v, Items)]
                complete = complete and len(lists) == 1 and lists[0].complete
                items.extend(lists[0].items if lists else (inner,))
            else:
                items.append(self.node(element, node.context))
        return [Items(tuple(items), complete)]

    _value_List = _sequence
    _value_Tuple = _sequence
    _value_Set = _sequence

    def _comprehension(
        self, node: Node, expr: ast.ListComp | ast.SetComp | ast.GeneratorExp
    ) -> list[Value]:
        """Write a comprehension out where what it iterates over is written down."""
        generator = expr.generators[0]
        target = generator.target
        simple = len(expr.generators) == 1 and isinstance(target, ast.Name)
        source = self.node(generator.iter, node.context)
        lists = [v for v in source.values if isinstance(v, Items)]
        if simple and isinstance(target, ast.Name) and len(lists) == 1 and not generator.ifs:
            items = [
                self.node(expr.elt, self._with_name(node.context, target.id, item))
                for item in lists[0].items[:MAX_WRITTEN_OUT]
            ]
            complete = lists[0].complete and len(items) == len(lists[0].items)
            return [Items(tuple(items), complete)]
        return [Items((self.node(expr.elt, node.context),), complete=False)]

    _value_ListComp = _comprehension
    _value_SetComp = _comprehension
    _value_GeneratorExp = _comprehension

    def _with_name(self, context: Context, name: str, item: Node) -> Context:
        key = (id(context), id(item))
        found = self._contexts.get(key)
        if found is None:
            extra = {**context.extra, name: item}
            found = Context(
                context.scope, context.bindings, context.outer, context.depth, extra
            )
            self._contexts[key] = found
        return found

    def _value_Dict(self, node: Node, expr: ast.Dict) -> list[Value]:
        pairs: list[tuple[Node | None, Node]] = [
            (None if key is None else self.node(key, node.context), self.node(value, node.context))
            for key, value in zip(expr.keys, expr.values, strict=True)
        ]
        return [Mapping(tuple(pairs))]

    def _value_ElementOf(self, node: Node, expr: ElementOf) -> list[Value]:
        return self._union(self.elements_of(self.node(expr.value, node.context)))

    def _value_AnyItem(self, node: Node, expr: AnyItem) -> list[Value]:
        return self._union(self._any_items(self.node(expr.value, node.context)))

    def _any_items(self, base: Node) -> list[Node]:
        found: list[Node] = []
        for value in base.values:
            if isinstance(value, Mapping):
                found.extend(item for _, item in value.pairs)
            elif isinstance(value, Config):
                found.extend(
                    self.config_node(e, base.context)
                    for e in self.workspace.config_entries(value.file)
                    if e.path[:-1] == value.path
                )
        return found[:MAX_ALTERNATIVES]

    def _inputs_AnyItem(self, node: Node, expr: AnyItem) -> list[Edge]:
        base = self.node(expr.value, node.context)
        return [*(("item", n) for n in self._any_items(base)), ("base", base)]

    def _value_Entered(self, node: Node, expr: Entered) -> list[Value]:
        return list(self.node(expr.value, node.context).values)

    def elements_of(self, node: Node) -> list[Node]:
        """Return the nodes that iterating over a node gives."""
        found: list[Node] = []
        for value in node.values:
            if isinstance(value, Items):
                found.extend(value.items)
            elif isinstance(value, Mapping):
                found.extend(name for name, _ in value.pairs if name is not None)
            elif isinstance(value, Instance):
                found.extend(self._called(value, ("__iter__", "__getitem__"), node.context))
            elif isinstance(value, Config) and value.entry is not None:
                for entry in self.workspace.config_entries(value.file):
                    if entry.path[:-1] == value.path:
                        found.append(self.config_node(entry, node.context))
            elif isinstance(value, LibraryObject):
                found.extend(known_calls.elements(self, value))
        return found[:MAX_ALTERNATIVES]

    def _value_Call(self, node: Node, expr: ast.Call) -> list[Value]:
        callee = self.node(expr.func, node.context)
        found: list[Value] = []
        for value in callee.values:
            if isinstance(value, Class):
                found.append(self._construct(value, node, expr))
            elif isinstance(value, Library):
                found.extend(known_calls.call(self, value.name, node, expr))
        for function in self.callables(callee):
            returned = self.returns(function, expr, node.context)
            found.extend(self._union(returned))
            if function.scope.yields and not function.scope.returns:
                found = [Items(tuple(returned), complete=False)]
        if not found and isinstance(expr.func, ast.Attribute):
            found.extend(known_calls.method_call(self, node, expr))
        return found

    def _construct(self, value: Class, node: Node, expr: ast.Call) -> Instance:
        init = self.method(value.scope, "__init__")
        context = node.context
        if init is None:
            bound = self._field_arguments(value.scope, expr, context)
            return Instance(value.scope, node, Context(value.scope, bound, None, context.depth + 1))
        entered = self.enter(Function(init, node, self._class_closure(init)), expr, context)
        return Instance(value.scope, node, entered)

    def _field_arguments(self, cls: Scope, call: ast.Call, context: Context) -> dict[str, Node]:
        fields = [
            s.target.id
            for s in getattr(cls.node, "body", [])
            if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
        ]
        bound = {
            name: self.node(arg, context)
            for name, arg in zip(fields, call.args, strict=False)
            if not isinstance(arg, ast.Starred)
        }
        for keyword in call.keywords:
            if keyword.arg is not None:
                bound[keyword.arg] = self.node(keyword.value, context)
            else:
                self._bind_table(self.node(keyword.value, context), set(fields), bound)
        return bound

    # ------------------------------------------------------------------ inputs
    def inputs_of(self, node: Node) -> tuple[Edge, ...]:
        """Compute the nodes that a node's value is made of; use `Node.inputs`."""
        if node.entry is not None or self.exhausted:
            return ()
        expr = node.expr
        method = getattr(self, f"_inputs_{type(expr).__name__}", None)
        edges: list[Edge] = method(node, expr) if method is not None else self._children(node, expr)
        return tuple(edges)

    def _children(self, node: Node, expr: ast.expr) -> list[Edge]:
        return [
            ("part", self.node(child, node.context))
            for child in ast.iter_child_nodes(expr)
            if isinstance(child, ast.expr)
        ]

    def _inputs_Name(self, node: Node, expr: ast.Name) -> list[Edge]:
        return [("definition", n) for n in self.lookup(expr.id, node.context, node.line)] or [
            ("definition", n) for n in self._imported_nodes(expr.id, node)
        ]

    def _imported_nodes(self, name: str, node: Node) -> list[Node]:
        at: Context | None = node.context
        while at is not None:
            if name in at.scope.imports:
                module, member = at.scope.imports[name]
                target = self.program.imported(at.scope, module)
                if target is not None and member is not None:
                    return self.lookup(member, self.open_context(target), 1 << 30)
                return []
            at = at.outer
        return []

    def _inputs_Attribute(self, node: Node, expr: ast.Attribute) -> list[Edge]:
        dotted = dotted_name(expr)
        if dotted is not None:
            local = self._local(dotted, node.context, node.line)
            if local:
                return [("definition", n) for n in local]
        base = self.node(expr.value, node.context)
        found: list[Node] = []
        for value in base.values:
            if isinstance(value, Instance):
                found.extend(self.attribute(value, expr.attr))
            elif isinstance(value, Module):
                found.extend(self.lookup(expr.attr, self.open_context(value.scope), 1 << 30))
            elif isinstance(value, Class):
                found.extend(self._local(expr.attr, self.open_context(value.scope), 1 << 30) or [])
        found.extend(self._table_members(base, expr.attr))
        if not base.values and isinstance(expr.value, ast.Name):
            scope = node.context.scope
            parameters = scope.parameters()
            if scope.owner and parameters and parameters[0].arg == expr.value.id:
                found.extend(self.attribute(self.unknown_instance(scope.owner), expr.attr))
        if found:
            return [("attribute", n) for n in found]
        return [("base", base)]

    def _inputs_Subscript(self, node: Node, expr: ast.Subscript) -> list[Edge]:
        found = self._subscript_nodes(node, expr)
        base = self.node(expr.value, node.context)
        edges: list[Edge] = [("item", n) for n in found]
        exact = isinstance(expr.slice, (ast.Constant, ast.UnaryOp)) and any(
            isinstance(v, (Items, Mapping, Config, Parsed)) for v in base.values
        )
        if not (found and exact):
            edges.append(("base", base))
        if not isinstance(expr.slice, ast.Constant):
            edges.append(("index", self.node(expr.slice, node.context)))
        return edges

    def _inputs_ElementOf(self, node: Node, expr: ElementOf) -> list[Edge]:
        base = self.node(expr.value, node.context)
        return [*(("item", n) for n in self.elements_of(base)), ("base", base)]

    def _inputs_Lambda(self, node: Node, expr: ast.Lambda) -> list[Edge]:
        return [
            ("return", n) for f in self.callables(node) for n in self.returns(f, None, node.context)
        ]

    def _inputs_Call(self, node: Node, expr: ast.Call) -> list[Edge]:
        context = node.context
        callee = self.node(expr.func, context)
        functions = self.callables(callee)
        edges: list[Edge] = []
        for function in functions:
            edges.extend(("return", n) for n in self.returns(function, expr, context))
        if edges and not any(isinstance(v, (Instance, LibraryObject)) for v in callee.values):
            # The function's body leads to its arguments and its receiver where they matter.
            return edges
        role = "argument"
        if any(isinstance(v, (LibraryObject, Instance)) for v in callee.values):
            edges.append(("callee", callee))
        elif isinstance(expr.func, ast.Attribute):
            edges.append(("receiver", self.node(expr.func.value, context)))
        elif not functions:
            edges.append(("callee", callee))
        library = not functions and not any(isinstance(v, Class) for v in callee.values)
        for index, arg in enumerate(expr.args):
            edges.append((f"{role} {index}", self.node(arg, context)))
        for keyword in expr.keywords:
            edges.append((f"argument {keyword.arg}", self.node(keyword.value, context)))
        if library:
            edges.extend(self._callbacks(edges))
        return edges

    def _callbacks(self, edges: list[Edge]) -> list[Edge]:
        """Return what a library may get by calling back into what it was handed."""
        found: list[Edge] = []
        for role, node in edges:
            if role == "callee":
                continue
            for value in node.values:
                if isinstance(value, Function):
                    found.extend(("callback", n) for n in self.returns(value, None, node.context))
                elif isinstance(value, Instance):
                    for name in USED_METHODS:
                        found.extend(
                            ("callback", n) for n in self._called(value, (name,), node.context)
                        )
        return found


def _has_slice(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, ast.Slice) for part in parts)


def _blocks_at(scope: Scope, line: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the blocks and loops around the statement that holds a line."""
    starts = [start for start in scope.blocks_at if start <= line]
    return scope.blocks_at[max(starts)] if starts else ((), ())


def _folded(fold: Callable[[Any, Any], Any], a: Any, b: Any) -> Const | None:
    numbers = (int, float)
    both_numbers = isinstance(a, numbers) and isinstance(b, numbers)
    both_text = isinstance(a, str) and isinstance(b, str) and fold is operator.add
    if not (both_numbers or both_text):
        return None
    try:
        value = fold(a, b)
    except (ArithmeticError, ValueError, TypeError):
        return None
    if isinstance(value, str) and len(value) > 4096:
        return None
    if isinstance(value, int) and value.bit_length() > 256:
        return None
    return Const(value)


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
