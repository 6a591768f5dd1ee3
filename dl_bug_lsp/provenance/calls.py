"""Calls of workspace functions and classes: binding arguments, entering bodies, what comes back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.limits import CALL_METHODS, MAX_DEPTH
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.provenance.values import (
    Class,
    Context,
    Function,
    Instance,
    Items,
    LibraryObject,
)

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine


def bind(
    engine: Engine, scope: Scope, call: ast.Call, context: Context, method: bool, skip: int = 0
) -> dict[str, Node]:
    """Bind a call's arguments to a function's parameters (PEP 570 and 3102 rules, no errors).

    ``skip`` positional parameters have got their arguments already.
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
    for index, arg in enumerate(call.args):
        if isinstance(arg, ast.Starred):
            _bind_starred(engine, arg, positional[index:], context, bound)
            break
        if index < len(positional):
            bound[positional[index].arg] = engine.node(arg, context)
    names = {p.arg for p in parameters}
    for keyword in call.keywords:
        value = engine.node(keyword.value, context)
        if keyword.arg is None:
            bind_table(engine, value, names, bound)
        elif keyword.arg in names:
            bound[keyword.arg] = value
    return bound


def _bind_starred(
    engine: Engine,
    arg: ast.Starred,
    parameters: list[ast.arg],
    context: Context,
    bound: dict[str, Node],
) -> None:
    node = engine.node(arg.value, context)
    items = next((v for v in node.values if isinstance(v, Items)), None)
    for index, parameter in enumerate(parameters):
        if items is not None and index < len(items.items):
            bound[parameter.arg] = items.items[index]
        elif items is None:
            bound[parameter.arg] = node


def bind_table(engine: Engine, table: Node, names: set[str], bound: dict[str, Node]) -> None:
    """Bind the parameters that a ``**table`` has keys for."""
    for name in sorted(names - bound.keys()):
        found = objects.member(engine, table, name)
        if found:
            bound[name] = found[0]


def enter(engine: Engine, function: Function, call: ast.Call | None, context: Context) -> Context:
    """Return the context of a function's body for one call of it."""
    scope = function.scope
    if call is None and not function.presets:
        return engine.open_context(scope)
    made = (*function.presets, function.receiver)
    key = (id(scope), id(call), id(context), *(id(one) for one in made))
    found = engine.contexts.get(key)
    if found is not None:
        return found
    if context.depth >= MAX_DEPTH or engine.exhausted:
        return engine.open_context(scope)
    bound, given = _preset(engine, function)
    if call is not None:
        method = function.receiver is not None
        bound.update(bind(engine, scope, call, context, method, given))
    parameters = scope.parameters()
    if function.receiver is not None and parameters:
        bound[parameters[0].arg] = function.receiver
    entered = Context(scope, bound, function.closure, context.depth + 1)
    engine.contexts[key] = entered
    engine.keep.append((call, context))
    return entered


def _preset(engine: Engine, function: Function) -> tuple[dict[str, Node], int]:
    """Bind what ``functools.partial`` gave; also how many positional arguments that were."""
    bound: dict[str, Node] = {}
    given = 0
    for made in function.presets:
        if not isinstance(made.expr, ast.Call):
            continue
        args = made.expr.args[1:]
        call = ast.Call(func=made.expr.func, args=args, keywords=made.expr.keywords)
        method = function.receiver is not None
        bound.update(bind(engine, function.scope, call, made.context, method, given))
        given += len(args)
    return bound, given


def returns(
    engine: Engine, function: Function, call: ast.Call | None, context: Context
) -> list[Node]:
    """Return the nodes of what a call of a workspace function gives back."""
    entered = enter(engine, function, call, context)
    scope = function.scope
    return [engine.node(e, entered) for e in (scope.returns or scope.yields)]


def many(engine: Engine, source: Node | None) -> Node | None:
    """Return a node that stands for a list of what iterating over ``source`` gives."""
    if source is None:
        return None
    key = (id(source), -1)
    found = engine.nodes.get(key)
    if found is None:
        found = Node(engine, source.context, source.expr)
        items = tuple(objects.elements_of(engine, source))
        found._values = (Items(items, complete=False),) if items else ()
        found._inputs = tuple(("item", item) for item in items)
        engine.nodes[key] = found
    return found


def returns_for(engine: Engine, function: Function, first: Node | None) -> list[Node]:
    """Return what a function gives back when a library calls it with one argument."""
    scope = function.scope
    parameters = [p.arg for p in scope.parameters()]
    bound, given = _preset(engine, function)
    if function.receiver is not None and parameters:
        bound[parameters.pop(0)] = function.receiver
    parameters = parameters[given:]
    if first is None or not parameters:
        return returns(engine, function, None, function.closure)
    key = (id(scope), id(first), *(id(made) for made in function.presets))
    entered = engine.contexts.get(key)
    if entered is None:
        bound[parameters[0]] = first
        entered = Context(scope, bound, function.closure, function.closure.depth + 1)
        engine.contexts[key] = entered
    return [engine.node(e, entered) for e in (scope.returns or scope.yields)]


def callables(engine: Engine, node: Node) -> list[Function]:
    """Return the workspace functions that calling a node's value would run."""
    found: list[Function] = []
    for value in node.values:
        if isinstance(value, Function):
            found.append(value)
        elif isinstance(value, Instance):
            method = objects.first_method(engine, value, CALL_METHODS)
            if method is not None:
                found.append(Function(method, value.built, objects.class_closure(engine, method)))
        elif isinstance(value, LibraryObject) and isinstance(value.call.expr, ast.Call):
            # jax.jit(f), partial(f, …), tf.function(f): calling the result calls f.
            for arg in value.call.expr.args[:1]:
                inner = engine.node(arg, value.call.context)
                found.extend(v for v in inner.values if isinstance(v, Function))
    return found


def with_name(engine: Engine, context: Context, name: str, item: Node) -> Context:
    """Return a context in which one more name is bound: a round of a comprehension."""
    key = (id(context), id(item))
    found = engine.contexts.get(key)
    if found is None:
        extra = {**context.extra, name: item}
        found = Context(context.scope, context.bindings, context.outer, context.depth, extra)
        engine.contexts[key] = found
    return found


def construct(engine: Engine, value: Class, node: Node, expr: ast.Call) -> Instance:
    """Return the instance that calling a workspace class makes."""
    init = objects.find_method(engine, value.scope, "__init__")
    context = node.context
    if init is None:
        bound = _field_arguments(engine, value.scope, expr, context)
        return Instance(value.scope, node, Context(value.scope, bound, None, context.depth + 1))
    entered = enter(
        engine, Function(init, node, objects.class_closure(engine, init)), expr, context
    )
    return Instance(value.scope, node, entered)


def _field_arguments(
    engine: Engine, cls: Scope, call: ast.Call, context: Context
) -> dict[str, Node]:
    fields = dict.fromkeys(
        s.target.id
        for one in reversed(objects.lineage(engine, cls))
        for s in getattr(one.node, "body", [])
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    )
    bound = {
        name: engine.node(arg, context)
        for name, arg in zip(fields, call.args, strict=False)
        if not isinstance(arg, ast.Starred)
    }
    for keyword in call.keywords:
        if keyword.arg is not None:
            bound[keyword.arg] = engine.node(keyword.value, context)
        else:
            bind_table(engine, engine.node(keyword.value, context), set(fields), bound)
    return bound
