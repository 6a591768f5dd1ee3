"""A function does not take an argument that it is given."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each function without its last parameter."""
    for node in target.nodes(cst.FunctionDef):
        params = node.params.params
        if node.params.star_kwarg or node.params.kwonly_params or not params:
            continue
        if isinstance(node.params.star_arg, cst.Param) or node.params.posonly_params:
            continue
        if len(params) == 1 and params[0].name.value in {"self", "cls"}:
            continue
        note = f"{node.name.value} lost its parameter {params[-1].name.value}"
        yield Mutation((drop_item(target, params, len(params) - 1),), note)


OPERATOR = Operator(
    id="parameter_dropped",
    title="a parameter is missing",
    source=(f"{ISLAM_2019}: API bug; {ZHANG_2020}: wrong number of arguments"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
