"""Operators, functions and methods whose result can be folded without running anything.

Functions of Python and its libraries (``len``, ``min``, ``os.path.join``) and methods of strings,
where the arguments are known.
"""

from __future__ import annotations

import ast
import math
import operator
import posixpath
import re
import string
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.provenance import calls, names, objects
from dl_bug_lsp.provenance.nodes import (
    MAX_WRITTEN_OUT,
    Class,
    Config,
    Const,
    Function,
    Instance,
    Items,
    Library,
    LibraryObject,
    Mapping,
    Module,
    Node,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
WHOLE = {ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.BitXor}
MAX_BASE, MAX_EXPONENT = 10_000, 64
MAX_TEXT, MAX_BITS = 4096, 256
PLAIN_FORMAT = re.compile(r"(?:.?[<>=^])?[-+ ]?#?0?\d{0,3}[,_]?(?:\.\d{1,2})?[bcdeEfFgGnosxX%]?")
"""Format specifications without a width that could fill the memory."""
PERCENT = re.compile(r"%(?:%|(?:\(\w+\))?[-+ #0]{0,5}\d{0,3}(?:\.\d{1,2})?[diouxXeEfFgGcrsa])")
ERRORS = (ArithmeticError, ValueError, TypeError, IndexError, KeyError)


def fold_binary(op: ast.operator, a: object, b: object) -> Const | None:
    """Fold an operator over two scalars, None where Python would raise or the result is huge."""
    fold = BINARY.get(type(op))
    if fold is None:
        return None
    whole = isinstance(a, int) and isinstance(b, int)
    numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
    if isinstance(a, str) and isinstance(op, ast.Mod):
        return percent(a, (b,))
    if isinstance(op, ast.Mult) and (isinstance(a, str) or isinstance(b, str)):
        return _repeated(a, b)
    joined = isinstance(a, str) and isinstance(b, str) and isinstance(op, ast.Add)
    if not (joined or (whole if type(op) in WHOLE else numbers)) or not _small(op, a, b):
        return None
    try:
        return _bounded(fold(a, b))
    except ERRORS:
        return None


def _small(op: ast.operator, a: Any, b: Any) -> bool:
    if isinstance(op, ast.Pow):
        return bool(abs(a) <= MAX_BASE and abs(b) <= MAX_EXPONENT)
    return not isinstance(op, (ast.LShift, ast.RShift)) or bool(abs(b) <= MAX_EXPONENT)


def _repeated(a: object, b: object) -> Const | None:
    text, count = (a, b) if isinstance(a, str) else (b, a)
    if isinstance(text, str) and isinstance(count, int) and len(text) * count <= MAX_TEXT:
        return Const(text * count)
    return None


def _bounded(value: object) -> Const | None:
    if isinstance(value, str):
        return Const(value) if len(value) <= MAX_TEXT else None
    if isinstance(value, int):
        return Const(value) if value.bit_length() <= MAX_BITS else None
    return Const(value) if isinstance(value, float) and math.isfinite(value) else None


def fold_unary(op: ast.unaryop, value: object) -> Const | None:
    """Fold ``not``, a sign or ``~`` over a scalar."""
    if isinstance(op, ast.Not):
        return Const(not value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(op, ast.USub):
        return Const(-value)
    if isinstance(op, ast.Invert):
        return Const(~value) if isinstance(value, int) else None
    return Const(value)


def formatted(value: object, specification: str, conversion: int = -1) -> str | None:
    """Return one field of an f-string; None for a specification with an absurd width."""
    if not PLAIN_FORMAT.fullmatch(specification):
        return None
    convert: dict[int, Callable[[object], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
    try:
        shown = convert[conversion](value) if conversion in convert else value
        return format(shown, specification)
    except ERRORS:
        return None


def percent(text: str, arguments: Sequence[object]) -> Const | None:
    """Fold ``text % arguments`` for plain conversions."""
    if "%" in PERCENT.sub("", text):
        return None
    try:
        return _bounded(text % tuple(arguments))
    except ERRORS:
        return None


def brace(text: str, arguments: Sequence[object], keywords: dict[str, object]) -> Const | None:
    """Fold ``text.format(...)`` for fields that are a plain name or number."""
    try:
        for _, name, specification, _ in string.Formatter().parse(text):
            if name is None:
                continue
            if not (name.isidentifier() or name.isdigit() or not name):
                return None
            if not PLAIN_FORMAT.fullmatch(specification or ""):
                return None
        return _bounded(text.format(*arguments, **keywords))
    except ERRORS:
        return None


Maker = Callable[["Engine", Node, ast.Call], "list[Value]"]


def first_argument(engine: Engine, node: Node, expr: ast.Call) -> Node | None:
    """Return the first positional argument of a call."""
    if not expr.args or isinstance(expr.args[0], ast.Starred):
        return None
    return engine.node(expr.args[0], node.context)


def _length(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    lengths: list[Value] = []
    for value in first.values if first is not None else ():
        if isinstance(value, Items) and value.complete:
            lengths.append(Const(len(value.items)))
        elif (
            isinstance(value, Mapping)
            and value.complete
            and all(k is not None for k, _ in value.pairs)
        ):
            lengths.append(Const(len(value.pairs)))
        elif (
            isinstance(value, Config) and value.entry is not None and value.entry.length is not None
        ):
            lengths.append(Const(value.entry.length))
        elif isinstance(value, Const) and isinstance(value.value, str):
            lengths.append(Const(len(value.value)))
        elif isinstance(value, Instance):
            for returned in objects.called(engine, value, ("__len__",), node.context):
                lengths.extend(returned.values)
        elif isinstance(value, LibraryObject) and value.name.startswith("builtins.dict()."):
            # The keys, values and items of a dict are as many as the dict has.
            view = value.call.expr
            if isinstance(view, ast.Call) and isinstance(view.func, ast.Attribute):
                base = ast.copy_location(ast.Call(expr.func, [view.func.value], []), expr)
                length = engine.made(("length", id(view)), lambda: base)  # noqa: B023
                lengths.extend(_length(engine, engine.node(length, value.call.context), base))
    return lengths


def _number(convert: Callable[[object], int | float]) -> Maker:
    def make(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
        first = first_argument(engine, node, expr)
        numbers: list[Value] = []
        for constant in first.constants if first is not None else ():
            if isinstance(constant.value, (str, int, float)):
                try:
                    numbers.append(Const(convert(constant.value)))
                except (ValueError, OverflowError):
                    continue
        return numbers

    return make


def _extreme(pick: Callable[..., float]) -> Maker:
    def make(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
        numbers: list[float] = []
        nodes: list[Node] | None = [engine.node(a, node.context) for a in expr.args]
        if nodes is not None and len(nodes) == 1:
            nodes = objects.written_items(engine, nodes[0])
        for item in nodes or ():
            constant = item.constant
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
    values: list[Value] = []
    for constant in engine.node(expr.args[1], node.context).constants:
        if isinstance(constant.value, str):
            for member in objects.member(engine, first, constant.value):
                values.extend(member.values)
            values.extend(
                Library(f"{v.name}.{constant.value}")
                for v in first.values
                if isinstance(v, Library)
            )
            for v in first.values:
                if isinstance(v, Module):
                    values.extend(names.module_member(engine, v.scope, constant.value))
                elif isinstance(v, Instance) and not values:
                    values.extend(objects.instance_member(engine, v, constant.value))
    if not values and len(expr.args) > 2:
        values.extend(engine.node(expr.args[2], node.context).values)
    return values


def _wrapped(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    return list(first.values) if first is not None else []


def _partial(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    return [
        replace(value, presets=(*value.presets, node)) if isinstance(value, Function) else value
        for value in _wrapped(engine, node, expr)
    ]


def _next(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    return [v for item in objects.elements_of(engine, first) for v in item.values] if first else []


def _reordered(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    """Fold ``sorted``, ``reversed`` and ``set``: the same items, hardly ever in the same order."""
    return [
        Items(value.items, complete=False) if isinstance(value, Items) else value
        for value in _wrapped(engine, node, expr)
    ]


def _reversed(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    return [
        Items(value.items[::-1], value.complete) if isinstance(value, Items) else value
        for value in _wrapped(engine, node, expr)
    ]


def _text(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    return [Const(str(c.value)) for c in first.constants] if first is not None else []


def _field(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    """Fold ``dataclasses.field``: its default, or what its factory makes."""
    values: list[Value] = []
    for keyword in expr.keywords:
        value = engine.node(keyword.value, node.context)
        if keyword.arg == "default":
            values.extend(value.values)
        elif keyword.arg == "default_factory":
            for function in calls.callables(engine, value):
                results = calls.returns(engine, function, None, node.context)
                values.extend(v for returned in results for v in returned.values)
            empty = ast.Call(func=keyword.value, args=[], keywords=[])
            call = engine.made(
                ("factory", id(keyword.value)),
                lambda: ast.copy_location(empty, keyword.value),  # noqa: B023
            )
            if any(isinstance(v, Class) for v in value.values):
                values.extend(engine.node(call, node.context).values)
    return values


def _product(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    first = first_argument(engine, node, expr)
    if first is None:
        return []
    result: float = 1
    items = objects.written_items(engine, first)
    for item in items or ():
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
    if not 1 <= len(bounds) <= 3 or bounds[2:] == [0] or any(abs(b) > sys.maxsize for b in bounds):
        return []
    numbers = range(*bounds)
    items = []
    for number in numbers[:MAX_WRITTEN_OUT]:
        literal = engine.made(
            ("range", id(expr), number),
            lambda: ast.copy_location(ast.Constant(value=number), expr),  # noqa: B023
        )
        items.append(engine.node(literal, node.context))
    return [Items(tuple(items), complete=len(items) == len(numbers))]


MAX_PARTS = 4


def _random_split(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    """Return parts that hold the same samples as the whole."""
    first = first_argument(engine, node, expr)
    return [Items((first,) * MAX_PARTS, complete=False)] if first is not None else []


def _train_test_split(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    """Return two parts of every array, in the order of the arrays."""
    arrays = [engine.node(a, node.context) for a in expr.args if not isinstance(a, ast.Starred)]
    return [Items(tuple(part for array in arrays for part in (array, array)), complete=False)]


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
    "builtins.next": _next,
    "builtins.reversed": _reversed,
    "builtins.set": _reordered,
    "builtins.sorted": _reordered,
    "builtins.str": _text,
    "dataclasses.field": _field,
    "functools.partial": _partial,
    "sklearn.model_selection.train_test_split": _train_test_split,
    "torch.utils.data.Subset": _wrapped,
    "torch.utils.data.random_split": _random_split,
    "torch.utils.data.dataset.random_split": _random_split,
    "jax.jit": _wrapped,
    "tensorflow.function": _wrapped,
    "torch.no_grad": _wrapped,
}


FOLDED = {
    "lower",
    "upper",
    "title",
    "strip",
    "lstrip",
    "rstrip",
    "replace",
    "removeprefix",
    "removesuffix",
}
MAX_ARGUMENT = 100
"""Longest text that ``replace`` puts in; what it makes stays small."""


def text_method(engine: Engine, node: Node, expr: ast.Call, base: Node, name: str) -> list[Value]:
    """Return what a string's method gives; nothing where an argument is not known."""
    texts = [c.value for c in base.constants if isinstance(c.value, str)]
    if not texts or any(isinstance(a, ast.Starred) for a in expr.args):
        return []
    if name == "join" and len(expr.args) == 1:
        return _joined(engine, texts[0], engine.node(expr.args[0], node.context))
    constants = [engine.node(a, node.context).constant for a in expr.args]
    arguments = [c.value for c in constants if c is not None]
    if len(arguments) != len(constants):
        return []
    if name == "format":
        return _filled(engine, node, expr, texts[0], arguments)
    if name not in FOLDED or expr.keywords:
        return []
    words = [v for v in arguments if isinstance(v, str) and len(v) <= MAX_ARGUMENT]
    if len(words) != len(arguments):
        return []
    try:
        return [Const(getattr(t, name)(*words)) for t in texts if len(t) <= MAX_TEXT]
    except ERRORS:
        return []


def _joined(engine: Engine, text: str, source: Node) -> list[Value]:
    items = objects.written_items(engine, source)
    constants = [item.constant for item in items or ()]
    words = [c.value for c in constants if c is not None and isinstance(c.value, str)]
    whole = items is not None and len(words) == len(items)
    return [Const(text.join(words))] if whole and sum(map(len, words)) <= MAX_TEXT else []


def _filled(
    engine: Engine, node: Node, expr: ast.Call, text: str, arguments: Sequence[object]
) -> list[Value]:
    named = {k.arg: engine.node(k.value, node.context).constant for k in expr.keywords}
    words: dict[str, object] = {
        name: c.value for name, c in named.items() if name is not None and c is not None
    }
    filled = brace(text, arguments, words) if len(words) == len(named) else None
    return [filled] if filled is not None else []
