"""A whole number in a call or an assignment becomes another one."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each whole number of at least 2 as a number beside it."""
    for node in target.nodes(cst.Integer):
        value = int(node.value.replace("_", ""), 0)
        if value >= 2:
            yield Mutation((target.replace(node, str(value + 1)),), f"{value} became {value + 1}")


OPERATOR = Operator(
    id="integer_argument",
    title="another whole number",
    source="Humbatova et al., ICSE 2020: wrong tensor shape, wrong layer size",
    weight=3.0,
    targets=("python",),
    mutate=mutate,
)
