"""What else may have been counted: other sizes of the same thing, or of what stands beside it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from dl_bug_lsp.interpretation.values import Array, Instance, Table, Value

METHODS = ("size", "numel", "dim")
FIELDS = ("num_nodes", "num_edges", "num_features", "size", "ndim")
MOST_COUNTS = 6
Held = Callable[[ast.expr], "Value | None"]


def measured(node: ast.expr) -> ast.expr | None:
    """Return what an expression counts (`len(x)`, `x.size(1)`, `x.shape[0]`), None if nothing."""
    if isinstance(node, ast.Call):
        func = node.func
        if isinstance(func, ast.Name) and func.id == "len" and len(node.args) == 1:
            return node.args[0]
        if isinstance(func, ast.Attribute) and func.attr in METHODS and len(node.args) < 2:
            return func.value
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        return node.value.value if node.value.attr == "shape" else None
    if isinstance(node, ast.Attribute) and node.attr in FIELDS:
        return node.value
    return None


def other_counts(node: ast.expr, function: ast.AST, held: Held) -> Iterator[ast.expr]:
    """Yield other counts that give another number than ``node`` does.

    They are those that the function around it reads, then lengths of the fields of what holds the
    thing that is counted.
    """
    counted, own = measured(node), held(node)
    if counted is None or own is None or type(own.data) is not int:
        return
    found: dict[str, ast.expr] = {}
    for part in ast.walk(function):
        if isinstance(part, ast.expr) and measured(part) is not None:
            value = held(part)
            if value is not None and type(value.data) is int and value.data != own.data:
                found.setdefault(ast.unparse(part), copy.deepcopy(part))
    for other, length in _beside(counted, held):
        if length is not None and length != own.data:
            call = ast.Call(ast.Name("len", ast.Load()), [other], [])
            found.setdefault(ast.unparse(call), call)
    yield from list(found.values())[:MOST_COUNTS]


def _beside(counted: ast.expr, held: Held) -> Iterator[tuple[ast.expr, int | None]]:
    """Yield the fields beside one that is counted, with how many items they have."""
    if isinstance(counted, ast.Attribute):
        holder = held(counted.value)
        if holder is not None and isinstance(holder.data, Instance):
            for name, value in holder.data.attributes.items():
                if name != counted.attr:
                    yield ast.Attribute(counted.value, name, ast.Load()), _length(value)
    elif isinstance(counted, ast.Subscript):
        holder = held(counted.value)
        if holder is not None and isinstance(holder.data, dict):
            for key, value in holder.data.items():
                if isinstance(key, (str, int)):
                    index = ast.Constant(key)
                    yield ast.Subscript(counted.value, index, ast.Load()), _length(value)


def _length(value: Value) -> int | None:
    data = value.data
    if isinstance(data, Array):
        return data.sizes[0] if data.sizes else None
    if isinstance(data, Table):
        return data.rows.data if type(data.rows.data) is int else None
    return len(data) if isinstance(data, (list, tuple, str)) else None
