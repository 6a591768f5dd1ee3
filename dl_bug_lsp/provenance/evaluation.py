"""What each kind of expression may stand for, folded without running anything."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.provenance import blocks, calls, changes, known_calls, names, objects
from dl_bug_lsp.provenance.folding import fold_binary, fold_unary, formatted, percent
from dl_bug_lsp.provenance.nodes import (
    MAX_ALTERNATIVES,
    MAX_ITEMS,
    MAX_WRITTEN_OUT,
    Change,
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
    Node,
    Value,
    combined,
    union,
)
from dl_bug_lsp.provenance.scopes import (
    AnyItem,
    Decorated,
    Delegated,
    ElementOf,
    Entered,
    dotted_name,
)

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine


def _constant(engine: Engine, node: Node, expr: ast.Constant) -> list[Value]:
    value = expr.value
    if value is None or isinstance(value, (str, int, float, bool, bytes)):
        return [Const(value)]
    return []


def meaning(engine: Engine, node: Node, expr: ast.Name) -> tuple[list[Node], list[Change]]:
    """Return the definitions of a name, and what was put into the object since."""
    inline = _inline(engine, node, expr)
    if inline is not None:
        return [inline], []
    known = names.home(engine, expr.id, node.context, node.line, expr.col_offset)
    if known is not None:
        owner, line, nodes = known
        return nodes, changes.of_name(engine, expr.id, owner, line, nodes)
    return names.imported_meaning(engine, expr.id, node.context)


def _inline(engine: Engine, node: Node, expr: ast.Name) -> Node | None:
    """Return what a comprehension's target stands for in the comprehension."""
    context: Context | None = node.context
    inline = node.context.scope.inline.get(id(expr))
    if inline is None:
        return None
    while context is not None and context.scope is not inline.scope:
        context = context.outer
    context = context or engine.open_context(inline.scope)
    item = node.context.extra.get(expr.id) or context.extra.get(expr.id)
    return item or engine.node(inline.value, context)


def _name(engine: Engine, node: Node, expr: ast.Name) -> list[Value]:
    nodes, changes_made = meaning(engine, node, expr)
    if nodes or changes_made:
        return combined(nodes, union(nodes), changes_made)
    return names.definition(engine, expr.id, node.context)


def attribute_meaning(
    engine: Engine, node: Node, expr: ast.Attribute
) -> tuple[list[Node], list[Change]]:
    """Return what is assigned to a dotted name in its own scope, and what is put into it there."""
    dotted = dotted_name(expr)
    if dotted is None:
        return [], []
    nodes = names.local(engine, dotted, node.context, node.line, expr.col_offset) or []
    changes_made = changes.of_name(engine, dotted, node.context, node.line, nodes) if nodes else []
    return nodes, changes_made


def _attribute(engine: Engine, node: Node, expr: ast.Attribute) -> list[Value]:
    nodes, changes_made = attribute_meaning(engine, node, expr)
    if nodes:
        return combined(nodes, union(nodes), changes_made)
    values: list[Value] = []
    base = engine.node(expr.value, node.context)
    for value in base.values:
        if isinstance(value, Module):
            values.extend(names.module_member(engine, value.scope, expr.attr))
        elif isinstance(value, Library):
            inner = names.submodule(engine, node, f"{value.name}.{expr.attr}")
            values.append(inner or Library(f"{value.name}.{expr.attr}"))
        elif isinstance(value, Class):
            values.extend(objects.class_member(engine, value, expr.attr))
        elif isinstance(value, Instance):
            values.extend(objects.instance_member(engine, value, expr.attr))
        elif isinstance(value, LibraryObject):
            method = None
            if value.name == objects.SUPER:
                method = objects.inherited(engine, node, expr.attr)
            values.extend([method] if method else objects.library_member(engine, value, expr.attr))
    if expr.attr == "__dict__":
        values = list(base.values)
    values.extend(union(objects.table_members(engine, base, expr.attr)))
    return values


