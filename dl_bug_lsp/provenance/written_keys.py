"""Which keys a program puts into a dictionary: displays, comprehensions, items, updates, functions.

The way is that of the dictionary itself, not of its values: from what a call writes to the
definitions of the name, into the functions that return it, and to what is merged into it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.provenance.nodes import Context, Node
from dl_bug_lsp.provenance.scopes import Binding, called_name, dotted_name

MAX_NODES = 120
"""Expressions on the way of one dictionary."""
SAME_KEYS = {"copy", "deepcopy", "dict", "OrderedDict", "Counter", "items"}
"""Calls that give the keys of what they are given, or of what they are called on."""
OF_LIBRARIES = {"dict", "OrderedDict", "defaultdict", "Counter"}
HANDING_ON = ("definition", "attribute", "return")


@dataclass(slots=True)
class WrittenKeys:
    """The keys that are put into a dictionary, each with the line of its statement.

    Not ``complete`` where more may be put into it that nothing here tells.
    """

    keys: list[tuple[Node, int]] = field(default_factory=list)
    complete: bool = True


def keys_of(node: Node) -> WrittenKeys:
    """Return the keys that a program puts into what an expression stands for."""
    found = WrittenKeys()
    waiting, seen = [node], {id(node)}
    while waiting:
        at = waiting.pop()
        for child in _step(at, found):
            if id(child) not in seen:
                seen.add(id(child))
                waiting.append(child)
        if len(seen) > MAX_NODES:
            found.complete = False
            break
    places = {(key.file, line, id(key.expr)): (key, line) for key, line in found.keys}
    found.keys = list(places.values())
    return found


def _step(node: Node, found: WrittenKeys) -> Iterator[Node]:
    """Note the keys that an expression puts there; yield the dictionaries that it is made of."""
    expr, engine = node.expr, node.engine
    if node.entry is not None:
        found.complete = False
    elif isinstance(expr, ast.Dict):
        for key, value in zip(expr.keys, expr.values, strict=True):
            if key is None:
                yield engine.node(value, node.context)
            else:
                found.keys.append((engine.node(key, node.context), key.lineno))
    elif isinstance(expr, ast.DictComp):
        found.keys.append((engine.node(expr.key, node.context), expr.key.lineno))
    elif isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.BitOr):
        yield engine.node(expr.left, node.context)
        yield engine.node(expr.right, node.context)
    elif isinstance(expr, ast.IfExp):
        yield engine.node(expr.body, node.context)
        yield engine.node(expr.orelse, node.context)
    elif isinstance(expr, (ast.Name, ast.Attribute)):
        yield from _of_name(engine, node, found)
    elif isinstance(expr, ast.Call):
        yield from _of_call(engine, node, expr, found)
    else:
        found.complete = False


def _of_name(engine: Engine, node: Node, found: WrittenKeys) -> Iterator[Node]:
    name = dotted_name(node.expr)
    children = [child for role, child in node.inputs if role in HANDING_ON]
    yield from children
    # What a name is given and what is put into it stand in the same scope.
    puts = list(_puts(node.context, name)) if name is not None else []
    for child in children:
        if child.context is not node.context and isinstance(child.expr, (ast.Dict, ast.Call)):
            puts.extend(_puts_beside(child))
    for binding, context in puts:
        if binding.key is not None:
            found.keys.append((engine.node(binding.key, context), binding.line))
        elif binding.how == "join":
            yield engine.node(binding.value, context)
    if not children and not puts:
        found.complete = False


def _puts(context: Context, name: str) -> Iterator[tuple[Binding, Context]]:
    """Yield what is put into a name, in the scope that binds it."""
    at: Context | None = context
    while at is not None and name not in at.scope.bindings:
        at = at.outer
    for binding in at.scope.bindings[name] if at is not None else ():
        if binding.mutates and binding.how != "augment":
            yield binding, at or context


def _puts_beside(child: Node) -> Iterator[tuple[Binding, Context]]:
    """Yield what methods put into an attribute whose definition stands in another scope."""
    owner = child.context.scope.owner
    for places in owner.attributes.values() if owner is not None else ():
        if any(binding.value is child.expr for _, binding in places):
            for inner, binding in places:
                if binding.mutates and binding.how != "augment":
                    yield binding, child.engine.open_context(inner)


def _of_call(engine: Engine, node: Node, call: ast.Call, found: WrittenKeys) -> Iterator[Node]:
    returned = [child for role, child in node.inputs if role == "return"]
    if returned:
        yield from returned
        return
    name = called_name(call)
    if name not in SAME_KEYS | OF_LIBRARIES:
        found.complete = False
        return
    for word in call.keywords:
        if word.arg is None:
            yield engine.node(word.value, node.context)
        elif name in OF_LIBRARIES:
            key = ast.copy_location(ast.Constant(value=word.arg), word.value)
            found.keys.append((engine.node(key, node.context), word.value.lineno))
    given = call.args[:1] if name != "defaultdict" else call.args[1:2]
    if not given and isinstance(call.func, ast.Attribute) and name not in OF_LIBRARIES:
        given = [call.func.value]
    for argument in given:
        yield from _of_argument(engine, node, argument, found)


def _of_argument(
    engine: Engine, node: Node, argument: ast.expr, found: WrittenKeys
) -> Iterator[Node]:
    """Note the keys of what ``dict`` is given: a dictionary, pairs, or what ``zip`` makes."""
    if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
        pair = argument.elt
        if isinstance(pair, ast.Tuple) and pair.elts:
            found.keys.append((engine.node(pair.elts[0], node.context), pair.lineno))
            return
    if isinstance(argument, ast.Call) and called_name(argument) == "zip" and argument.args:
        found.complete = False
        return
    yield engine.node(argument, node.context)
