"""An object's attribute is not set where the object is made."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement, statements
from factory.operators._reading import dotted, short, source
from factory.operators._studies import ISLAM_2019, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each assignment to an attribute of ``self`` as deleted."""
    for line, node in statements(target):
        if not isinstance(node, cst.Assign) or len(node.targets) != 1:
            continue
        name = dotted(node.targets[0].target)
        if name.startswith("self.") and name.count(".") == 1:
            note = f"{short(source(target, node))} is gone"
            yield Mutation((drop_statement(target, line),), note)


OPERATOR = Operator(
    id="attribute_not_set",
    title="an attribute is not set",
    source=(f"{ISLAM_2019}: logic bug; {SWE_SMITH}: assignment removed"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
