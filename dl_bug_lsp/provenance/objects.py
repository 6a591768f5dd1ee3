"""Attributes, items and methods of objects that are known without running anything.

Inheritance: what ``super()`` means, and what a base's constructor is called with.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance.nodes import (
    MAX_ALTERNATIVES,
    MAX_BASES,
    MAX_INSTANCES,
    Change,
    Class,
    Config,
    Context,
    Function,
    Instance,
    Items,
    Library,
    LibraryObject,
    Mapping,
    Module,
    Node,
    Parsed,
    Value,
    combined,
    union,
)
from dl_bug_lsp.provenance.scopes import DEFINES, END, Scope, returned_expressions

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine


def class_closure(engine: Engine, method: Scope) -> Context:
    """Return the context around a method: that of its class body."""
    owner = method.parent
    return engine.open_context(owner if owner is not None else method)


def first_method(engine: Engine, instance: Instance, names: tuple[str, ...]) -> Scope | None:
    """Return the first method of several names that an instance has."""
    for name in names:
        method = find_method(engine, instance.cls, name)
        if method is not None:
            return method
    return None


def find_method(engine: Engine, cls: Scope, name: str) -> Scope | None:
    """Find a method in a workspace class or its workspace bases."""
    methods = (base.functions.get(name) for base in lineage(engine, cls))
    return next((method for method in methods if method is not None), None)


def bases(engine: Engine, cls: Scope) -> list[Scope]:
    """Return the workspace classes that a class derives from."""
    scopes: list[Scope] = []
    context = engine.open_context(cls.parent) if cls.parent else engine.open_context(cls)
    for base in getattr(cls.node, "bases", []):
        values = engine.node(base, context).values
        scopes.extend(v.scope for v in values if isinstance(v, Class))
    return scopes


def member(engine: Engine, node: Node, key: str | int) -> list[Node]:
    """Return the nodes that ``node[key]`` or ``node.key`` stands for."""
    return engine.ask("member", id(node), type(key), key, work=lambda: _member(engine, node, key))


def _member(engine: Engine, node: Node, key: str | int) -> list[Node]:
    members: list[Node] = []
    for value in node.values:
        if isinstance(value, Config):
            members.extend(config_member(engine, value, key, node.context))
        elif isinstance(value, Mapping):
            members.extend(_mapped(engine, value, key))
        elif isinstance(value, Items) and isinstance(key, int):
            if -len(value.items) <= key < len(value.items):
                members.append(value.items[key])
            elif value.items and not value.complete:
                members.append(value.items[0])
        elif isinstance(value, Parsed):
            if isinstance(key, str):
                # Where the program sets an option, the command line may have set it before.
                members.extend(engine.changes_of_options(value, key))
                members.extend(value.options.get(key, ()))
            elif key == 0:
                # parse_known_args gives the namespace and the rest.
                members.append(node)
        elif isinstance(value, Instance) and isinstance(key, str):
            members.extend(attribute(engine, value, key))
        elif isinstance(value, Instance):
            members.extend(called(engine, value, ("__getitem__",), node.context))
        elif isinstance(value, LibraryObject) and value.wraps_table:
            members.extend(wrapped_member(engine, value, key))
        elif isinstance(value, LibraryObject) and value.is_merged:
            members.extend(merged_member(engine, value, key))
        elif isinstance(value, LibraryObject) and value.holds_parts:
            parts = engine.elements(value)
            exact = isinstance(key, int) and -len(parts) <= key < len(parts)
            members.extend([parts[key]] if exact and isinstance(key, int) else parts)
        elif isinstance(value, Library) and value.name == "os.environ":
            members.extend(engine.changes_of_environment(key))
        elif isinstance(value, Module) and isinstance(key, str):
            members.extend(engine.module_nodes(value.scope, key))
    return members[:MAX_ALTERNATIVES]


def _mapped(engine: Engine, value: Mapping, key: str | int) -> list[Node]:
    """Return the items of a key, those whose key is not known where no other is there."""
    items: list[Node] = []
    perhaps: list[Node] = []
    for name, item in value.pairs:
        if name is None:
            items.extend(member(engine, item, key))
        elif any(c.value == key for c in name.constants):
            items.append(item)
        elif not name.constants:
            perhaps.append(item)
    return items or perhaps


def is_closed(engine: Engine, table: Node) -> bool:
    """Whether all keys of a table are written down, so that others are known to be absent."""

    def work() -> list[bool]:
        closed = bool(table.values) and all(
            isinstance(value, Config)
            or (
                isinstance(value, Mapping)
                and value.complete
                and all(
                    key.constant is not None if key is not None else is_closed(engine, item)
                    for key, item in value.pairs
                )
            )
            for value in table.values
        )
        return [True] if closed else []

    return bool(engine.ask("closed", id(table), work=work))


def wrapped_member(engine: Engine, value: LibraryObject, key: str | int) -> list[Node]:
    """Return a member of an object that a library made of a dict or of keywords."""
    call = value.call.expr
    if not isinstance(call, ast.Call):
        return []
    for keyword in call.keywords:
        if keyword.arg == key:
            return [engine.node(keyword.value, value.call.context)]
    tables = [k.value for k in call.keywords if k.arg is None] or call.args[:1]
    return [n for t in tables for n in member(engine, engine.node(t, value.call.context), key)]


def merged_member(engine: Engine, value: LibraryObject, key: str | int) -> list[Node]:
    """Return a member of several tables merged into one: that of the last one which has it."""
    call = value.call.expr
    members: list[Node] = []
    for table in reversed(call.args if isinstance(call, ast.Call) else []):
        below = member(engine, engine.node(table, value.call.context), key)
        if members and not any(isinstance(v, Config) for n in below for v in n.values):
            continue
        members.extend(below)
        if members and not any(isinstance(v, Config) for n in members for v in n.values):
            break  # A plain value of a later table hides the earlier ones.
    return members


def config_member(engine: Engine, value: Config, key: str | int, context: Context) -> list[Node]:
    """Return the entry below a config table or list; negative indices count from a list's end."""
    if isinstance(key, int) and key < 0 and value.entry is not None:
        key += value.entry.length or 0
    entry = engine.settings(value.file).at((*value.path, key))
    return [engine.config_node(entry, context, value.file)] if entry is not None else []


