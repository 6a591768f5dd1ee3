"""A method does not take the object it is called on."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import class_of, parameters
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each method without its parameter ``self``."""
    for node in target.nodes(cst.FunctionDef):
        params = parameters(node)
        if params and params[0].name.value == "self" and class_of(target, node):
            note = f"{node.name.value} lost its parameter self"
            yield Mutation((drop_item(target, params, 0),), note)


OPERATOR = Operator(
    id="self_parameter_dropped",
    title="no self",
    source=(f"{ISLAM_2019}: API bug; {ZHANG_2020}: wrong number of arguments"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
