"""A name is not given its value, or not given its new one."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement, statements
from factory.operators._reading import HARMLESS, last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each assignment to plain names as deleted."""
    for line, node in statements(target):
        if isinstance(node, cst.Assign):
            names = [item.target for item in node.targets]
        elif isinstance(node, cst.AugAssign):
            names = [node.target]
        else:
            continue
        first = source(target, names[0])
        if any(isinstance(name, cst.Attribute) for name in names) or first.startswith("__"):
            continue
        if last_name(names[0]) in HARMLESS:
            continue
        note = f"{short(source(target, node))} is gone"
        yield Mutation((drop_statement(target, line),), note)


OPERATOR = Operator(
    id="assignment_deleted",
    title="an assignment is missing",
    source=(
        f"{HUMBATOVA}: missing preprocessing; {SWE_SMITH}: assignment removed; {ISLAM_2019}: logic"
    ),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
