"""A tensor is not brought into the form that the next step needs."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import dropped_calls
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target

METHODS = {"view", "reshape", "flatten", "view_as", "reshape_as", "ravel", "expand", "repeat"}
FUNCTIONS = {
    f"{module}.{name}"
    for module in ("np", "numpy", "torch", "tf", "jnp", "ops", "keras.ops", "einops")
    for name in ("reshape", "flatten", "ravel", "broadcast_to", "tile", "rearrange")
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each change of a tensor's form as what it is applied to."""
    yield from dropped_calls(target, METHODS, FUNCTIONS)


OPERATOR = Operator(
    id="reshape_dropped",
    title="form of a tensor not changed",
    source=(f"{HUMBATOVA}: missing reshape; {ZHANG_2018}: data shape"),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
