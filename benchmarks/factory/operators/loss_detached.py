"""The loss does not know any more how it was computed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import statements
from factory.operators._reading import assigned_name, choose, last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each loss that is computed as a plain number or without its history."""
    if "backward" not in target.text:
        return
    for _, node in statements(target):
        if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call):
            continue
        name = assigned_name(node).lower()
        if "loss" not in name or "fn" in name or last_name(node.value)[:1].isupper():
            continue
        if last_name(node.value) in {"item", "append", "detach"}:
            continue
        end = target.span(node.value)[1]
        new = choose(target, node, [".item()", ".detach()"])
        note = f"{short(source(target, node))} got {new}"
        yield Mutation((Edit(target.path, end, end, new),), note)


OPERATOR = Operator(
    id="loss_detached",
    title="the loss is detached",
    source=(f"{HUMBATOVA}: wrong loss computation; {ISLAM_2019}: API bug"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
