"""Which expressions each kind of expression is made of: the edges that a slice follows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.provenance import calls, changes, evaluation, known_calls, names, objects
from dl_bug_lsp.provenance.nodes import (
    Change,
    Class,
    Config,
    Context,
    Edge,
    Function,
    Instance,
    Items,
    LibraryObject,
    Mapping,
    Module,
    Node,
    Parsed,
)
from dl_bug_lsp.provenance.scopes import END, AnyItem, Delegated, ElementOf, Entered

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

MAX_CONFIGURED = 4
"""Statements like ``model.compile(…)`` that are taken for a part of what a name stands for."""
DECLARES = {"add_argument", "add_option", "set_defaults", "add_argument_group"}
"""Methods that declare options: what they declare is looked up by the option's name."""
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

LOOKS_ON = frozenset(("compute_metrics", "preprocess_logits_for_metrics", "metrics", "callbacks"))
"""Arguments of trainers whose functions look at what was computed and hand nothing back."""

ONLY_CHANGED_BY = {
    "pandas.": frozenset(("insert", "pop", "update", "sort")),
    "numpy.": frozenset(("sort", "fill", "resize", "put", "partition", "itemset", "setflags")),
}
"""The methods that change objects of a library; all others of its give new ones.

Of pandas those with ``inplace=True`` do, too (pandas, "Copy-on-Write"; NumPy, "ndarray").
"""
ASKS = frozenset((
    *("get", "is", "has", "most", "find", "search", "count", "len", "info", "head", "tail"),
    *("sample", "read"),
    *("describe", "plot", "show", "display", "print", "predict", "transform", "score", "summary"),
    *("evaluate", "inverse", "similarity", "similar", "similarities", "wv", "distance"),
    *("save", "savefig", "export", "dump", "hist", "boxplot", "scatter", "imshow", "query"),
    *("groupby", "value", "nunique", "unique", "corr", "isnull", "isna", "notna", "mean", "sum"),
    *("min", "max", "std", "var", "median", "argmax", "argmin", "quantile", "pivot", "merge"),
    *("kneighbors", "decode", "tokenize", "generate", "doesnt", "keys", "values", "items"),
    *("equals", "nlargest", "nsmallest", "crosstab", "melt", "fillna", "dropna", "sort_values"),
    *("drop_duplicates", "reset_index", "set_index", "rename", "astype", "numpy", "tolist"),
    *("inspect", "check", "compare", "visualize", "detect", "explain"),
))  # fmt: skip
"""First words of methods that look something up, show it or make something new of it."""
CHANGES_AFTER_ALL = frozenset(
    ("to", "to_empty", "to_bettertransformer", "read", "read_file", "read_dict", "read_string")
)
"""Methods that do change what they belong to: a network, a parser of settings."""


