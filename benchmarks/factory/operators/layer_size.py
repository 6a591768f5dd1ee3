"""A whole number in the making of a layer, a model or a dataset becomes another one."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._places import other_integers
from factory.operators._studies import HUMBATOVA, JAHANGIROVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each whole number of at least 2 in a constructor's call as a number near it."""
    yield from other_integers(target, "constructor")


OPERATOR = Operator(
    id="layer_size",
    title="another size of a layer",
    source=(f"{HUMBATOVA}: wrong layer size, wrong input shape; {JAHANGIROVA}: layers"),
    weight=3.5,
    targets=("python",),
    mutate=mutate,
)