def _subscript(engine: Engine, node: Node, expr: ast.Subscript) -> list[Value]:
    if isinstance(expr.slice, ast.Slice):
        return _sliced(engine, node, expr, expr.slice)
    return union(subscript_nodes(engine, node, expr))


def _sliced(engine: Engine, node: Node, expr: ast.Subscript, index: ast.Slice) -> list[Value]:
    """Slice a list that is written down, in the code or in a config file."""
    base = engine.node(expr.value, node.context)
    bounds: list[int | None] = []
    for part in (index.lower, index.upper, index.step):
        constant = engine.node(part, node.context).constant if part is not None else None
        bound = constant.value if constant is not None else None
        bounds.append(bound if isinstance(bound, int) else None)
        if part is not None and bounds[-1] is None:
            return []
    slices: list[Value] = []
    for value in base.values:
        complete = True
        if isinstance(value, Items):
            items, complete = value.items, value.complete
        elif isinstance(value, Config) and value.entry is not None:
            items = tuple(objects.config_items(engine, value, base.context))
        else:
            continue
        if bounds[2] != 0:
            cut = items[bounds[0] : bounds[1] : bounds[2]]
            slices.append(Items(cut if cut or complete else items, complete))
    return slices


def subscript_nodes(engine: Engine, node: Node, expr: ast.Subscript) -> list[Node]:
    """Return the nodes that an index or key picks."""
    base = engine.node(expr.value, node.context)
    index = engine.node(expr.slice, node.context)
    nodes: list[Node] = []
    if isinstance(expr.slice, ast.Slice):
        return []
    for constant in index.constants:
        if isinstance(constant.value, (str, int)):
            nodes.extend(objects.member(engine, base, constant.value))
    if not nodes and not index.constants:
        for value in base.values:
            if isinstance(value, Items):
                nodes.extend(value.items)
            elif isinstance(value, Mapping):
                nodes.extend(item for _, item in value.pairs)
            elif isinstance(value, Instance):
                nodes.extend(objects.called(engine, value, ("__getitem__",), node.context))
    return nodes[:MAX_ALTERNATIVES]


NOT_FOLDED = Library("a value that is not known without running the program")
"""What arithmetic makes of the alternatives of an operand that are no constants."""


def _bin_op(engine: Engine, node: Node, expr: ast.BinOp) -> list[Value]:
    left, right = engine.node(expr.left, node.context), engine.node(expr.right, node.context)
    values: list[Value] = []
    for a in left.constants:
        for b in right.constants:
            value = fold_binary(expr.op, a.value, b.value)
            if value is not None and value not in values:
                values.append(value)
    if values and any(len(side.constants) < len(side.values) for side in (left, right)):
        values.append(NOT_FOLDED)
    if not values and isinstance(expr.op, ast.Div):
        values.extend(known_calls.joined_path(left, right))
    if not values and isinstance(expr.op, (ast.Add, ast.Mult, ast.Mod)):
        values.extend(_with_lists(engine, expr.op, left, right))
    return values


def _with_lists(engine: Engine, op: ast.operator, left: Node, right: Node) -> list[Value]:
    """Join or repeat lists that are written down; fill a tuple into a text."""
    if isinstance(op, ast.Add):
        first, second = (objects.written_items(engine, side) for side in (left, right))
        if first is not None and second is not None:
            return [Items((*first, *second))]
    lists = [v for side in (left, right) for v in side.values if isinstance(v, Items)]
    if isinstance(op, ast.Add) and len(lists) == 2:
        complete = lists[0].complete and lists[1].complete
        return [Items((*lists[0].items, *lists[1].items), complete)]
    if len(lists) != 1:
        return []
    items, other = lists[0], left.constant or right.constant
    if isinstance(op, ast.Mod) and other is not None and isinstance(other.value, str):
        constants = [item.constant for item in items.items]
        filled = percent(other.value, [c.value for c in constants if c is not None])
        return [filled] if filled is not None and items.complete and all(constants) else []
    if isinstance(op, ast.Mult):
        times = other.value if other is not None else None
        if isinstance(times, int) and 0 <= times * len(items.items) <= MAX_ITEMS:
            return [Items(items.items * times, items.complete)]
        return [Items(items.items, complete=False)]
    return []


