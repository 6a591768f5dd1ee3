"""Calls of workspace functions and classes: binding arguments, entering bodies, what comes back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.nodes import (
    CALL_METHODS,
    MAX_CALLERS,
    MAX_DEPTH,
    MAX_RECURSION,
    Class,
    Context,
    Function,
    Instance,
    Items,
    LibraryObject,
    Node,
    Value,
)
from dl_bug_lsp.provenance.scopes import Scope, returned_expressions

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine


def bind(
    engine: Engine, scope: Scope, call: ast.Call, context: Context, method: bool, skip: int = 0
) -> dict[str, Node]:
    """Bind a call's arguments to a function's parameters (PEP 570 and 3102 rules, no errors).

    ``skip`` positional parameters have got their arguments already. What ``*items`` and
    ``**table`` give is looked up when it is asked for.
    """
    parameters = scope.parameters()
    if method and parameters and "staticmethod" not in scope.decorators():
        parameters = parameters[1:]
    args = getattr(scope.node, "args", None)
    positional = parameters
    if args is not None:
        keyword_only = {a.arg for a in args.kwonlyargs}
        positional = [p for p in parameters if p.arg not in keyword_only][skip:]
    bound: dict[str, Node] = {}
    rest: list[ast.expr] = []
    for index, arg in enumerate(call.args):
        if isinstance(arg, ast.Starred):
            spread = engine.node(arg.value, context)
            for at, parameter in enumerate(positional[index:]):
                default = scope.default_of(parameter.arg)
                bound[parameter.arg] = spread_item(engine, spread, at, scope, default)
            rest.extend(call.args[index:])
            break
        if index < len(positional):
            bound[positional[index].arg] = engine.node(arg, context)
        else:
            rest.append(arg)
    names = {p.arg for p in parameters}
    others = [k for k in call.keywords if k.arg not in names]
    for keyword in call.keywords:
        if keyword.arg in names:
            bound[keyword.arg] = engine.node(keyword.value, context)
    tables = [engine.node(k.value, context) for k in others if k.arg is None]
    if tables:
        for name in sorted(names - bound.keys()):
            default = scope.default_of(name)
            bound[name] = spread_member(engine, tables, name, scope, default)
    many_args, many_keywords = scope.collects()
    if many_args is not None and rest:
        shown = ast.copy_location(ast.Tuple(elts=rest, ctx=ast.Load()), rest[0])
        bound[many_args] = engine.node(
            engine.made(("rest", id(call), id(scope)), lambda: shown), context
        )
    if many_keywords is not None and others:
        table = ast.Dict(
            keys=[
                ast.copy_location(ast.Constant(k.arg), k.value) if k.arg else None for k in others
            ],
            values=[k.value for k in others],
        )
        ast.copy_location(table, call)
        bound[many_keywords] = engine.node(
            engine.made(("keywords", id(call), id(scope)), lambda: table), context
        )
    return bound


def spread_item(
    engine: Engine, spread: Node, index: int, scope: Scope, default: ast.expr | None
) -> Node:
    """Return the node of a parameter that gets its argument from ``*items``."""

    def nodes() -> list[Node]:
        picked: list[Node] = []
        lists = [v for v in spread.values if isinstance(v, Items)]
        for items in lists:
            if index < len(items.items):
                picked.append(items.items[index])
            elif items.items and not items.complete:
                picked.append(items.items[-1])
        if not picked and default is not None and lists:
            return [engine.node(default, engine.open_context(scope.parent or scope))]
        return picked if lists else [spread]

    return engine.derived(("spread", id(spread), index, id(scope)), spread, nodes)


def spread_member(
    engine: Engine, tables: list[Node], name: str, scope: Scope, default: ast.expr | None
) -> Node:
    """Return the node of a parameter that may get its argument from ``**table``."""

    def nodes() -> list[Node]:
        members = [n for table in tables for n in objects.member(engine, table, name)]
        if members:
            return members
        unknown = [t for t in tables if not t.values or not objects.is_closed(engine, t)]
        defaults = (
            [engine.node(default, engine.open_context(scope.parent or scope))] if default else []
        )
        return [*defaults, *unknown]

    key = ("spread", *(id(t) for t in tables), name, id(scope))
    return engine.derived(key, tables[0], nodes)


def enter(engine: Engine, function: Function, call: ast.Call | None, context: Context) -> Context:
    """Return the context of a function's body for one call of it."""
    scope = function.scope
    if call is None and not function.presets and function.receiver is None:
        return engine.open_context(scope)
    bound_nodes = (*function.presets, function.receiver)
    key = (id(scope), id(call), id(context), *(id(node) for node in bound_nodes))
    cached = engine.contexts.get(key)
    if cached is not None:
        return cached
    if context.depth >= MAX_DEPTH or engine.exhausted or _recurs(scope, context):
        return engine.open_context(scope)
    bound, positional = _preset(engine, function)
    if call is not None:
        method = function.receiver is not None
        bound.update(bind(engine, scope, call, context, method, positional))
    parameters = scope.parameters()
    static = "staticmethod" in scope.decorators()
    extra: dict[str, Node] = {}
    if function.receiver is not None and parameters and not static:
        bound[parameters[0].arg] = extra[parameters[0].arg] = function.receiver
    known = bound if call is not None or function.presets else None
    entered = Context(scope, known, function.closure, context.depth + 1, context, extra)
    engine.contexts[key] = entered
    engine.keep.append((call, context))
    return entered


