"""The order of the samples is always the same."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import deleted_calls, dropped_calls
from factory.operators._reading import dotted, named_values
from factory.operators._studies import HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``shuffle=True`` as ``False``, and calls that shuffle as deleted."""
    for name, value in named_values(target):
        if name.startswith("shuffle") and dotted(value) == "True":
            yield Mutation((target.replace(value, "False"),), f"{name} True became False")
    yield from deleted_calls(target, {"shuffle", "set_epoch"})
    yield from dropped_calls(target, {"shuffle"})


OPERATOR = Operator(
    id="shuffle_off",
    title="samples not shuffled",
    source=(f"{HUMBATOVA}: missing shuffling; {ISLAM_2020}: data"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
