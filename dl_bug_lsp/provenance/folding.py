"""Functions of Python and its libraries whose result can be folded: len, min, os.path.join, …."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.limits import MAX_WRITTEN_OUT
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.values import Config, Const, Instance, Items, Library, Mapping, Value

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

Maker = Callable[["Engine", Node, ast.Call], "list[Value]"]


def first_argument(engine: Engine, node: Node, expr: ast.Call) -> Node | None:
    """Return the first positional argument of a call."""
    if not expr.args or isinstance(expr.args[0], ast.Starred):
        return None
    return engine.node(expr.args[0], node.context)


def _length(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    found: list[Value] = []
    for value in first.values if first is not None else ():
        if isinstance(value, Items) and value.complete:
            found.append(Const(len(value.items)))
        elif isinstance(value, Mapping) and all(k is not None for k, _ in value.pairs):
            found.append(Const(len(value.pairs)))
        elif (
            isinstance(value, Config) and value.entry is not None and value.entry.length is not None
        ):
            found.append(Const(value.entry.length))
        elif isinstance(value, Const) and isinstance(value.value, str):
            found.append(Const(len(value.value)))
        elif isinstance(value, Instance):
            for returned in objects.called(engine, value, ("__len__",), node.context):
                found.extend(returned.values)
    return found


def _number(convert: Callable[[object], int | float]) -> Maker:
    def make(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
        first = first_argument(engine, node, expr)
        found: list[Value] = []
        for constant in first.constants if first is not None else ():
            if isinstance(constant.value, (str, int, float)):
                try:
                    found.append(Const(convert(constant.value)))
                except (ValueError, OverflowError):
                    continue
        return found

    return make


def _extreme(pick: Callable[..., float]) -> Maker:
    def make(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
        numbers: list[float] = []
        nodes = [engine.node(a, node.context) for a in expr.args]
        if len(nodes) == 1:
            nodes = objects.elements_of(engine, nodes[0])
        for one in nodes:
            constant = one.constant
            if constant is None or not isinstance(constant.value, (int, float)):
                return []
            numbers.append(constant.value)
        return [Const(pick(numbers))] if numbers else []

    return make


def _join(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    parts: list[str] = []
    for argument in expr.args:
        constant = engine.node(argument, node.context).constants[:1]
        if not constant or not isinstance(constant[0].value, str):
            return []
        parts.append(constant[0].value)
    return [Const(posixpath.join(*parts))] if parts else []


def _getattr(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    if first is None or len(expr.args) < 2:
        return []
    found: list[Value] = []
    for constant in engine.node(expr.args[1], node.context).constants:
        if isinstance(constant.value, str):
            for member in objects.member(engine, first, constant.value):
                found.extend(member.values)
            found.extend(
                Library(f"{v.name}.{constant.value}")
                for v in first.values
                if isinstance(v, Library)
            )
    return found


def _partial(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    return list(first.values) if first is not None else []


def _product(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    if first is None:
        return []
    result: float = 1
    items = objects.elements_of(engine, first)
    for item in items:
        constant = item.constant
        if constant is None or not isinstance(constant.value, (int, float)):
            return []
        result *= constant.value
    return [Const(result)] if items else []


def _range(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    bounds: list[int] = []
    for argument in expr.args:
        constant = engine.node(argument, node.context).constant
        if constant is None or not isinstance(constant.value, int):
            return []
        bounds.append(constant.value)
    if not 1 <= len(bounds) <= 3 or bounds[2:] == [0]:
        return []
    numbers = range(*bounds)
    items = []
    for number in numbers[:MAX_WRITTEN_OUT]:
        literal = ast.copy_location(ast.Constant(value=number), expr)
        items.append(engine.node(literal, node.context))
    return [Items(tuple(items), complete=len(items) == len(numbers))]


MAKERS: dict[str, Maker] = {
    "builtins.range": _range,
    "builtins.len": _length,
    "builtins.int": _number(lambda v: int(v) if isinstance(v, (str, int, float)) else 0),
    "builtins.float": _number(lambda v: float(v) if isinstance(v, (str, int, float)) else 0.0),
    "builtins.round": _number(lambda v: round(float(str(v)))),
    "builtins.abs": _number(lambda v: abs(v) if isinstance(v, (int, float)) else 0),
    "math.ceil": _number(lambda v: -int(-float(str(v)) // 1)),
    "math.floor": _number(lambda v: int(float(str(v)) // 1)),
    "math.prod": _product,
    "numpy.prod": _product,
    "builtins.min": _extreme(min),
    "builtins.max": _extreme(max),
    "builtins.sum": _extreme(sum),
    "os.path.join": _join,
    "pathlib.Path": _join,
    "builtins.getattr": _getattr,
    "functools.partial": _partial,
    "jax.jit": _partial,
    "tensorflow.function": _partial,
    "torch.no_grad": _partial,
}
