"""Two settings beside each other have each other's values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from factory.operators._studies import BUGLAB, ISLAM_2019
from factory.operators._text import NUMBER, settings
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each number exchanged with the next, different one of the same section."""
    for one, two in pairwise(settings(target)):
        if one.depth != two.depth or one.nested or two.nested or one.harmless or two.harmless:
            continue
        numbers = NUMBER.fullmatch(one.value) and NUMBER.fullmatch(two.value)
        if not numbers or one.value == two.value or one.quoted or two.quoted:
            continue
        edits = (
            Edit(target.path, one.start, one.end, two.value),
            Edit(target.path, two.start, two.end, one.value),
        )
        yield Mutation(edits, f"the values of {one.key} and {two.key} were exchanged")


OPERATOR = Operator(
    id="config_values_swapped",
    title="values exchanged",
    source=(f"{BUGLAB}: argument swap; {ISLAM_2019}: configuration"),
    weight=1.0,
    targets=("config",),
    mutate=mutate,
)
