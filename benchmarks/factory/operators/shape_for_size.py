"""The way of another framework to ask for a size."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, source
from factory.operators._studies import ISLAM_2019, ZHANG_2018
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``x.shape`` as ``x.size``, and ``x.size(0)`` as ``x.shape(0)``."""
    for node in target.nodes(cst.Attribute):
        parent = target.parents.get(node)
        name = node.attr.value
        if name not in {"shape", "size"} or is_text(target, node):
            continue
        if isinstance(parent, cst.AssignTarget | cst.AnnAssign):
            continue
        if (name == "size") != (isinstance(parent, cst.Call) and parent.func is node):
            continue
        new = "size" if name == "shape" else "shape"
        yield Mutation((target.replace(node.attr, new),), f"{source(target, node)} became {new}")


OPERATOR = Operator(
    id="shape_for_size",
    title="size asked in another way",
    source=(f"{ISLAM_2019}: API bug; {ZHANG_2018}: API confusion"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