def attribute(engine: Engine, instance: Instance, name: str) -> list[Node]:
    """Return what an attribute of an instance stands for; `changes` has what is put into it."""
    nodes: list[Node] = []
    for cls in lineage(engine, instance.cls):
        for method, binding in cls.attributes.get(name, []):
            if binding.how in DEFINES:
                context = method_context(engine, instance, cls, method)
                nodes.append(engine.node(binding.value, context))
        if nodes:
            nodes.extend(_set_outside(engine, instance, name))
            return nodes[:MAX_ALTERNATIVES]
        if name in cls.functions:
            method = cls.functions[name]
            bound = Function(method, instance.built, class_closure(engine, method))
            if "property" in " ".join(method.decorators()):
                return engine.returns(bound, None, instance.context)
            return []
        argument = (instance.context.bindings or {}).get(name)
        for binding in cls.bindings.get(name, []):
            if argument is not None and "__init__" not in cls.functions:
                return [argument]
            if binding.how in DEFINES:
                nodes.append(engine.node(binding.value, engine.open_context(cls)))
        if nodes:
            nodes.extend(_set_outside(engine, instance, name))
            return nodes[:MAX_ALTERNATIVES]
    nodes.extend(_set_outside(engine, instance, name))
    if not nodes:
        nodes.extend(engine.set_by_name(instance, name))
    if not nodes and name == "hparams" and _keeps_arguments(engine, instance):
        return [instance.built]
    argument = (instance.context.bindings or {}).get(name)
    return nodes or ([argument] if argument is not None else [])


def _set_outside(engine: Engine, instance: Instance, name: str) -> list[Node]:
    return [c.value for c in engine.changes_outside(instance, name) if c.how in DEFINES]


def _keeps_arguments(engine: Engine, instance: Instance) -> bool:
    """Whether a constructor keeps its arguments in ``hparams``, as Lightning's modules may."""
    init = find_method(engine, instance.cls, "__init__")
    return init is not None and any(
        isinstance(call.func, ast.Attribute) and call.func.attr == "save_hyperparameters"
        for call in init.calls
    )


def lineage(engine: Engine, cls: Scope) -> list[Scope]:
    """Return a class and its workspace bases (bounded), nearer ones first, each once."""

    def work() -> list[Scope]:
        classes: list[Scope] = [cls]
        for current in classes:
            classes.extend(b for b in bases(engine, current) if b not in classes)
            if len(classes) > MAX_BASES:
                break
        return classes

    return engine.ask("lineage", id(cls), work=work) or [cls]


def method_context(engine: Engine, instance: Instance, cls: Scope, method: Scope) -> Context:
    """Return the context of a method called on a known instance."""
    if method.name.endswith("__init__"):
        if cls is instance.cls or method is instance.context.scope:
            return instance.context
        entered = constructor_of_base(engine, instance, method)
        if entered is not None:
            return entered
    key = (id(method), id(instance.built))
    context = engine.contexts.get(key)
    if context is None:
        context = Context(method, None, class_closure(engine, method), instance.context.depth + 1)
        parameters = method.parameters()
        if parameters:
            context.extra[parameters[0].arg] = instance.built
        engine.contexts[key] = context
    return context


