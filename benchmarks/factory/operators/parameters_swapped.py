"""A function takes its arguments in another order than it is given them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import item_span
from factory.operators._studies import BUGLAB, ISLAM_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each function with its last two plain parameters exchanged."""
    for node in target.nodes(cst.FunctionDef):
        params = [
            param
            for param in node.params.params
            if param.name.value not in {"self", "cls"} and param.default is None
        ]
        if len(params) < 2:
            continue
        first, second = params[-2:]
        one, two = item_span(target, first), item_span(target, second)
        edits = (
            Edit(target.path, *one, target.text[slice(*two)]),
            Edit(target.path, *two, target.text[slice(*one)]),
        )
        names = f"{first.name.value} and {second.name.value}"
        yield Mutation(edits, f"{node.name.value} takes {names} in the other order")


OPERATOR = Operator(
    id="parameters_swapped",
    title="parameters exchanged",
    source=(f"{BUGLAB}: argument swap; {ISLAM_2020}: API misuse"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