def _recurs(scope: Scope, context: Context) -> bool:
    """Whether a function is entered from within itself once too often to keep the calls apart."""
    times = 0
    at: Context | None = context
    while at is not None and times < MAX_RECURSION:
        times += at.scope is scope
        at = at.caller
    return times >= MAX_RECURSION


def entries(engine: Engine, scope: Scope) -> list[Context]:
    """Return the contexts in which the workspace's calls enter a function, those that are found."""
    contexts = engine.entries.get(id(scope))
    if contexts is None:
        contexts = engine.entries[id(scope)] = []
        contexts.extend(_entries(engine, scope))
    return contexts


def _entries(engine: Engine, scope: Scope) -> list[Context]:
    short = scope.name.rpartition(".")[2]
    owner, program = scope.owner, engine.program
    if owner is not None and short == "__init__":
        short = owner.name.rpartition(".")[2]
    sites = program.callers(short)
    if owner is not None and short in CALL_METHODS:
        sites = program.calls_of_instances(owner.name.rpartition(".")[2])
    else:
        sites = [site for site in sites if program.may_call(*site, scope)]
    if owner is not None and scope.name.endswith(".__init__"):
        sites = [*sites, *program.indirect_calls(owner)]
    if len(sites) > 4 * MAX_CALLERS:
        engine.queries.cut("callers")
        return []
    contexts: list[Context] = []
    parent = scope.parent
    for caller, call in sites:
        closure = engine.open_context(parent) if parent is not None else engine.open_context(scope)
        contexts.append(_entered(engine, scope, call, engine.open_context(caller), closure))
    if parent is not None and owner is None and not parent.is_module and _gives(parent, short):
        # ``register("name")(cls)``: the function that another one returns is called at once.
        for caller, call in program.callers(f"{parent.name.rpartition('.')[2]}()"):
            outside = engine.open_context(caller)
            if isinstance(call.func, ast.Call) and program.may_call(caller, call.func, parent):
                inner = Function(parent, None, engine.open_context(parent.parent or parent))
                closure = enter(engine, inner, call.func, outside)
                contexts.append(_entered(engine, scope, call, outside, closure))
    for caller, call, skip in program.calls_through(short):
        closure = engine.open_context(parent) if parent is not None else engine.open_context(scope)
        outside = engine.open_context(caller)
        contexts.append(_entered(engine, scope, call, outside, closure, skip))
    return contexts[: 4 * MAX_CALLERS]


def _gives(scope: Scope, name: str) -> bool:
    return any(isinstance(e, ast.Name) and e.id == name for e in scope.returns)


def _entered(
    engine: Engine, scope: Scope, call: ast.Call, outside: Context, closure: Context, skip: int = 0
) -> Context:
    key = (id(scope), id(call), id(outside), id(closure), skip, -1)
    entered = engine.contexts.get(key)
    if entered is None:
        bound = bind(engine, scope, call, outside, scope.owner is not None, skip)
        entered = Context(scope, bound, closure, outside.depth + 1, outside)
        engine.contexts[key] = entered
        engine.keep.append((call, outside))
    return entered


def _preset(engine: Engine, function: Function) -> tuple[dict[str, Node], int]:
    """Bind what ``functools.partial`` gave; also how many positional arguments that were."""
    bound: dict[str, Node] = {}
    positional = 0
    for preset in function.presets:
        if not isinstance(preset.expr, ast.Call):
            continue
        args = preset.expr.args[1:]
        call = ast.Call(func=preset.expr.func, args=args, keywords=preset.expr.keywords)
        method = function.receiver is not None
        bound.update(bind(engine, function.scope, call, preset.context, method, positional))
        positional += len(args)
    return bound, positional


