"""An operation runs along another axis."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._places import axis_arguments
from factory.operators._reading import integer, last_name
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each axis that is given as a number, by name or by place, as the one beside it."""
    for call, index in axis_arguments(target):
        node = call.args[index].value
        old = integer(node)
        if old is None:
            continue
        new = {0: 1, 1: 0, -1: 0, -2: -1}.get(old, old - 1)
        yield Mutation(
            (target.replace(node, str(new)),), f"axis {old} of {last_name(call)} became {new}"
        )


OPERATOR = Operator(
    id="axis_changed",
    title="along another axis",
    source=(f"{HUMBATOVA}: wrong tensor shape; {ZHANG_2018}: confusion with tensors"),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
