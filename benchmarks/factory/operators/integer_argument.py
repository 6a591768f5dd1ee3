"""A whole number in the call of a function becomes another one."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._places import other_integers
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each whole number of at least 2 in a call of a function as a number near it."""
    yield from other_integers(target, "call")


OPERATOR = Operator(
    id="integer_argument",
    title="another number in a call",
    source=(f"{HUMBATOVA}: wrong tensor shape; {ZHANG_2018}: incorrect model parameter"),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
