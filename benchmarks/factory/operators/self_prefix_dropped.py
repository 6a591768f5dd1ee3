"""A name is used without the object that holds it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, is_text
from factory.operators._studies import SEMSEED, ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``self.x`` as ``x``, also where it is set."""
    for node in target.nodes(cst.Attribute):
        if dotted(node.value) == "self" and not is_text(target, node):
            edit = Edit(target.path, target.span(node)[0], target.span(node.attr)[0], "")
            yield Mutation((edit,), f"self.{node.attr.value} became {node.attr.value}")


OPERATOR = Operator(
    id="self_prefix_dropped",
    title="self left out",
    source=(f"{ZHANG_2020}: undefined variable; {SEMSEED}: wrong identifier"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
