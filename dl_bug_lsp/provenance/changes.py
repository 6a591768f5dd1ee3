"""What is put into an object after it was made: by methods, callees, other modules, by name."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import calls, names, objects
from dl_bug_lsp.provenance.nodes import (
    MAX_CHANGES,
    Change,
    Context,
    Instance,
    Items,
    LibraryObject,
    Mapping,
    Node,
    Parsed,
    Value,
)
from dl_bug_lsp.provenance.scopes import DEFINES, END, AnyItem, Binding, Scope, dotted_name

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

FILLED = (
    *("collections.", "queue.", "builtins.dict", "builtins.list", "builtins.set"),
    *("keras.", "tensorflow.keras", "torch.nn.", "argparse.", "types.SimpleNamespace"),
)
"""Libraries and builtins whose objects are filled by those that they are handed to."""
MAX_OUTSIDE = 8


def of_name(
    engine: Engine, name: str, context: Context, line: int, nodes: list[Node]
) -> list[Change]:
    """Return what is put into the object of a name that a context's scope knows, up to a line.

    ``nodes`` are what the name stands for; others than the scope itself are looked at only where
    one of them makes something that is filled.
    """
    scope = context.scope
    far = scope.is_module or name in scope.passed
    if not far and name not in scope.bindings:
        return []
    key = ("changes", id(context), name, scope.statement_start(line))

    def work() -> list[Change]:
        filled = far and any(may_be_filled(n.values) for n in nodes)
        return _of_name(engine, name, context, line, filled)

    return engine.ask(*key, work=work)


def _of_name(engine: Engine, name: str, context: Context, line: int, filled: bool) -> list[Change]:
    scope = context.scope
    loops = set(scope.around(line)[1])
    since = names.made_at(scope, name, line)
    bindings = [
        b
        for b in scope.bindings.get(name, ())
        if b.how not in DEFINES and (since <= b.line < line or not loops.isdisjoint(b.loops))
    ]
    changes = [_change(engine, b, context) for b in bindings[-MAX_CHANGES:]]
    if not filled:
        return changes[-MAX_CHANGES:]
    if scope.is_module:
        for binding in engine.program.changes(scope, name):
            changes.extend(_elsewhere(engine, binding))
    for call in scope.passed.get(name, ()):
        looping = set(scope.around(call.lineno)[1]) & loops
        if since <= call.lineno < line or looping:
            changes.extend(_by_callee(engine, name, call, context))
        if len(changes) >= MAX_CHANGES:
            break
    return changes[-MAX_CHANGES:]


def _change(engine: Engine, binding: Binding, context: Context) -> Change:
    key = names.placed(engine, binding.key, binding, context) if binding.key is not None else None
    return Change(binding.how, key, names.placed(engine, binding.value, binding, context))


def _elsewhere(engine: Engine, binding: Binding) -> list[Change]:
    """Return a change by a function or another module, once for each call of it that is known."""
    scope = binding.scope
    contexts = calls.entries(engine, scope) if not (scope.is_module or scope.is_class) else []
    return [
        _change(engine, binding, context) for context in contexts or [engine.open_context(scope)]
    ][:MAX_CHANGES]


def _by_callee(engine: Engine, name: str, call: ast.Call, context: Context) -> list[Change]:
    """Return what a workspace function puts into an object that it is handed."""
    arguments = [*call.args, *(k.value for k in call.keywords)]
    changes: list[Change] = []
    callee = engine.node(call.func, context)
    for function in calls.callables(engine, callee):
        if not _changes_parameters(function.scope):
            continue
        entered = calls.enter(engine, function, call, context)
        for parameter, bound in (entered.bindings or {}).items():
            if any(bound.expr is expr for expr in arguments) and _is_name(bound.expr, name):
                changes.extend(of_name(engine, parameter, entered, END, [bound]))
    return changes


def _is_name(expr: ast.expr, name: str) -> bool:
    return dotted_name(expr) == name


def _changes_parameters(scope: Scope) -> bool:
    """Whether a function may put something into what it is handed."""
    return any(
        name in scope.passed or any(b.mutates for b in scope.bindings.get(name, ()))
        for name in (p.arg for p in scope.parameters())
    )


def of_attribute(engine: Engine, instance: Instance, name: str) -> list[Change]:
    """Return what is put into the object that an attribute of an instance holds."""

    def work() -> list[Change]:
        changes: list[Change] = []
        for cls in objects.lineage(engine, instance.cls):
            for method, binding in cls.attributes.get(name, ()):
                if binding.how not in DEFINES:
                    context = objects.method_context(engine, instance, cls, method)
                    changes.append(_change(engine, binding, context))
            for method in cls.functions.values():
                parameters = method.parameters()
                dotted = f"{parameters[0].arg}.{name}" if parameters else ""
                for call in method.passed.get(dotted, ()):
                    context = objects.method_context(engine, instance, cls, method)
                    changes.extend(_by_callee(engine, dotted, call, context))
        changes.extend(c for c in outside(engine, instance, name) if c.how not in DEFINES)
        return changes[:MAX_CHANGES]

    return engine.ask("attribute changes", id(instance.cls), id(instance.built), name, work=work)


def outside(engine: Engine, instance: Instance, name: str) -> list[Change]:
    """Return what other code than the class's own sets an attribute to or puts into it."""

    def work() -> list[Change]:
        changes: list[Change] = []
        for root, binding in engine.program.attribute_changes(name)[:MAX_OUTSIDE]:
            context = engine.open_context(binding.scope)
            probe = engine.made(("root", id(binding)), lambda: _dotted(root, binding))  # noqa: B023
            holders = engine.node(probe, context).values
            if any(isinstance(v, Instance) and v.cls is instance.cls for v in holders):
                changes.append(_change(engine, binding, context))
        return changes

    return engine.ask("outside", id(instance.cls), name, work=work)


