"""A whole number that a name, a parameter or a key stands for becomes another one."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._places import other_integers
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each whole number of at least 2 that has a name as a number near it."""
    yield from other_integers(target, "assigned")


OPERATOR = Operator(
    id="integer_assigned",
    title="another number behind a name",
    source=(f"{HUMBATOVA}: wrong hyperparameter; {ISLAM_2019}: structure bug"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