def _unary_op(engine: Engine, node: Node, expr: ast.UnaryOp) -> list[Value]:
    operand = engine.node(expr.operand, node.context)
    if len(operand.constants) != len(operand.values):
        return []
    folded = [fold_unary(expr.op, constant.value) for constant in operand.constants]
    return [value for value in folded if value is not None]


def _if_exp(engine: Engine, node: Node, expr: ast.IfExp) -> list[Value]:
    return union([engine.node(e, node.context) for e in (expr.body, expr.orelse)])


def _bool_op(engine: Engine, node: Node, expr: ast.BoolOp) -> list[Value]:
    return union([engine.node(e, node.context) for e in expr.values])


def _handed_on(
    engine: Engine, node: Node, expr: ast.Await | ast.NamedExpr | ast.Starred
) -> list[Value]:
    return list(engine.node(expr.value, node.context).values)


def _joined_str(engine: Engine, node: Node, expr: ast.JoinedStr) -> list[Value]:
    parts: list[str] = []
    for part in expr.values:
        text: str | None = None
        if isinstance(part, ast.FormattedValue):
            constant = engine.node(part.value, node.context).constant
            format_spec = part.format_spec
            spec = engine.node(format_spec, node.context).constant if format_spec else Const("")
            if constant is not None and spec is not None:
                text = formatted(constant.value, str(spec.value), part.conversion)
        elif isinstance(part, ast.Constant):
            text = str(part.value)
        if text is None:
            return []
        parts.append(text)
    return [Const("".join(parts))]


def _lambda(engine: Engine, node: Node, expr: ast.Lambda) -> list[Value]:
    name = f"<lambda>:{expr.lineno}:{expr.col_offset}"
    scope = node.context.scope.functions.get(name)
    return [Function(scope, None, node.context)] if scope is not None else []


def _sequence(engine: Engine, node: Node, expr: ast.List | ast.Tuple | ast.Set) -> list[Value]:
    items: list[Node] = []
    complete = True
    for element in expr.elts:
        if isinstance(element, ast.Starred):
            inner = engine.node(element.value, node.context)
            written = objects.written_items(engine, inner)
            lists = [v for v in inner.values if isinstance(v, Items)]
            complete = complete and written is not None
            items.extend(written or (lists[0].items if lists else (inner,)))
        else:
            items.append(engine.node(element, node.context))
    return [Items(tuple(items), complete)]


def _comprehension(
    engine: Engine, node: Node, expr: ast.ListComp | ast.SetComp | ast.GeneratorExp
) -> list[Value]:
    """Write a comprehension out where what it iterates over is written down."""
    generator = expr.generators[0]
    target = generator.target
    simple = len(expr.generators) == 1 and isinstance(target, ast.Name)
    source = engine.node(generator.iter, node.context)
    written = objects.written_items(engine, source)
    known = next((list(v.items) for v in source.values if isinstance(v, Items)), written)
    if simple and isinstance(target, ast.Name) and known is not None and not generator.ifs:
        items = [
            engine.node(expr.elt, calls.with_name(engine, node.context, target.id, item))
            for item in known[:MAX_WRITTEN_OUT]
        ]
        return [Items(tuple(items), complete=written is not None and len(items) == len(written))]
    return [Items((engine.node(expr.elt, node.context),), complete=False)]


def _dict_comprehension(engine: Engine, node: Node, expr: ast.DictComp) -> list[Value]:
    generator = expr.generators[0]
    target = generator.target
    source = engine.node(generator.iter, node.context)
    written = objects.written_items(engine, source) if isinstance(target, ast.Name) else None
    contexts = [node.context]
    if written and isinstance(target, ast.Name) and len(expr.generators) == 1:
        contexts = [
            calls.with_name(engine, node.context, target.id, item)
            for item in written[:MAX_WRITTEN_OUT]
        ]
    pairs = [(engine.node(expr.key, at), engine.node(expr.value, at)) for at in contexts]
    return [Mapping(tuple(pairs), complete=bool(written))]