def of_options(engine: Engine, options: Parsed, name: str) -> list[Node]:
    """Return what the program sets an attribute of parsed options to, as ``args.device = …``."""

    def work() -> list[Node]:
        nodes: list[Node] = []
        for root, binding in engine.program.attribute_changes(name)[:MAX_OUTSIDE]:
            if binding.how not in DEFINES:
                continue
            context = engine.open_context(binding.scope)
            probe = engine.made(("root", id(binding)), lambda: _dotted(root, binding))  # noqa: B023
            if any(v == options for v in engine.node(probe, context).values):
                nodes.append(_change(engine, binding, context).value)
        return nodes

    return engine.ask("options", id(options), name, work=work)


def of_environment(engine: Engine, key: str | int) -> list[Node]:
    """Return what the program sets an environment variable to."""
    nodes: list[Node] = []
    for _, binding in engine.program.attribute_changes("environ"):
        if binding.how == "store" and binding.key is not None:
            change = _change(engine, binding, engine.open_context(binding.scope))
            if change.key is not None and any(c.value == key for c in change.key.constants):
                nodes.append(change.value)
    return nodes


def _dotted(root: str, binding: Binding) -> ast.expr:
    expression = ast.parse(root, mode="eval").body
    for node in ast.walk(expression):
        ast.copy_location(node, binding.value)
        if isinstance(node, ast.expr):
            node.lineno = binding.line
    return expression


def set_by_name(engine: Engine, instance: Instance, name: str | None) -> list[Node]:
    """Return what ``setattr(self, …)`` and ``self.__dict__.update(…)`` set an attribute to.

    ``name`` is None for an attribute whose name is not known.
    """
    nodes: list[Node] = []
    for cls in objects.lineage(engine, instance.cls):
        for method in cls.functions.values():
            parameters = method.parameters()
            me = parameters[0].arg if parameters else ""
            for call in method.calls:
                func = call.func
                is_setter = isinstance(func, ast.Name) and func.id == "setattr"
                if is_setter and len(call.args) == 3 and _is_name(call.args[0], me):
                    context = objects.method_context(engine, instance, cls, method)
                    nodes.extend(_set_to(engine, call, name, context))
                elif dotted_name(func) == f"{me}.__dict__.update":
                    context = objects.method_context(engine, instance, cls, method)
                    for argument in (*call.args, *(k.value for k in call.keywords)):
                        table = engine.node(argument, context)
                        known = objects.member(engine, table, name) if name is not None else []
                        nodes.extend(known or [table])
    return nodes


def _set_to(engine: Engine, call: ast.Call, name: str | None, context: Context) -> list[Node]:
    """Return what a ``setattr`` gives a name, nothing where it is known to set others."""
    key, value = (engine.node(a, context) for a in call.args[1:])
    known = [c.value for c in key.constants]
    if name is None or not known or not isinstance(call.args[1], (ast.Name, ast.Constant)):
        return [value]
    if name not in known:
        return []
    # ``for key, value in table.items()``: the value that goes with the name.
    tables = [v for v in _tables(engine, call.args[2], context) if v.values]
    members = [n for table in tables for n in objects.member(engine, table, name)]
    return (
        [engine.derived(("set", id(value), name), value, lambda: members)] if members else [value]
    )


def _tables(engine: Engine, expr: ast.expr, context: Context) -> list[Node]:
    tables = []
    if isinstance(expr, ast.Name):
        for binding in context.scope.bindings.get(expr.id, ()):
            inner = getattr(binding.value, "value", None)
            if isinstance(binding.value, AnyItem) and inner is not None:
                tables.append(engine.node(inner, context))
    return tables


def may_be_filled(values: Iterable[Value]) -> bool:
    """Whether callees and other modules may put something into one of the values."""
    return any(
        isinstance(v, (Items, Mapping)) or (isinstance(v, LibraryObject) and _is_filled(v.name))
        for v in values
    )


def _is_filled(name: str) -> bool:
    return name.startswith(FILLED)
