"""A parameter has no default any more."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import whole
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield the first parameter with a default of each function without it."""
    for node in target.nodes(cst.FunctionDef):
        for param in node.params.params:
            if param.default is None:
                continue
            if isinstance(param.equal, cst.AssignEqual):
                start = whole(
                    target, param.annotation.annotation if param.annotation else param.name
                )
                edit = Edit(target.path, start[1], whole(target, param.default)[1], "")
                note = f"{node.name.value} lost the default of {param.name.value}"
                yield Mutation((edit,), note)
            break


OPERATOR = Operator(
    id="default_removed",
    title="no default",
    source=(f"{ISLAM_2019}: API bug; {ZHANG_2020}: wrong number of arguments"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