def may_change(call: ast.Call, kinds: Sequence[str]) -> bool:
    """Whether a method that a statement calls may change its object, of one of some classes."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    inplace = next((k.value for k in call.keywords if k.arg == "inplace"), None)
    if inplace is not None:
        return not (isinstance(inplace, ast.Constant) and not inplace.value)
    if method.endswith("_") or method in CHANGES_AFTER_ALL:
        return True
    for library, methods in ONLY_CHANGED_BY.items():
        if kinds and all(kind.startswith(library) for kind in kinds):
            return method in methods
    first = method.partition("_")[0]
    return not (first in ASKS or method in ASKS or method.startswith("to_"))


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


def _changed(changes_made: list[Change]) -> list[Edge]:
    return [("changed", change.value) for change in changes_made]


def _name(engine: Engine, node: Node, expr: ast.Name) -> list[Edge]:
    definitions, changes_made = evaluation.meaning(engine, node, expr)
    edges: list[Edge] = [("definition", n) for n in definitions]
    edges.extend(_changed(changes_made))
    if not definitions:
        defined = node.context.scope.decorated.get(expr.id)
        return edges if defined is None else [("decorator", engine.node(defined, node.context))]
    at: Context | None = node.context
    while at is not None and at.outer is not None:
        if expr.id in at.scope.bindings or at.scope.takes(expr.id):
            break
        at = at.outer
    holder = at or node.context
    scope = holder.scope
    line = node.line if holder is node.context else END
    configured = [
        c
        for c in scope.configured.get(expr.id, [])
        if c.lineno < line and getattr(c.func, "attr", "") not in DECLARES
    ]
    kinds = [v.name for v in node.values if isinstance(v, LibraryObject)]
    configured = [c for c in configured if may_change(c, kinds)]
    prefix = f"{expr.id}."
    edges.extend(
        ("configured", names.placed(engine, b.value, b, holder))
        for name, bindings in scope.bindings.items()
        if name.startswith(prefix)
        for b in bindings
        if b.line < line and not scope.owner
    )
    if configured and any(isinstance(v, (LibraryObject, Instance)) for v in node.values):
        edges.extend(
            ("configured", engine.node(call, holder)) for call in configured[-MAX_CONFIGURED:]
        )
    return edges


def _attribute(engine: Engine, node: Node, expr: ast.Attribute) -> list[Edge]:
    local, changes_made = evaluation.attribute_meaning(engine, node, expr)
    if local:
        return [*(("definition", n) for n in local), *_changed(changes_made)]
    base = engine.node(expr.value, node.context)
    members: list[Node] = []
    for value in base.values:
        if isinstance(value, Instance):
            members.extend(objects.attribute(engine, value, expr.attr))
            changes_made.extend(changes.of_attribute(engine, value, expr.attr))
        elif isinstance(value, Module):
            defined, put = names.module_meaning(engine, value.scope, expr.attr)
            members.extend(defined)
            changes_made.extend(put)
        elif isinstance(value, Class):
            for cls in objects.lineage(engine, value.scope):
                members.extend(names.local(engine, expr.attr, engine.open_context(cls), END) or [])
                if members:
                    break
            changes_made.extend(objects.class_changes(engine, value.scope, expr.attr))
    settings = list(objects.table_members(engine, base, expr.attr))
    if settings or members or changes_made:
        return [
            *dict.fromkeys(("attribute", n) for n in (*members, *settings)),
            *dict.fromkeys(_changed(changes_made)),
            *dict.fromkeys(("base", n) for n in _sections(base) if settings),
        ]
    # An option that no statement declares: those that are declared may show why.
    declared = [
        n
        for v in base.values
        if isinstance(v, Parsed)
        for nodes in v.options.values()
        for n in nodes[:1]
    ]
    return [("base", base), *(("declared", n) for n in declared)]


def _sections(base: Node) -> list[Node]:
    """Return the expressions that chose the section of the settings that a name stands for."""
    if not isinstance(base.expr, ast.Name):
        return []
    chosen = [node for role, node in base.inputs if role == "definition"]
    return [node for node in chosen if isinstance(node.expr, (ast.Attribute, ast.Subscript))]


def _subscript(engine: Engine, node: Node, expr: ast.Subscript) -> list[Edge]:
    items = evaluation.subscript_nodes(engine, node, expr)
    base = engine.node(expr.value, node.context)
    edges: list[Edge] = [("item", n) for n in items]
    exact = isinstance(expr.slice, (ast.Constant, ast.UnaryOp)) and any(
        isinstance(v, (Items, Mapping, Config, Parsed)) for v in base.values
    )
    if not (items and exact) or _of_library(base):
        edges.append(("base", base))
    elif isinstance(expr.value, (ast.Name, ast.Subscript)):
        edges.extend(("changed", n) for n in _put_inside(engine, node, expr))
    if not isinstance(expr.slice, ast.Constant):
        edges.append(("index", engine.node(expr.slice, node.context)))
    return edges


def _of_library(base: Node) -> bool:
    """Whether a base is what a call of a library gives, which decides about the items too."""
    return isinstance(base.expr, ast.Call) and not any(role == "return" for role, _ in base.inputs)


def _put_inside(engine: Engine, node: Node, expr: ast.Subscript) -> list[Node]:
    """Return what is put into a part of a table (``table[a][b] = value``) that may be this one."""
    root: ast.expr = expr
    key: ast.expr = expr.slice
    while isinstance(root, ast.Subscript):
        key, root = root.slice, root.value
    if not isinstance(root, ast.Name):
        return []
    _, changes_made = evaluation.meaning(engine, engine.node(root, node.context), root)
    keys = engine.node(key, node.context).constants
    values = []
    for change in changes_made:
        if change.how == "inside":
            known = change.key.constants if change.key is not None else ()
            if not known or not keys or set(known) & set(keys):
                values.append(change.value)
    return values


def _element_of(engine: Engine, node: Node, expr: ElementOf | Delegated) -> list[Edge]:
    base = engine.node(expr.value, node.context)
    return [*(("item", n) for n in objects.elements_of(engine, base)), ("base", base)]


def _entered(engine: Engine, node: Node, expr: Entered) -> list[Edge]:
    manager = engine.node(expr.value, node.context)
    nodes = evaluation.entered(engine, node, expr)
    return [*(("return", n) for n in nodes if n is not manager), ("base", manager)]


def _lambda(engine: Engine, node: Node, expr: ast.Lambda) -> list[Edge]:
    return [
        ("return", n)
        for f in calls.callables(engine, node)
        for n in calls.returns(engine, f, None, node.context)
    ]


def _call(engine: Engine, node: Node, expr: ast.Call) -> list[Edge]:
    context = node.context
    options = known_calls.option(engine, node, expr)
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
    elif isinstance(expr.func, ast.Attribute) and all(role == "base" for role, _ in callee.inputs):
        edges.append(("receiver", engine.node(expr.func.value, context)))
    elif not functions:
        edges.append(("callee", callee))
    edges.extend(("item", n) for n in known_calls.made_of(engine, node, expr, callee))
    library = not functions and not any(isinstance(v, Class) for v in callee.values)
    edges.extend(
        (f"argument {index}", engine.node(arg, context)) for index, arg in enumerate(expr.args)
    )
    edges.extend((f"argument {k.arg}", engine.node(k.value, context)) for k in expr.keywords)
    if library:
        edges.extend(_callbacks(engine, edges))
        edges.extend(("stored", n) for n in known_calls.stored(engine, node, expr))
    return edges


def _callbacks(engine: Engine, edges: list[Edge]) -> list[Edge]:
    """Return what a library may get by calling back into what it was handed."""
    callbacks: list[Edge] = []
    for role, node in edges:
        if role == "callee" or role.removeprefix("argument ") in LOOKS_ON:
            continue
        for value in node.values:
            if isinstance(value, Function):
                callbacks.extend(
                    ("callback", n) for n in calls.returns(engine, value, None, node.context)
                )
            elif isinstance(value, Instance):
                for name in USED_METHODS:
                    callbacks.extend(
                        ("callback", n)
                        for n in objects.called(engine, value, (name,), node.context)
                    )
    return callbacks


INPUTS: dict[type[ast.expr], Callable[[Engine, Node, Any], list[Edge]]] = {
    AnyItem: _any_item,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ElementOf: _element_of,
    Delegated: _element_of,
    Entered: _entered,
    ast.Lambda: _lambda,
    ast.Call: _call,
}
"""What lists the inputs of each kind of expression."""
