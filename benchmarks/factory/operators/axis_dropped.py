"""An operation lacks its axis."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import drop_item
from factory.operators._places import axis_arguments
from factory.operators._reading import last_name, short, source
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call that names an axis without it."""
    for call, index in axis_arguments(target):
        text = source(target, call.args[index])
        yield Mutation(
            (drop_item(target, call.args, index),), f"{last_name(call)} lost the axis {short(text)}"
        )


OPERATOR = Operator(
    id="axis_dropped",
    title="no axis",
    source=(f"{HUMBATOVA}: missing argument; {ZHANG_2018}: confusion with tensors"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
