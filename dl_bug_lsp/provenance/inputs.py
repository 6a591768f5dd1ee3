"""Which expressions each kind of expression is made of: the edges that a slice follows."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.provenance import calls, evaluation, ini_options, names, objects
from dl_bug_lsp.provenance.nodes import Edge, Node
from dl_bug_lsp.provenance.scopes import AnyItem, ElementOf, dotted_name
from dl_bug_lsp.provenance.values import (
    Class,
    Config,
    Function,
    Instance,
    Items,
    LibraryObject,
    Mapping,
    Module,
    Parsed,
)

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

MAX_CONFIGURED = 4
"""Statements like ``model.compile(…)`` that are taken for a part of what a name stands for."""
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


def _any_item(engine: Engine, node: Node, expr: AnyItem) -> list[Edge]:
    base = engine.node(expr.value, node.context)
    return [*(("item", n) for n in objects.any_items(engine, base)), ("base", base)]


def children(engine: Engine, node: Node, expr: ast.expr) -> list[Edge]:
    """Return the parts of an expression: what no rule of its own lists."""
    return [
        ("part", engine.node(child, node.context))
        for child in ast.iter_child_nodes(expr)
        if isinstance(child, ast.expr)
    ]


def _name(engine: Engine, node: Node, expr: ast.Name) -> list[Edge]:
    found = names.lookup(engine, expr.id, node.context, node.line)
    if not found:
        return [("definition", n) for n in names.imported_nodes(engine, expr.id, node)]
    edges: list[Edge] = [("definition", n) for n in found]
    scope = node.context.scope
    configured = [c for c in scope.configured.get(expr.id, []) if c.lineno < node.line]
    prefix = f"{expr.id}."
    edges.extend(
        ("configured", engine.node(b.value, node.context))
        for name, bindings in scope.bindings.items()
        if name.startswith(prefix)
        for b in bindings
        if b.line < node.line and not scope.owner
    )
    if configured and any(isinstance(v, (LibraryObject, Instance)) for v in node.values):
        edges.extend(
            ("configured", engine.node(call, node.context)) for call in configured[-MAX_CONFIGURED:]
        )
    return edges


def _attribute(engine: Engine, node: Node, expr: ast.Attribute) -> list[Edge]:
    dotted = dotted_name(expr)
    if dotted is not None:
        local = names.local(engine, dotted, node.context, node.line)
        if local:
            return [("definition", n) for n in local]
    base = engine.node(expr.value, node.context)
    found: list[Node] = []
    for value in base.values:
        if isinstance(value, Instance):
            found.extend(objects.attribute(engine, value, expr.attr))
        elif isinstance(value, Module):
            found.extend(names.module_nodes(engine, value.scope, expr.attr))
        elif isinstance(value, Class):
            found.extend(
                names.local(engine, expr.attr, engine.open_context(value.scope), 1 << 30) or []
            )
    found.extend(objects.table_members(engine, base, expr.attr))
    if not base.values and isinstance(expr.value, ast.Name):
        scope = node.context.scope
        parameters = scope.parameters()
        if scope.owner and parameters and parameters[0].arg == expr.value.id:
            found.extend(
                objects.attribute(engine, objects.unknown_instance(engine, scope.owner), expr.attr)
            )
    if found:
        return [("attribute", n) for n in found]
    return [("base", base)]


def _subscript(engine: Engine, node: Node, expr: ast.Subscript) -> list[Edge]:
    found = evaluation.subscript_nodes(engine, node, expr)
    base = engine.node(expr.value, node.context)
    edges: list[Edge] = [("item", n) for n in found]
    exact = isinstance(expr.slice, (ast.Constant, ast.UnaryOp)) and any(
        isinstance(v, (Items, Mapping, Config, Parsed)) for v in base.values
    )
    if not (found and exact):
        edges.append(("base", base))
    if not isinstance(expr.slice, ast.Constant):
        edges.append(("index", engine.node(expr.slice, node.context)))
    return edges


def _element_of(engine: Engine, node: Node, expr: ElementOf) -> list[Edge]:
    base = engine.node(expr.value, node.context)
    return [*(("item", n) for n in objects.elements_of(engine, base)), ("base", base)]


def _lambda(engine: Engine, node: Node, expr: ast.Lambda) -> list[Edge]:
    return [
        ("return", n)
        for f in calls.callables(engine, node)
        for n in calls.returns(engine, f, None, node.context)
    ]


def _call(engine: Engine, node: Node, expr: ast.Call) -> list[Edge]:
    context = node.context
    options = ini_options.option(engine, node, expr)
    if options:
        return [("item", option) for option in options]
    callee = engine.node(expr.func, context)
    functions = calls.callables(engine, callee)
    edges: list[Edge] = []
    for function in functions:
        edges.extend(("return", n) for n in calls.returns(engine, function, expr, context))
    if edges and not any(isinstance(v, (Instance, LibraryObject)) for v in callee.values):
        # The function's body leads to its arguments and its receiver where they matter.
        return edges
    if any(isinstance(v, (LibraryObject, Instance)) for v in callee.values):
        edges.append(("callee", callee))
    elif isinstance(expr.func, ast.Attribute):
        edges.append(("receiver", engine.node(expr.func.value, context)))
    elif not functions:
        edges.append(("callee", callee))
    library = not functions and not any(isinstance(v, Class) for v in callee.values)
    edges.extend(
        (f"argument {index}", engine.node(arg, context)) for index, arg in enumerate(expr.args)
    )
    edges.extend((f"argument {k.arg}", engine.node(k.value, context)) for k in expr.keywords)
    if library:
        edges.extend(_callbacks(engine, edges))
    return edges


def _callbacks(engine: Engine, edges: list[Edge]) -> list[Edge]:
    """Return what a library may get by calling back into what it was handed."""
    found: list[Edge] = []
    for role, node in edges:
        if role == "callee":
            continue
        for value in node.values:
            if isinstance(value, Function):
                found.extend(
                    ("callback", n) for n in calls.returns(engine, value, None, node.context)
                )
            elif isinstance(value, Instance):
                for name in USED_METHODS:
                    found.extend(
                        ("callback", n)
                        for n in objects.called(engine, value, (name,), node.context)
                    )
    return found


INPUTS: dict[type[ast.expr], Callable[[Engine, Node, Any], list[Edge]]] = {
    AnyItem: _any_item,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ElementOf: _element_of,
    ast.Lambda: _lambda,
    ast.Call: _call,
}
"""What lists the inputs of each kind of expression."""