def enter_method(engine: Engine, instance: Instance, method: Scope) -> Context:
    """Return the context of a method that someone unknown calls on a known instance."""
    return method_context(engine, instance, instance.cls, method)


def called(
    engine: Engine, instance: Instance, names: tuple[str, ...], context: Context
) -> list[Node]:
    """Return what the first method of several names returns when a library calls it."""
    method = first_method(engine, instance, names)
    if method is None:
        return []
    entered = method_context(engine, instance, instance.cls, method)
    return [engine.node(e, entered) for e in returned_expressions(method)]


def table_members(engine: Engine, base: Node, name: str) -> list[Node]:
    """Return the members of a base that is a table and nothing else."""
    tables = [v for v in base.values if not isinstance(v, (Instance, Module))]
    return member(engine, base, name) if tables and len(tables) == len(base.values) else []


def library_member(engine: Engine, value: LibraryObject, name: str) -> list[Value]:
    """Return what an attribute of a library object is."""
    return [Library(f"{value.name}().{name}")] if name != "shape" else []


def unknown_instances(engine: Engine, cls: Scope) -> list[Instance]:
    """Return instances of a class or its subclasses: a few that are built, else an unknown one."""
    known = engine.instances.get(id(cls))
    if known is None:
        known = engine.instances[id(cls)] = []
        known.extend(_unknown_instances(engine, cls))
    return known


def _unknown_instances(engine: Engine, cls: Scope) -> list[Instance]:
    kinds = [cls]
    for kind in kinds:
        kinds.extend(k for k in engine.program.subclasses(kind) if k not in kinds)
        if len(kinds) > MAX_INSTANCES:
            break
    instances: list[Instance] = []
    for kind in kinds[: 2 * MAX_INSTANCES]:
        configured = engine.configuration.blocks.known_instance(kind)
        instances.extend([configured] if configured is not None else [])
    if instances:
        return instances[:MAX_INSTANCES]
    for kind in kinds[: 2 * MAX_INSTANCES]:
        for caller, call in _made(engine, kind)[:MAX_INSTANCES]:
            built = engine.node(call, engine.open_context(caller))
            instances.append(engine.construct(Class(kind), built, call))
    if not instances:
        instances = [_of_unknown_making(engine, kind) for kind in (kinds[1:2] or kinds[:1])]
    return instances[:MAX_INSTANCES]


def _made(engine: Engine, cls: Scope) -> list[tuple[Scope, ast.Call]]:
    sites = engine.program.callers(cls.name.rpartition(".")[2])
    sites = [site for site in sites if engine.program.may_call(*site, cls)]
    return sites or engine.program.indirect_calls(cls)


def _of_unknown_making(engine: Engine, cls: Scope) -> Instance:
    init = find_method(engine, cls, "__init__")
    probe = engine.made(("instance", id(cls)), lambda: _named(cls))
    built = engine.node(probe, engine.open_context(cls))
    context = engine.open_context(init) if init is not None else engine.open_context(cls)
    instance = Instance(cls, built, context)
    built.stand_for((instance,))
    return instance


def unknown_instance(engine: Engine, cls: Scope) -> Instance:
    """Return an instance of a class: one that the workspace builds, else one of unknown making."""
    return unknown_instances(engine, cls)[0]


def class_node(engine: Engine, cls: Scope) -> Node:
    """Return a node that stands for a class itself, as the first argument of class methods."""
    probe = engine.made(("class", id(cls)), lambda: _named(cls))
    return engine.node(probe, engine.open_context(cls)).stand_for((Class(cls),))


def _named(cls: Scope) -> ast.expr:
    return ast.Name(id=cls.name, ctx=ast.Load(), lineno=cls.line, col_offset=0)


def class_member(engine: Engine, value: Class, name: str) -> list[Value]:
    """Return what an attribute of a class stands for."""
    for cls in lineage(engine, value.scope):
        if name in cls.functions:
            method = cls.functions[name]
            receiver = None
            if "classmethod" in method.decorators():
                receiver = class_node(engine, value.scope)
            return [Function(method, receiver, engine.open_context(cls))]
        nodes = engine.local(name, engine.open_context(cls), END)
        if nodes:
            changes_made = class_changes(engine, value.scope, name)
            return combined(nodes, union(nodes), changes_made)
    return []


def class_changes(engine: Engine, cls: Scope, name: str) -> list[Change]:
    """Return what a class's methods put into what the class holds (``cls.table[k] = v``)."""
    return engine.changes_of_attribute(unknown_instance(engine, cls), name)


