"""A result is taken apart into another number of names."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item, whole_edit
from factory.operators._reading import short, source, whole
from factory.operators._studies import ISLAM_2019, ISLAM_2020, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``a, b = f()`` with a name less, and each loop over pairs likewise."""
    for node in target.nodes(cst.Tuple):
        parent = target.parents.get(node)
        if not isinstance(parent, cst.AssignTarget | cst.For | cst.CompFor):
            continue
        if not isinstance(parent, cst.AssignTarget) and parent.target is not node:
            continue
        if len(node.elements) < 2 or any(
            isinstance(element, cst.StarredElement) for element in node.elements
        ):
            continue
        text = short(source(target, node))
        if len(node.elements) == 2:
            kept = target.text[slice(*whole(target, node.elements[0].value))]
            yield Mutation((whole_edit(target, node, kept),), f"{text} became {kept}")
        else:
            edit = drop_item(target, node.elements, len(node.elements) - 1)
            yield Mutation((edit,), f"{text} lost its last name")


OPERATOR = Operator(
    id="unpacking_changed",
    title="taken apart wrongly",
    source=(f"{ISLAM_2019}: API bug; {ISLAM_2020}: API misuse; {ZHANG_2020}: unpacking"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
