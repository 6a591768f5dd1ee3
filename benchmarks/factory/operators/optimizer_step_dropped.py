"""The model is not changed by what was computed."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import deleted_calls
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``step()`` of an optimizer or a scheduler as deleted."""
    yield from deleted_calls(target, {"step", "apply_gradients", "update"})


OPERATOR = Operator(
    id="optimizer_step_dropped",
    title="no step",
    source=(f"{HUMBATOVA}: missing call; {ISLAM_2019}: logic bug"),
    weight=0.7,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
