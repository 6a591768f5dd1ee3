"""A number is a text."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import HARMLESS, is_text, named_values, number, source
from factory.operators._studies import ISLAM_2020, SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each named number as a string."""
    for name, value in named_values(target):
        if number(value) is None or name in HARMLESS or is_text(target, value):
            continue
        text = source(target, value)
        yield Mutation((target.replace(value, f'"{text}"'),), f"{name} {text} became a string")


OPERATOR = Operator(
    id="string_for_number",
    title="a number as a text",
    source=(f"{ZHANG_2020}: type mismatch; {SEMSEED}: wrong literal; {ISLAM_2020}: wrong type"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
