"""The calls of a training step stand in another order."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import move_after, neighbours
from factory.operators._reading import last_name
from factory.operators._studies import HUMBATOVA, ZHANG_2020
from factory.values import Mutation, Operator, Target

NAMES = {"zero_grad", "backward", "step", "clip_grad_norm_", "unscale_", "update"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call of a training step after the one that follows it."""
    for before, line in neighbours(target):
        calls_made = []
        for one in (before, line):
            small = one.body[0] if isinstance(one, cst.SimpleStatementLine) else None
            value = small.value if isinstance(small, cst.Expr) else None
            calls_made.append(last_name(value) if isinstance(value, cst.Call) else "")
        if not NAMES.issuperset(calls_made):
            continue
        edits = move_after(target, before, line)
        if edits:
            yield Mutation(edits, f"{calls_made[0]} comes after {calls_made[1]}")


OPERATOR = Operator(
    id="training_order",
    title="training calls in another order",
    source=(f"{HUMBATOVA}: wrong order of calls; {ZHANG_2020}: wrong order of calls"),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
