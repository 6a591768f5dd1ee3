"""A small abstract interpreter: shapes of the values that expressions stand for.

It runs over provenance's nodes, forwards on demand, remembers each answer, and notes what every
operation wants of its operands (`Shapes.checks`). Unknown dimensions stay unknown and keep who made
them, so that a message's number still leads to a place.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from dl_bug_lsp.evidence.shapes import functions, layers
from dl_bug_lsp.evidence.shapes.values import (
    Check,
    Dim,
    Many,
    Result,
    Tensor,
    joined,
    product,
)
from dl_bug_lsp.provenance import calls, names, objects
from dl_bug_lsp.provenance.engine import Engine, Node
from dl_bug_lsp.provenance.nodes import Function, Instance, Items, Library, LibraryObject
from dl_bug_lsp.provenance.operators import fold_binary
from dl_bug_lsp.provenance.scopes import AnyItem, ElementOf, Entered, called_name

MAX_NODES = 3000
MAX_DEPTH = 70
MAX_FOLLOWED = 4
RESHAPES = ("flatten", "swap", "last", "first", "unsqueeze0", "unsqueeze1", "unsqueeze-1",
            "squeeze", "swap12")  # fmt: skip
"""Usual reshapings by name: what `reshape` knows."""


class Shapes:
    """The shapes of one failure's values; ``checks`` grows as expressions are looked at."""

    def __init__(
        self,
        engine: Engine,
        edits: Mapping[int, ast.expr] | None = None,
        reshaped: tuple[int, str] | None = None,
        told: Mapping[int, tuple[int, ...]] | None = None,
    ) -> None:
        """Read other expressions in place of some (``edits`` by ``id``), one result reshaped.

        ``told`` are shapes that the message gives, by the ``id`` of the expression that has them.
        """
        self.engine = engine
        self.checks: list[Check] = []
        self.edits = edits or {}
        self.reshaped = reshaped
        self.told = told or {}
        self._known: dict[int, Result] = {}
        self._depth = 0

    def of(self, node: Node) -> Result:
        """Return what is known of the tensor that a node stands for."""
        key = id(node)
        if key in self._known:
            return self._known[key]
        if len(self._known) > MAX_NODES or self._depth > MAX_DEPTH:
            return None
        self._known[key] = None
        self._depth += 1
        try:
            found = self._of(node)
        finally:
            self._depth -= 1
        if id(node.expr) in self.told:
            found = _filled(found, self.told[id(node.expr)], node)
        if self.reshaped is not None and self.reshaped[0] == key and isinstance(found, Tensor):
            found = reshape(found, self.reshaped[1], node) or found
        self._known[key] = found
        return found

    @property
    def visited(self) -> int:
        """How many nodes were looked at."""
        return len(self._known)

    def tensor(self, expr: ast.expr | None, at: Node) -> Tensor | None:
        """Return what is known of an expression in the context of a node."""
        if expr is None:
            return None
        found = self.of(self.engine.node(expr, at.context))
        return found if isinstance(found, Tensor) else None

    def check(self, node: Node, given: Dim | None, wanted: Dim | None, what: str) -> None:
        """Note that an operation wants two dimensions to be the same."""
        if given is not None and wanted is not None:
            self.checks.append(Check(node, given, wanted, what))

    def _of(self, node: Node) -> Result:
        expr = self.edits.get(id(node.expr), node.expr)
        if node.entry is not None:
            return None
        if isinstance(expr, ast.Call):
            return self._call(node, expr)
        if isinstance(expr, ast.Name):
            return self._first(names.lookup(self.engine, expr.id, node.context, node.line))
        if isinstance(expr, ast.Attribute):
            return self._attribute(node, expr)
        if isinstance(expr, ast.BinOp):
            return self._binary(node, expr)
        if isinstance(expr, ast.Subscript):
            return functions.indexed(self, node, expr)
        if isinstance(expr, (ast.UnaryOp,)):
            return self.of(self.engine.node(expr.operand, node.context))
        if isinstance(expr, ast.Compare):
            return functions.broadcast(
                self, node, self.tensor(expr.left, node), self.tensor(expr.comparators[0], node)
            )
        if isinstance(expr, (ast.NamedExpr, ast.Await, ast.Starred, Entered)):
            return self.of(self.engine.node(expr.value, node.context))
        if isinstance(expr, ast.IfExp):
            both = [self.engine.node(e, node.context) for e in (expr.body, expr.orelse)]
            return self._first(both)
        if isinstance(expr, (ast.Tuple, ast.List)):
            elements = [self.engine.node(e, node.context) for e in expr.elts[:16]]
            return Many(tuple(self.of(e) for e in elements))
        if isinstance(expr, (ElementOf, AnyItem)):
            return self._element(node, expr.value)
        return None

    def _first(self, nodes: list[Node]) -> Result:
        for child in nodes[:MAX_FOLLOWED]:
            found = self.of(child)
            if found is not None:
                return found
        return None

    def _attribute(self, node: Node, expr: ast.Attribute) -> Result:
        if expr.attr in ("T", "mT", "H"):
            base = self.tensor(expr.value, node)
            if base is not None and len(base.dims) >= 2:
                *rest, a, b = base.dims
                return Tensor((*rest, b, a), base.is_open)
            return base
        if expr.attr in ("data", "values", "real", "grad", "device_array"):
            base = self.tensor(expr.value, node)
            if base is not None:
                return base
        kept = [child for role, child in node.inputs if role in ("attribute", "definition", "item")]
        return self._first(kept)

    def _element(self, node: Node, value: ast.expr) -> Result:
        base = self.engine.node(value, node.context)
        found = self.of(base)
        if isinstance(found, Tensor) and not found.is_open and found.dims:
            return Tensor(found.dims[1:])
        if isinstance(found, Many):
            return next((item for item in found.items if item is not None), None)
        return self._first(objects.elements_of(self.engine, base))

    def _binary(self, node: Node, expr: ast.BinOp) -> Result:
        left, right = self.tensor(expr.left, node), self.tensor(expr.right, node)
        if isinstance(expr.op, ast.MatMult):
            return functions.matmul(self, node, left, right)
        return functions.broadcast(self, node, left, right)

    def _call(self, node: Node, expr: ast.Call) -> Result:
        callee = self.engine.node(expr.func, node.context)
        for value in callee.values:
            found: Result = None
            if isinstance(value, LibraryObject):
                given = self._argument(node, expr)
                found = self.apply(value, given, node)
            elif isinstance(value, Library):
                found = functions.call(self, value.name, node, expr)
            elif isinstance(value, (Function, Instance)):
                found = self._own(callee, node, expr)
            if found is not None:
                return found
        if isinstance(expr.func, ast.Attribute):
            return functions.method(self, node, expr, expr.func)
        return None

    def _argument(self, node: Node, expr: ast.Call) -> Result:
        if not expr.args or isinstance(expr.args[0], ast.Starred):
            return None
        return self.of(self.engine.node(expr.args[0], node.context))

    def _own(self, callee: Node, node: Node, expr: ast.Call) -> Result:
        for function in calls.callables(self.engine, callee)[:MAX_FOLLOWED]:
            found = self._first(calls.returns(self.engine, function, expr, node.context))
            if found is not None:
                return found
        return None

    def apply(self, layer: LibraryObject, given: Result, node: Node) -> Result:
        """Return what a layer that a library made gives for an input; notes what it wants."""
        made = self.edits.get(id(layer.call.expr), layer.call.expr)
        if not isinstance(made, ast.Call):
            return None
        short = layer.name.rpartition(".")[2]
        if short in ("Sequential", "ModuleList") and made.args:
            return self._chain(layer, given, node)
        if short in ("DataParallel", "jit", "compile", "TimeDistributed"):
            return given
        return layers.apply(self, short, layer.call, made, given, node)

    def parts(self, layer: LibraryObject) -> list[Node]:
        """Return the nodes of the layers that a sequence of layers is made of."""
        made = layer.call.expr
        assert isinstance(made, ast.Call)
        found: list[Node] = []
        for argument in made.args[:40]:
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            child = self.engine.node(inner, layer.call.context)
            items = next((v for v in child.values if isinstance(v, Items)), None)
            found.extend(items.items if items is not None else (child,))
        return found

    def _chain(self, layer: LibraryObject, given: Result, node: Node) -> Result:
        found = given
        for part in self.parts(layer):
            made = next((v for v in part.values if isinstance(v, (LibraryObject, Instance))), None)
            if isinstance(made, LibraryObject):
                found = self.apply(made, found, node)
            elif isinstance(made, Instance):
                found = None
        return found

    def size(self, expr: ast.expr | None, at: Node) -> Dim | None:
        """Return the whole number that an expression stands for as a dimension."""
        if expr is None:
            return None
        node = self.engine.node(expr, at.context)
        return self.size_of(node)

    def size_of(self, node: Node) -> Dim | None:
        """Return the whole number that a node stands for; its maker is the node itself."""
        if self.edits:
            other = self._edited(node)
            if other is not None:
                return Dim(other, (node,))
        constant = node.constant
        value = constant.value if constant is not None else None
        if isinstance(value, int) and not isinstance(value, bool):
            return Dim(value, (node,))
        found = self._measured(node)
        if found is not None:
            return found
        whole = [c.value for c in node.constants if type(c.value) is int]
        return Dim(whole[0] if len(whole) == 1 else None, (node,))

    def _edited(self, node: Node, depth: int = 0) -> int | None:
        """Return the number of an expression in which a part was exchanged, None without any."""
        expr = node.expr
        if id(expr) in self.edits:
            return _whole(self.engine.node(self.edits[id(expr)], node.context))
        if depth > 8 or node.entry is not None:
            return None
        if isinstance(expr, ast.BinOp):
            left, right = (self.engine.node(e, node.context) for e in (expr.left, expr.right))
            a, b = self._edited(left, depth + 1), self._edited(right, depth + 1)
            if a is None and b is None:
                return None
            one = a if a is not None else _whole(left)
            two = b if b is not None else _whole(right)
            if one is None or two is None:
                return None
            folded = fold_binary(expr.op, one, two)
            value = folded.value if folded is not None else None
            return value if type(value) is int else None
        if isinstance(expr, (ast.Name, ast.Attribute)):
            for role, child in node.inputs[:MAX_FOLLOWED]:
                if role in ("definition", "attribute"):
                    found = self._edited(child, depth + 1)
                    if found is not None:
                        return found
        return None

    def _measured(self, node: Node) -> Dim | None:
        """Return a size that is read off a tensor: ``x.size(0)``, ``x.shape[-1]``, ``len(x)``."""
        expr = node.expr
        if isinstance(expr, ast.Name):
            for child in names.lookup(self.engine, expr.id, node.context, node.line)[:2]:
                if child is not node:
                    found = self._measured(child)
                    if found is not None:
                        return found
            return None
        if isinstance(expr, ast.Subscript) and isinstance(expr.value, ast.Attribute):
            wanted = self.edits.get(id(expr.slice), expr.slice)
            index = self.engine.node(wanted, node.context).constant
            if expr.value.attr == "shape" and index is not None and isinstance(index.value, int):
                base = self.tensor(expr.value.value, node)
                return base.dim(index.value) if base is not None else None
        if isinstance(expr, ast.Call) and called_name(expr) in ("size", "len") and expr.args:
            if called_name(expr) == "len":
                base = self.tensor(expr.args[0], node)
                return base.dim(0) if base is not None else None
            index = self.engine.node(expr.args[0], node.context).constant
            if isinstance(expr.func, ast.Attribute) and index is not None:
                base = self.tensor(expr.func.value, node)
                if base is not None and isinstance(index.value, int):
                    return base.dim(index.value)
        if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Mult, ast.FloorDiv)):
            left, right = self.size(expr.left, node), self.size(expr.right, node)
            if left is not None and right is not None and (left.loose or right.loose):
                return joined(None, node, left, right)
        return None