def _dict(engine: Engine, node: Node, expr: ast.Dict) -> list[Value]:
    pairs: list[tuple[Node | None, Node]] = [
        (None if key is None else engine.node(key, node.context), engine.node(value, node.context))
        for key, value in zip(expr.keys, expr.values, strict=True)
    ]
    return [Mapping(tuple(pairs))]


def _element_of(engine: Engine, node: Node, expr: ElementOf | Delegated) -> list[Value]:
    return union(objects.elements_of(engine, engine.node(expr.value, node.context)))


def _any_item(engine: Engine, node: Node, expr: AnyItem) -> list[Value]:
    return union(objects.any_items(engine, engine.node(expr.value, node.context)))


def _entered(engine: Engine, node: Node, expr: Entered) -> list[Value]:
    return union(entered(engine, node, expr))


def entered(engine: Engine, node: Node, expr: Entered) -> list[Node]:
    """Return what ``with`` binds: what ``__enter__`` gives, what a context manager yields."""
    manager = engine.node(expr.value, node.context)
    nodes: list[Node] = []
    for value in manager.values:
        if isinstance(value, Instance):
            nodes.extend(objects.called(engine, value, ("__enter__", "__aenter__"), node.context))
    if isinstance(expr.value, ast.Call):
        callee = engine.node(expr.value.func, node.context)
        for function in calls.callables(engine, callee):
            if function.scope.yields and "contextmanager" in " ".join(function.scope.decorators()):
                nodes.extend(calls.returns(engine, function, expr.value, node.context))
    return nodes or [manager]


def _decorated(engine: Engine, node: Node, expr: Decorated) -> list[Value]:
    return [names.plain(expr.scope, node.context)]


def _call(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    options = known_calls.option(engine, node, expr)
    if options:
        return union(options)
    callee = engine.node(expr.func, node.context)
    values: list[Value] = []
    for value in callee.values:
        if isinstance(value, Class):
            values.append(calls.construct(engine, value, node, expr))
        elif isinstance(value, Library):
            values.extend(known_calls.call(engine, value.name, node, expr))
    for function in calls.callables(engine, callee):
        returned = calls.returns(engine, function, expr, node.context)
        values.extend(union(returned))
        if function.scope.yields:
            values = [Items(tuple(returned), complete=False)]
    if not values and isinstance(expr.func, ast.Attribute):
        values.extend(known_calls.method_call(engine, node, expr))
    if not values or all(isinstance(v, LibraryObject) for v in values):
        configured = _configured(engine, node, expr)
        values = configured or values
    return values


def _configured(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    """Return what a call makes of a config: a Python file that is loaded, an object of a block."""
    last = str(getattr(expr.func, "attr", "") or getattr(expr.func, "id", ""))
    arguments = [
        engine.node(a, node.context) for a in expr.args[:2] if not isinstance(a, ast.Starred)
    ]
    if last in ("fromfile", "run_path"):
        return engine.configuration.loaded(arguments[0] if arguments else None)
    return blocks.built(engine, last, arguments)


VALUES: dict[type[ast.expr], Callable[[Engine, Node, Any], list[Value]]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _bin_op,
    ast.UnaryOp: _unary_op,
    ast.IfExp: _if_exp,
    ast.BoolOp: _bool_op,
    ast.Await: _handed_on,
    ast.NamedExpr: _handed_on,
    ast.Starred: _handed_on,
    ast.JoinedStr: _joined_str,
    ast.Lambda: _lambda,
    ast.Dict: _dict,
    ElementOf: _element_of,
    Delegated: _element_of,
    Decorated: _decorated,
    ast.DictComp: _dict_comprehension,
    AnyItem: _any_item,
    Entered: _entered,
    ast.Call: _call,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
}
"""What evaluates each kind of expression: (engine, node, expression) to values."""
