"""Which property of a value a failure is about, and what decides that property.

A failing check complains of one property: a size, a type, a device, that there is nothing. A
slice that follows it leaves out what only decides others: `lr` makes no shape, a size makes no
dtype. What library functions do with properties is data (``properties.json``), as CodeQL's models.
"""

from __future__ import annotations

import ast
import json
from enum import Flag, auto
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance.nodes import Instance, LibraryObject, StepKind

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.nodes import Node


class Property(Flag):
    """What is asked of a value.

    ``SIZE`` is a shape or a length, ``VALUE`` the number, text or table itself, ``TYPE`` the Python
    type or the dtype, ``DEVICE`` where it lies, ``NOTHING`` whether it is None.
    """

    SIZE = auto()
    VALUE = auto()
    TYPE = auto()
    DEVICE = auto()
    NOTHING = auto()


NO_PROPERTY = Property(0)
ANY = Property.SIZE | Property.VALUE | Property.TYPE | Property.DEVICE | Property.NOTHING
HANDED_ON = frozenset(
    {"definition", "attribute", "return", "setting", "configured", "changed", "stored", "item"}
)
"""Roles in which a node is what it was, whatever is asked."""


@lru_cache(maxsize=1)
def _models() -> dict[str, frozenset[str]]:
    """Return what library functions do, by their last names.

    ``elementwise``: the result is like the receiver or the first argument. ``creation``: the
    numbers in the arguments are its size. ``arrays``: it has the size of the first argument.
    ``like``: all of it. ``reshaping``: arguments say how sizes change. ``measures``: a number that
    tells a size. ``converting``, ``moving``: the type or device changes. ``reading``: what is read
    decides everything. ``neutral``: arguments that decide none of these.
    """
    text = resources.files("dl_bug_lsp.provenance").joinpath("properties.json").read_text("utf-8")
    return {name: frozenset(words) for name, words in json.loads(text).items()}


def decides(node: Node, asked: Property) -> bool:
    """Whether a step makes one of the properties that are asked of it, rather than hands it on."""
    kind = node.kind
    if kind is StepKind.LITERAL:
        return _literal_decides(getattr(node.expr, "value", 0), asked)
    if kind is StepKind.CONFIG:
        return _literal_decides(node.entry.value if node.entry is not None else None, asked)
    if kind is StepKind.CALL:
        return _call_decides(node, asked)
    if kind is StepKind.ARITHMETIC:
        return _arithmetic_decides(node.expr, asked)
    properties = _MADE_BY.get(kind)
    return properties is not None and bool(asked & properties)


_MADE_BY = {
    StepKind.CONTAINER: Property.SIZE | Property.VALUE | Property.TYPE,
    StepKind.SLICING: Property.SIZE | Property.VALUE,
    StepKind.CHOICE: ANY,
    StepKind.TEXT: Property.VALUE | Property.TYPE,
}


def _literal_decides(value: object, asked: Property) -> bool:
    if value is None:
        return bool(asked & (Property.NOTHING | Property.TYPE | Property.VALUE))
    properties = Property.VALUE | Property.TYPE
    if isinstance(value, str):
        properties |= Property.DEVICE if _is_device(value) else Property.SIZE
    return bool(asked & properties)


def _is_device(text: str) -> bool:
    return text.partition(":")[0].strip("/").lower() in {"cpu", "cuda", "gpu", "mps", "xpu", "tpu"}


def _arithmetic_decides(expr: ast.expr, asked: Property) -> bool:
    if asked & Property.VALUE:
        return True
    operator = getattr(expr, "op", None)
    if asked & Property.SIZE and (isinstance(operator, ast.MatMult) or _joins_lists(expr)):
        return True
    return bool(asked & Property.TYPE) and isinstance(operator, (ast.Div, ast.FloorDiv, ast.Mod))


def _joins_lists(expr: ast.expr) -> bool:
    return isinstance(expr, ast.BinOp) and any(
        _is_display(side) for side in (expr.left, expr.right)
    )


def _is_display(expr: ast.expr) -> bool:
    if isinstance(expr, ast.Constant):
        return isinstance(expr.value, (str, bytes))
    return isinstance(expr, (ast.List, ast.Tuple, ast.ListComp, ast.JoinedStr))


def _call_decides(node: Node, asked: Property) -> bool:
    if any(role == "return" for role, _ in node.inputs):
        return False
    name, models = _called(node), _models()
    if name in models["converting"] or name in models["moving"]:
        properties = Property.TYPE if name in models["converting"] else NO_PROPERTY
        properties |= Property.DEVICE if name in models["moving"] else NO_PROPERTY
        return bool(asked & (properties | Property.VALUE))
    if name in models["elementwise"]:
        return bool(asked & Property.VALUE)
    if name in models["reshaping"]:
        return bool(asked & (Property.SIZE | Property.VALUE))
    if name in models["like"]:
        return bool(asked & Property.VALUE)
    return True


