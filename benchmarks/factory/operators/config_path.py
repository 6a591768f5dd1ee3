"""A path in a file of settings leads elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import other_path
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import PATH, pick, settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each path without its first folder, misspelt, or with another suffix."""
    for entry in settings(target):
        if PATH.fullmatch(entry.value) and "://" not in entry.value:
            new = other_path(entry.value, pick(target, entry.start, [0, 1, 2]))
            yield entry.becomes(target, new)


OPERATOR = Operator(
    id="config_path",
    title="a wrong path in the settings",
    source=(f"{ZHANG_2020}: path not found; {ISLAM_2019}: configuration"),
    weight=2.5,
    targets=("config",),
    mutate=mutate,
)
