"""A tensor or a model is not moved to the device."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement, dropped_calls, statements
from factory.operators._reading import last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``x.to(device)`` and ``x.cuda()`` as ``x``; as a statement it is deleted."""
    accept = re.compile(r"device|cuda|cpu|rank|gpu")
    yield from dropped_calls(target, {"to"}, (), accept)
    yield from dropped_calls(target, {"cuda", "cpu"})
    for line, node in statements(target):
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            given = " ".join(source(target, argument) for argument in node.value.args)
            name = last_name(node.value)
            if name == "cuda" or (name == "to" and accept.search(given)):
                note = f"{short(source(target, node))} is gone"
                yield Mutation((drop_statement(target, line),), note)


OPERATOR = Operator(
    id="device_move_dropped",
    title="not moved to the device",
    source=(f"{HUMBATOVA}: missing transfer to GPU; {ISLAM_2019}: GPU"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
