"""The parts of a result get each other's names."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import swap
from factory.operators._reading import source
from factory.operators._studies import BUGLAB, ISLAM_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``a, b = f()`` and each loop over pairs with its first two names exchanged."""
    for node in target.nodes(cst.Tuple):
        parent = target.parents.get(node)
        if not isinstance(parent, cst.AssignTarget | cst.For | cst.CompFor):
            continue
        if not isinstance(parent, cst.AssignTarget) and parent.target is not node:
            continue
        if len(node.elements) < 2:
            continue
        first, second = node.elements[0].value, node.elements[1].value
        names = (source(target, first), source(target, second))
        if isinstance(node.elements[0], cst.StarredElement) or names[0] == names[1]:
            continue
        yield Mutation(swap(target, first, second), f"{names[0]} and {names[1]} were exchanged")


OPERATOR = Operator(
    id="unpacking_order",
    title="names exchanged",
    source=(f"{BUGLAB}: variable misuse; {ISLAM_2020}: API misuse"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
