"""Backward slices: the steps that a value went through, nearest first (Weiser, ICSE 1981).

A failing check complains of one property: a size, a type, a device, that there is nothing. A
slice that follows it leaves out what only decides others: `lr` makes no shape, a size makes no
dtype. What library functions do with properties is data (``properties.json``), as CodeQL's models.
"""

from __future__ import annotations

import ast
import heapq
import json
from dataclasses import dataclass
from enum import Flag, auto
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import (
    DECIDING,
    Class,
    Function,
    Instance,
    Library,
    LibraryObject,
    Module,
    StepKind,
)

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


MAX_STEPS = 400
MAX_DEPTH = 26
MAX_VISITS = 2
"""How often one written expression may come back in other contexts."""

# What a step away costs: handing on is cheap, turning aside (an index, a callback) is dear.
COSTS = {
    "definition": 0.3,
    "attribute": 0.3,
    "return": 0.4,
    "item": 0.4,
    "part": 0.7,
    "receiver": 0.9,
    "base": 1.2,
    "index": 1.5,
    "callee": 0.8,
    "callback": 1.0,
    "configured": 1.2,
    "setting": 0.8,
    "changed": 0.5,
    "decorator": 0.9,
    "declared": 1.5,
    "condition": 2.4,
    "refused": 0.4,
    "stored": 0.8,
}
ARGUMENT_COST = 0.8
TESTED = {"definition", "attribute", "return", "changed", "callback"}
"""Roles of statements that may run or not: what is tested before decides about the value."""
MAX_TESTS = 4
"""Tests around one statement, the innermost ones."""
MOST_AROUND = 2
"""The same of a statement that fills a container."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a slice.

    ``distance`` grows with every step away from where the slice starts; ``roles`` is the way there;
    ``before`` the step that it came from (None at the start); ``condition`` whether it is on the
    way to what an ``if`` or a loop tests, which decides only whether a value is made; ``asked`` the
    property that the slice follows here.
    """

    node: Node
    distance: float
    roles: tuple[str, ...]
    before: Step | None
    condition: bool = False
    asked: Property = ANY

    @property
    def decides(self) -> bool:
        """Whether the step makes the value, or what is asked of it, rather than hands it on."""
        if self.asked is not ANY and not decides(self.node, self.asked):
            return False
        return self.node.kind in DECIDING or (
            self.node.kind is StepKind.CALL and not self._hands_on()
        )

    def _hands_on(self) -> bool:
        return any(role == "return" for role, _ in self.node.inputs)

    def way(self) -> list[Step]:
        """Return the steps from the start of the slice to this one."""
        steps: list[Step] = []
        step: Step | None = self
        while step is not None:
            steps.append(step)
            step = step.before
        return steps[::-1]


def backward_slice(
    starts: list[Node],
    limit: int = MAX_STEPS,
    conditions: bool = False,
    asked: Property = ANY,
    *,
    filled: bool = False,
) -> list[Step]:
    """Return the steps that the start nodes' values went through, by growing distance.

    With ``conditions``, also what is tested around and before the statements on the way; with
    ``filled``, around those that put something into a container. With ``asked``, only what that
    property of the values depends on. A ``limit`` below `MAX_STEPS` is all that is wanted: only
    what that bound itself cuts off is told among the engine's limits.
    """
    order = 0
    queue: list[tuple[float, int, Step]] = []
    for start in starts:
        heapq.heappush(queue, (0.0, order, Step(start, 0.0, (), None, False, asked)))
        order += 1
    seen: dict[int, Property] = {}
    visits: dict[int, int] = {}
    steps: list[Step] = []
    while queue and len(steps) < limit:
        distance, _, step = heapq.heappop(queue)
        known = seen.get(id(step.node))
        if known is not None and not step.asked & ~known:
            continue
        again = known is not None
        seen[id(step.node)] = step.asked if known is None else step.asked | known
        written = id(step.node.expr)
        if step.node.work is None and not again:
            visits[written] = visits.get(written, 0) + 1
            if visits[written] > MAX_VISITS:
                continue
        if not names_library(step.node):
            steps.append(step)
        if len(step.roles) >= MAX_DEPTH:
            continue
        edges = list(step.node.inputs)
        edges.extend(_refused(step) if step.before is None else ())
        if conditions and (step.before is None or step.roles[-1] in TESTED):
            edges.extend(_tests(step))
        elif filled and step.roles[-1:] in (("changed",), ("item",)):
            edges.extend(_tests(step)[:MOST_AROUND])
        for role, child in edges:
            needed = ANY
            if asked is not ANY:
                needed = property_of_input(step.node, role, child, step.asked)
                if step.before is None and role != "index":
                    # What fails here complains of what it is given.
                    needed |= asked
            if needed & ~seen.get(id(child), needed & ~needed):
                cost = COSTS.get(role, ARGUMENT_COST)
                tested = step.condition or role == "condition"
                entry = Step(child, distance + cost, (*step.roles, role), step, tested, needed)
                heapq.heappush(queue, (distance + cost, order, entry))
                order += 1
    if queue and starts and limit >= MAX_STEPS and len(steps) >= limit:
        starts[0].engine.queries.limits.add("steps")
    return steps


def _tests(step: Step) -> list[tuple[str, Node]]:
    """Return what is tested around and before the statement of a step."""
    node = step.node
    if node.entry is not None:
        return []
    tests = node.context.scope.tests_at(node.line)[-MAX_TESTS:]
    return [("condition", node.engine.node(test, node.context)) for test in reversed(tests)]


def _refused(step: Step) -> list[tuple[str, Node]]:
    """Return the test that leads to a ``raise`` where the slice starts: what was refused."""
    scope = step.node.context.scope
    tests = scope.tests_at(step.node.line)[-1:]
    if scope.statement_start(step.node.line) not in scope.raises:
        return []
    return [("refused", step.node.engine.node(test, step.node.context)) for test in tests]


def names_library(node: Node) -> bool:
    """Whether a node only names a library's module, class or function."""
    if node.kind not in (StepKind.NAME, StepKind.ATTRIBUTE):
        return False
    values = node.values
    return bool(values) and all(isinstance(v, (Library, Function, Class, Module)) for v in values)
