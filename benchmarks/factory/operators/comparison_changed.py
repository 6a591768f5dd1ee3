"""A bound is included or left out by mistake."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text
from factory.operators._studies import BUGLAB, SWE_SMITH
from factory.values import Edit, Mutation, Operator, Target

OTHERS: dict[type[cst.CSTNode], str] = {
    cst.LessThan: "<=",
    cst.GreaterThan: ">=",
    cst.LessThanEqual: "<",
    cst.GreaterThanEqual: ">",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``<`` as ``<=``, and so on."""
    for node in target.nodes(cst.ComparisonTarget):
        new = OTHERS.get(type(node.operator))
        if new is None or is_text(target, node):
            continue
        start, end = target.span(node.operator)
        old = target.text[start:end]
        edit = Edit(target.path, start, end, old.replace(old.strip(), new))
        yield Mutation((edit,), f"{old.strip()} became {new}")


OPERATOR = Operator(
    id="comparison_changed",
    title="a bound is included",
    source=(f"{BUGLAB}: wrong comparison; {SWE_SMITH}: operation changed"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
