"""Gradients of former steps are kept."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import deleted_calls
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``zero_grad()`` as deleted."""
    yield from deleted_calls(target, {"zero_grad"})


OPERATOR = Operator(
    id="zero_grad_dropped",
    title="gradients are not reset",
    source=(f"{HUMBATOVA}: missing zero_grad; {ISLAM_2019}: logic bug"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
