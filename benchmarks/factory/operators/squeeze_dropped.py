"""An axis of length one is not taken away."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import dropped_calls
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target

METHODS = {"squeeze", "squeeze_"}
FUNCTIONS = {f"{m}.squeeze" for m in ("np", "numpy", "torch", "tf", "jnp", "ops", "keras.ops")}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``squeeze`` as what it is applied to."""
    yield from dropped_calls(target, METHODS, FUNCTIONS)


OPERATOR = Operator(
    id="squeeze_dropped",
    title="axis of length one left in",
    source=(f"{HUMBATOVA}: wrong tensor shape; {ZHANG_2018}: data shape"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
