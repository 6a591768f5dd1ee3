"""A case is not caught any more."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement
from factory.operators._reading import short, source
from factory.operators._studies import BUGLAB, ISLAM_2019, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each condition without ``else`` that ends in a jump, or mends a value, as deleted."""
    for node in target.nodes(cst.If):
        if node.orelse is not None or "__name__" in source(target, node.test):
            continue
        if isinstance(target.parents.get(node), cst.If) or not isinstance(
            node.body, cst.IndentedBlock
        ):
            continue
        last = node.body.body[-1] if node.body.body else None
        small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
        if isinstance(small, cst.Raise) or not isinstance(
            small, cst.Return | cst.Continue | cst.Break | cst.Assign
        ):
            continue
        note = f"the guard if {short(source(target, node.test))} is gone"
        yield Mutation((drop_statement(target, node),), note)


OPERATOR = Operator(
    id="guard_dropped",
    title="a guard is missing",
    source=(
        f"{SWE_SMITH}: conditional removed; {ISLAM_2019}: logic bug; {BUGLAB}: wrong condition"
    ),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
