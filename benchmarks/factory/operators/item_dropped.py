"""A tensor stands where its number is needed."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import dropped_calls
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``x.item()``, ``x.detach()`` and ``x.cpu()`` as ``x``."""
    yield from dropped_calls(target, {"item", "detach", "cpu", "clone", "contiguous", "copy"})


OPERATOR = Operator(
    id="item_dropped",
    title="a tensor for its value",
    source=(f"{ISLAM_2019}: memory, API bug; {HUMBATOVA}: GPU tensors"),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
)
