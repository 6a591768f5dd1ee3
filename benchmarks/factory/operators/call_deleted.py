"""A call whose result nobody keeps is missing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement, statements
from factory.operators._reading import MESSAGE_CALLS, is_text, last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each statement that is only a call as deleted."""
    for line, node in statements(target):
        if not isinstance(node, cst.Expr) or not isinstance(node.value, cst.Call):
            continue
        if is_text(target, node.value) or last_name(node.value) in MESSAGE_CALLS:
            continue
        if isinstance(node.value.func, cst.Call) or "super().__init__" in source(target, node):
            continue
        if isinstance(target.parents.get(line), cst.Module) and last_name(node.value) == "main":
            continue
        note = f"{short(source(target, node))} is gone"
        yield Mutation((drop_statement(target, line),), note)


OPERATOR = Operator(
    id="call_deleted",
    title="a call is missing",
    source=(f"{HUMBATOVA}: missing API call; {ISLAM_2019}: API bug; {SWE_SMITH}: line removed"),
    weight=3.0,
    targets=("python",),
    mutate=mutate,
)
