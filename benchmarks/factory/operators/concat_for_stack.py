"""Tensors are put together along a new axis, or along one that is there."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import replaced_names
from factory.operators._studies import HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target

OLD = {
    f"{module}.{old}": f"{module}.{new}"
    for module, one, other in (
        ("torch", "cat", "stack"),
        ("np", "concatenate", "stack"),
        ("tf", "concat", "stack"),
        ("jnp", "concatenate", "stack"),
        ("numpy", "concatenate", "stack"),
        ("torch", "vstack", "hstack"),
        ("np", "vstack", "hstack"),
        ("ops", "concatenate", "stack"),
    )
    for old, new in ((one, other), (other, one))
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``cat`` as ``stack``, and the other way round."""
    yield from replaced_names(target, OLD)


OPERATOR = Operator(
    id="concat_for_stack",
    title="stack for cat",
    source=(f"{HUMBATOVA}: wrong tensor shape; {ISLAM_2020}: API misuse"),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
)