def instance_member(engine: Engine, value: Instance, name: str) -> list[Value]:
    """Return what an attribute or method of an instance stands for."""
    nodes = attribute(engine, value, name)
    if nodes:
        changes_made = engine.changes_of_attribute(value, name)
        return combined(nodes, union(nodes), changes_made)
    for cls in lineage(engine, value.cls):
        if name in cls.functions:
            method = cls.functions[name]
            receiver: Node | None = value.built
            if "staticmethod" in method.decorators():
                receiver = None
            elif "classmethod" in method.decorators():
                receiver = class_node(engine, value.cls)
            members = engine.defined(name, engine.open_context(cls))
            return [
                replace(v, receiver=receiver) if isinstance(v, Function) and not v.receiver else v
                for v in members
            ]
    return []


def any_items(engine: Engine, base: Node) -> list[Node]:
    """Return all values of a mapping or config table."""
    items: list[Node] = []
    for value in base.values:
        if isinstance(value, Mapping):
            items.extend(item for _, item in value.pairs)
        elif isinstance(value, Config):
            items.extend(config_items(engine, value, base.context))
    return items[:MAX_ALTERNATIVES]


def written_items(engine: Engine, node: Node) -> list[Node] | None:
    """Return all items of a list that is written down as a whole, None for any other value."""
    if len(node.values) != 1:
        return None
    value = node.values[0]
    if isinstance(value, Items):
        return list(value.items) if value.complete else None
    if isinstance(value, Config) and _is_list(engine, value):
        return config_items(engine, value, node.context)
    return None


def _is_list(engine: Engine, value: Config) -> bool:
    return engine.settings(value.file).at((*value.path, 0)) is not None


def config_items(engine: Engine, value: Config, context: Context) -> list[Node]:
    """Return the entries right below a config table or list."""
    return [
        engine.config_node(entry, context, value.file)
        for entry in engine.settings(value.file).below(value.path)
    ]


def elements_of(engine: Engine, node: Node) -> list[Node]:
    """Return the nodes that iterating over a node gives."""
    return engine.ask("elements", id(node), work=lambda: _elements_of(engine, node))


def _elements_of(engine: Engine, node: Node) -> list[Node]:
    nodes: list[Node] = []
    for value in node.values:
        if isinstance(value, Items):
            nodes.extend(value.items)
        elif isinstance(value, Mapping):
            nodes.extend(name for name, _ in value.pairs if name is not None)
        elif isinstance(value, Instance):
            nodes.extend(called(engine, value, ("__iter__", "__getitem__"), node.context))
        elif isinstance(value, Config) and value.entry is not None:
            nodes.extend(config_items(engine, value, node.context))
        elif isinstance(value, LibraryObject):
            nodes.extend(engine.elements(value))
    return nodes[:MAX_ALTERNATIVES]


SUPER = "builtins.super"
MAX_CONSTRUCTORS = 8
"""Constructors that call one another on the way up."""


def inherited(engine: Engine, node: Node, name: str) -> Function | None:
    """Return the method that ``super().name`` means at a node, bound to the same object."""
    scope: Scope | None = node.context.scope
    while scope is not None and scope.owner is None:
        scope = scope.parent
    owner = scope.owner if scope is not None else None
    if scope is None or owner is None:
        return None
    for cls in lineage(engine, owner)[1:]:
        if name in cls.functions:
            receiver = _receiver(engine, node, scope, owner)
            return Function(cls.functions[name], receiver, engine.open_context(cls))
    return None


def _receiver(engine: Engine, node: Node, method: Scope, owner: Scope) -> Node:
    parameters = method.parameters()
    if parameters:
        nodes = engine.lookup(parameters[0].arg, node.context, node.line)
        if nodes:
            return nodes[0]
    return unknown_instance(engine, owner).built


def constructor_of_base(engine: Engine, instance: Instance, method: Scope) -> Context | None:
    """Return the context of a base's ``__init__`` as the constructors of an instance call it."""

    def work() -> list[Context]:
        contexts = [instance.context]
        for context in contexts:
            for call in context.scope.calls:
                if getattr(call.func, "attr", "") != "__init__":
                    continue
                callee = engine.node(call.func, context)
                for function in engine.callables(callee):
                    entered = engine.enter(function, call, context)
                    if function.scope is method:
                        return [entered]
                    if len(contexts) < MAX_CONSTRUCTORS and entered not in contexts:
                        contexts.append(entered)
        return []

    constructors = engine.ask("constructor", id(instance.built), id(method), work=work)
    return constructors[0] if constructors else None
