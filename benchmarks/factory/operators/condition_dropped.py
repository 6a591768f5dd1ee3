"""What holds for some cases is done in all."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import unwrap
from factory.operators._reading import short, source
from factory.operators._studies import ISLAM_2019, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each condition without ``else`` as its body alone."""
    for node in target.nodes(cst.If):
        if node.orelse is not None or isinstance(target.parents.get(node), cst.If):
            continue
        text = short(source(target, node.test))
        if "__name__" in text or "TYPE_CHECKING" in text:
            continue
        edits = unwrap(target, node)
        if edits:
            yield Mutation(edits, f"the condition if {text} is gone")


OPERATOR = Operator(
    id="condition_dropped",
    title="a condition is missing",
    source=(f"{SWE_SMITH}: conditional removed; {ISLAM_2019}: logic bug"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
