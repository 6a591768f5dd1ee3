"""Gradients are computed twice through the same graph."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import insert_after, statements
from factory.operators._reading import last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``backward()`` twice."""
    for line, node in statements(target):
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            text = source(target, node)
            if last_name(node.value) == "backward" and "\n" not in text:
                yield Mutation((insert_after(target, line, text),), f"{short(text)} is done twice")


OPERATOR = Operator(
    id="backward_repeated",
    title="gradients computed twice",
    source=(f"{ISLAM_2019}: API bug; {HUMBATOVA}: redundant call"),
    weight=0.6,
    targets=("python",),
    mutate=mutate,
)
