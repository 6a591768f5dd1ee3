"""Inheritance: what ``super()`` means, and what a base's constructor is called with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import calls, names, objects
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.provenance.values import Context, Function, Instance

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

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
    for cls in objects.lineage(engine, owner)[1:]:
        if name in cls.functions:
            receiver = _receiver(engine, node, scope, owner)
            return Function(cls.functions[name], receiver, engine.open_context(cls))
    return None


def _receiver(engine: Engine, node: Node, method: Scope, owner: Scope) -> Node:
    parameters = method.parameters()
    if parameters:
        found = names.lookup(engine, parameters[0].arg, node.context, node.line)
        if found:
            return found[0]
    return objects.unknown_instance(engine, owner).built


def constructor_of_base(engine: Engine, instance: Instance, method: Scope) -> Context | None:
    """Return the context of a base's ``__init__`` as the constructors of an instance call it."""

    def work() -> list[Context]:
        contexts = [instance.context]
        for context in contexts:
            for call in context.scope.calls:
                if getattr(call.func, "attr", "") != "__init__":
                    continue
                callee = engine.node(call.func, context)
                for function in calls.callables(engine, callee):
                    entered = calls.enter(engine, function, call, context)
                    if function.scope is method:
                        return [entered]
                    if len(contexts) < MAX_CONSTRUCTORS and entered not in contexts:
                        contexts.append(entered)
        return []

    found = engine.ask("constructor", id(instance.built), id(method), work=work)
    return found[0] if found else None