def _called(node: Node) -> str:
    expr = node.expr
    func = expr.func if isinstance(expr, ast.Call) else expr
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def property_of_input(node: Node, role: str, child: Node, asked: Property) -> Property:
    """Return what is asked of a node's input so that it answers what is asked of the node.

    ``NO_PROPERTY`` where the input has nothing to do with it.
    """
    if role in HANDED_ON:
        return asked
    if role in {"condition", "refused", "index", "declared"}:
        return Property.VALUE if asked & ~Property.DEVICE else NO_PROPERTY
    expr = node.expr
    if isinstance(expr, ast.Call):
        return _to_call(node, role, child, asked)
    if isinstance(expr, ast.BinOp):
        return _to_operand(expr, child, asked)
    if isinstance(expr, ast.Compare):
        return _within(asked, {Property.SIZE: Property.SIZE, Property.VALUE: ANY})
    if isinstance(expr, ast.IfExp):
        return Property.VALUE if child.expr is expr.test else asked
    if isinstance(expr, ast.Attribute) and expr.attr in _models()["measures"]:
        return Property.SIZE if asked & (Property.VALUE | Property.SIZE) else NO_PROPERTY
    if isinstance(expr, (ast.JoinedStr, ast.FormattedValue)):
        return Property.VALUE if asked & (Property.VALUE | Property.SIZE) else NO_PROPERTY
    return asked


def _within(asked: Property, ways: dict[Property, Property]) -> Property:
    asked_of_input = NO_PROPERTY
    for output, needed in ways.items():
        if asked & output:
            asked_of_input |= needed
    return asked_of_input


def _to_operand(expr: ast.BinOp, child: Node, asked: Property) -> Property:
    needed = asked & (Property.VALUE | Property.TYPE | Property.DEVICE)
    other = expr.right if child.expr is expr.left else expr.left
    number = isinstance(child.expr, ast.Constant) and not isinstance(child.expr.value, str)
    if asked & Property.SIZE:
        if isinstance(expr.op, ast.Mult) and _is_display(other):
            needed |= Property.VALUE
        elif not number:
            needed |= Property.SIZE
    if number and isinstance(getattr(child.expr, "value", None), int):
        needed &= ~Property.DEVICE
        if (
            isinstance(expr.op, (ast.Add, ast.Sub, ast.Mult, ast.Pow))
            and not asked & Property.VALUE
        ):
            # `x + 1` has the type of `x`.
            needed &= ~Property.TYPE
    return needed


def _to_call(node: Node, role: str, child: Node, asked: Property) -> Property:
    models = _models()
    name = _called(node)
    if role == "callback":
        return asked
    keyword = role.removeprefix("argument ") if role.startswith("argument ") else ""
    first = role == "receiver" or keyword == "0"
    if keyword in models["neutral"]:
        return asked & Property.VALUE
    if keyword == "dtype":
        return Property.VALUE if asked & (Property.TYPE | Property.VALUE) else NO_PROPERTY
    if keyword == "device":
        return Property.VALUE | Property.DEVICE if asked & Property.DEVICE else NO_PROPERTY
    if name in models["measures"]:
        return Property.SIZE if asked & (Property.VALUE | Property.SIZE) else NO_PROPERTY
    if name in models["reading"]:
        return Property.VALUE if role != "receiver" else asked
    if name in models["converting"] or name in models["moving"]:
        return _to_conversion(models, name, role, first, asked)
    if name in models["elementwise"]:
        return asked & ~Property.NOTHING if first or role == "callee" else asked & Property.VALUE
    if name in models["like"]:
        return asked if first else NO_PROPERTY
    if name in models["arrays"]:
        return asked & ~Property.NOTHING if first or name == "stack" else NO_PROPERTY
    if name in models["creation"]:
        return Property.VALUE if asked & (Property.SIZE | Property.VALUE) else NO_PROPERTY
    if name in models["reshaping"]:
        return _to_reshaping(role, first, asked)
    return _to_other(node, child, role, asked)


def _to_conversion(
    models: dict[str, frozenset[str]], name: str, role: str, first: bool, asked: Property
) -> Property:
    if not first or role != "receiver":
        changed = Property.TYPE if name in models["converting"] else NO_PROPERTY
        changed |= Property.DEVICE if name in models["moving"] else NO_PROPERTY
        needed = Property.VALUE | Property.DEVICE if asked & changed else NO_PROPERTY
        # `float(x)`, `int(x)`: the argument is what is converted.
        return needed | (asked & (Property.VALUE | Property.SIZE))
    return asked & (Property.VALUE | Property.SIZE | Property.DEVICE)


def _to_reshaping(role: str, first: bool, asked: Property) -> Property:
    if first or role == "callee":
        return asked & ~Property.NOTHING
    needed = asked & (Property.TYPE | Property.DEVICE)
    if asked & (Property.SIZE | Property.VALUE):
        needed |= Property.VALUE | Property.SIZE
    return needed


def _to_other(node: Node, child: Node, role: str, asked: Property) -> Property:
    """Return what a function that is not known needs of an input.

    Arguments make sizes by their own sizes, and by their values where what is called is a function;
    what a layer is called with are arrays.
    """
    if role in {"callee", "receiver"}:
        return asked
    needed = asked & ~Property.NOTHING
    if asked & Property.SIZE and not _is_layer(node):
        needed |= Property.VALUE
    if needed & Property.TYPE and isinstance(child.expr, ast.Constant):
        needed &= ~Property.TYPE
    return needed


def _is_layer(node: Node) -> bool:
    """Whether what is called is an object that a call made, as layers and losses are."""
    return any(
        isinstance(value, (LibraryObject, Instance))
        for role, callee in node.inputs
        if role == "callee"
        for value in callee.values
    )
