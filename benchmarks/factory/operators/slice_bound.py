"""A slice takes one element too few or too many."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import integer, is_text, short, source
from factory.operators._studies import BUGLAB, HUMBATOVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each bound of a slice one further, and a start at the end of what it leaves out."""
    for node in target.nodes(cst.Slice):
        if is_text(target, node):
            continue
        for bound in (node.upper, node.lower):
            if bound is None:
                continue
            text = source(target, bound)
            value = integer(bound)
            new = str(value - 1) if value is not None else f"{text} - 1"
            if value == 1:
                new = "2"
            yield Mutation(
                (target.replace(bound, new),), f"the bound {short(text)} became {short(new)}"
            )


OPERATOR = Operator(
    id="slice_bound",
    title="another bound of a slice",
    source=(f"{BUGLAB}: wrong literal; {HUMBATOVA}: wrong selection of data"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
