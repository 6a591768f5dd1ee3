"""A size is read from another axis."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import integer, is_text, last_name
from factory.operators._studies import HUMBATOVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``x.shape[1]`` and ``x.size(1)`` as the axis beside it."""
    for node in target.nodes(cst.Subscript, cst.Call):
        value: cst.CSTNode | None = None
        if isinstance(node, cst.Subscript) and last_name(node.value) == "shape":
            element = node.slice[0].slice if len(node.slice) == 1 else None
            value = element.value if isinstance(element, cst.Index) else None
        elif isinstance(node, cst.Call) and last_name(node) == "size" and len(node.args) == 1:
            value = node.args[0].value
        old = integer(value)
        if value is None or old is None or is_text(target, node):
            continue
        new = {0: 1, 1: 0, -1: 0}.get(old, old - 1)
        yield Mutation((target.replace(value, str(new)),), f"the size of axis {old} became {new}'s")


OPERATOR = Operator(
    id="shape_index",
    title="the size of another axis",
    source=f"{HUMBATOVA}: wrong tensor shape",
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
