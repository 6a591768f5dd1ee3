"""An attribute is written wrongly, or in another way than where it is set."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, function_of, is_text, misspelt
from factory.operators._studies import SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each attribute of a name misspelt, where each function reads it first."""
    seen: set[tuple[cst.CSTNode | None, str]] = set()
    for node in target.nodes(cst.Attribute):
        parent = target.parents.get(node)
        if isinstance(parent, cst.AssignTarget | cst.Attribute | cst.AnnAssign):
            continue
        name = node.attr.value
        if dotted(node.value) == "" or len(name) < 3 or name.startswith("__"):
            continue
        if is_text(target, node) or isinstance(parent, cst.Decorator):
            continue
        place = (function_of(target, node), dotted(node))
        if place in seen:
            continue
        seen.add(place)
        new = misspelt(name)
        yield Mutation((target.replace(node.attr, new),), f"{dotted(node)} became {new}")


OPERATOR = Operator(
    id="attribute_misspelt",
    title="a misspelt attribute",
    source=(f"{ZHANG_2020}: no such attribute; {SEMSEED}: wrong identifier"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
