"""No gradients are computed."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import deleted_calls
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``backward()`` as deleted."""
    yield from deleted_calls(target, {"backward", "manual_backward"})


OPERATOR = Operator(
    id="backward_dropped",
    title="no gradients",
    source=(f"{HUMBATOVA}: missing call; {ISLAM_2019}: logic bug"),
    weight=0.7,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
