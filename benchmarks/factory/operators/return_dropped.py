"""A function does not return its result."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement, statements
from factory.operators._reading import dotted, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each statement that returns a value as deleted."""
    for line, node in statements(target):
        if isinstance(node, cst.Return) and node.value is not None:
            if dotted(node.value) in {"None", "True", "False"}:
                continue
            note = f"{short(source(target, node))} is gone"
            yield Mutation((drop_statement(target, line),), note)


OPERATOR = Operator(
    id="return_dropped",
    title="nothing is returned",
    source=(f"{HUMBATOVA}: missing return; {ISLAM_2019}: logic bug; {SWE_SMITH}: line removed"),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
