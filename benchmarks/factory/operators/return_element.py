"""A function returns one value less, or the first of them alone."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item, swap, whole_edit
from factory.operators._reading import short, source
from factory.operators._studies import BUGLAB, HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each tuple that is returned without its last element, and one exchanged."""
    for node in target.nodes(cst.Return):
        value = node.value
        if not isinstance(value, cst.Tuple) or len(value.elements) < 2:
            continue
        text = short(source(target, node))
        if len(value.elements) == 2:
            kept = source(target, value.elements[0])
            yield Mutation((whole_edit(target, value, kept),), f"{text} lost its last value")
        else:
            edit = drop_item(target, value.elements, len(value.elements) - 1)
            yield Mutation((edit,), f"{text} lost its last value")
        first, second = value.elements[0].value, value.elements[1].value
        yield Mutation(swap(target, first, second), f"{text} returns its values in another order")


OPERATOR = Operator(
    id="return_element",
    title="other values are returned",
    source=(f"{ISLAM_2019}: API bug; {BUGLAB}: wrong use; {HUMBATOVA}: wrong output"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
