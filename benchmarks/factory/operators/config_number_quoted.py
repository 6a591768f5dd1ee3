"""A number in a file of settings is a text."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import NUMBER, settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each number between quotes; in ini files, which have texts only, with a unit."""
    for entry in settings(target):
        if entry.quoted or entry.harmless or not NUMBER.fullmatch(entry.value):
            continue
        plain = target.path.endswith((".ini", ".cfg", ".conf"))
        yield entry.becomes(target, f"{entry.value}x" if plain else f'"{entry.value}"')


OPERATOR = Operator(
    id="config_number_quoted",
    title="a number as a text in the settings",
    source=(f"{ZHANG_2020}: type mismatch; {ISLAM_2019}: configuration"),
    weight=1.5,
    targets=("config",),
    mutate=mutate,
)