def _filled(found: Result, told: tuple[int, ...], node: Node) -> Tensor:
    """Return a result with the sizes of the message, keeping who made each dimension."""
    kept = found if isinstance(found, Tensor) else Tensor((), True)
    dims: list[Dim] = []
    for i, size in enumerate(told):
        before = kept.dim(i - len(told))
        if before is not None and before.size in (None, size):
            dims.append(Dim(size, before.makers or (node,), before.loose))
        else:
            dims.append(Dim(size, (node,), loose=True))
    return Tensor(tuple(dims))


def _whole(node: Node) -> int | None:
    constant = node.constant
    value = constant.value if constant is not None else None
    return value if type(value) is int else None


def reshape(tensor: Tensor, how: str, node: Node) -> Tensor | None:
    """Return a tensor after one usual reshaping, None where it does not apply."""
    dims = tensor.dims
    if how == "flatten":
        known = not tensor.is_open and len(dims) > 2
        return Tensor((dims[0], product(dims[1:], node))) if known else None
    if how == "swap":
        return Tensor((*dims[:-2], dims[-1], dims[-2]), tensor.is_open) if len(dims) >= 2 else None
    if how == "swap12":
        return Tensor((dims[0], dims[2], dims[1], *dims[3:])) if len(dims) >= 4 else None
    if how == "last":
        return Tensor((dims[0], *dims[2:], dims[1])) if len(dims) >= 3 else None
    if how == "first":
        return Tensor((dims[0], dims[-1], *dims[1:-1])) if len(dims) >= 3 else None
    if how == "squeeze":
        kept = tuple(d for d in dims if d.size != 1)
        return Tensor(kept, tensor.is_open) if len(kept) < len(dims) else None
    if tensor.is_open:
        return None
    at = int(how.removeprefix("unsqueeze"))
    spot = at if at >= 0 else len(dims)
    return Tensor((*dims[:spot], Dim(1, (node,)), *dims[spot:])) if spot <= len(dims) else None
