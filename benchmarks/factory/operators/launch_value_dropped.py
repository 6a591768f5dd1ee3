"""An option of a command lacks its value."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import short
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import values
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each option with its value deleted."""
    for start, end in values(target):
        old = target.text[start:end]
        lead = 1 if target.text[start - 1] in " \t" else 0
        edit = Edit(target.path, start - lead, end, "")
        yield Mutation((edit,), f"the value {short(old)} is gone")


OPERATOR = Operator(
    id="launch_value_dropped",
    title="an option without a value",
    source=(f"{ZHANG_2020}: wrong option; {ISLAM_2019}: configuration"),
    weight=1.0,
    targets=("launch",),
    mutate=mutate,
)