def returns(
    engine: Engine, function: Function, call: ast.Call | None, context: Context
) -> list[Node]:
    """Return the nodes of what a call of a workspace function gives back."""
    entered = enter(engine, function, call, context)
    scope = function.scope
    return [engine.node(e, entered) for e in returned_expressions(scope)]


def many(engine: Engine, source: Node | None) -> Node | None:
    """Return a node that stands for a list of what iterating over ``source`` gives."""
    if source is None:
        return None

    def values() -> list[Value]:
        items = objects.elements_of(engine, source)
        return [Items(tuple(items), complete=False)] if items else []

    return engine.derived(
        ("many", id(source)), source, lambda: objects.elements_of(engine, source), values, "item"
    )


def returns_for(engine: Engine, function: Function, first: Node | None) -> list[Node]:
    """Return what a function gives back when a library calls it with one argument."""
    scope = function.scope
    parameters = [p.arg for p in scope.parameters()]
    bound, positional = _preset(engine, function)
    if function.receiver is not None and parameters:
        bound[parameters.pop(0)] = function.receiver
    parameters = parameters[positional:]
    if first is None or not parameters:
        return returns(engine, function, None, function.closure)
    key = (id(scope), id(first), *(id(preset) for preset in function.presets))
    entered = engine.contexts.get(key)
    if entered is None:
        bound[parameters[0]] = first
        entered = Context(scope, bound, function.closure, function.closure.depth + 1)
        engine.contexts[key] = entered
    return [engine.node(e, entered) for e in returned_expressions(scope)]


def callables(engine: Engine, node: Node, inside: frozenset[int] = frozenset()) -> list[Function]:
    """Return the workspace functions that calling a node's value would run.

    ``inside`` are the ids of the containers around it: one may hold what holds it.
    """
    functions: list[Function] = []
    if id(node) in inside:
        return functions
    for value in node.values:
        if isinstance(value, Function):
            functions.append(value)
        elif isinstance(value, Instance):
            method = objects.first_method(engine, value, CALL_METHODS)
            if method is not None:
                functions.append(
                    Function(method, value.built, objects.class_closure(engine, method))
                )
        elif isinstance(value, LibraryObject) and value.holds_parts:
            for part in engine.elements(value):
                functions.extend(callables(engine, part, inside | {id(node)}))
        elif isinstance(value, LibraryObject) and isinstance(value.call.expr, ast.Call):
            # jax.jit(f), partial(f, …), tf.function(f): calling the result calls f.
            for arg in value.call.expr.args[:1]:
                inner = engine.node(arg, value.call.context)
                functions.extend(v for v in inner.values if isinstance(v, Function))
    return functions


def with_name(engine: Engine, context: Context, name: str, item: Node) -> Context:
    """Return a context in which one more name is bound: a round of a comprehension."""
    key = (id(context), id(item))
    extended = engine.contexts.get(key)
    if extended is None:
        extra = {**context.extra, name: item}
        extended = Context(
            context.scope, context.bindings, context.outer, context.depth, context.caller, extra
        )
        engine.contexts[key] = extended
    return extended


def construct(engine: Engine, value: Class, node: Node, expr: ast.Call) -> Instance:
    """Return the instance that calling a workspace class makes."""
    init = objects.find_method(engine, value.scope, "__init__")
    context = node.context
    if init is None:
        key = (id(value.scope), id(node))
        fields = engine.contexts.get(key)
        if fields is None:
            bound = _field_arguments(engine, value.scope, expr, context)
            fields = Context(value.scope, bound, None, context.depth + 1, context)
            engine.contexts[key] = fields
        return Instance(value.scope, node, fields)
    entered = enter(
        engine, Function(init, node, objects.class_closure(engine, init)), expr, context
    )
    return Instance(value.scope, node, entered)


def _field_arguments(
    engine: Engine, cls: Scope, call: ast.Call, context: Context
) -> dict[str, Node]:
    fields = {
        s.target.id: s.value
        for base in reversed(objects.lineage(engine, cls))
        for s in getattr(base.node, "body", [])
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    }
    bound = {
        name: engine.node(arg, context)
        for name, arg in zip(fields, call.args, strict=False)
        if not isinstance(arg, ast.Starred)
    }
    for keyword in call.keywords:
        if keyword.arg is not None:
            bound[keyword.arg] = engine.node(keyword.value, context)
    tables = [engine.node(k.value, context) for k in call.keywords if k.arg is None]
    if tables:
        for name in [f for f in fields if f not in bound]:
            bound[name] = spread_member(engine, tables, name, cls, fields[name])
    return bound
