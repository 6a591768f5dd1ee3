"""The class or function that settings name is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import PATH, settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each dotted name of code without a part, and with its last name misspelt."""
    for entry in settings(target):
        if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", entry.value) or PATH.fullmatch(
            entry.value
        ):
            continue
        head, _, last = entry.value.rpartition(".")
        yield entry.becomes(target, f"{head}.{misspelt(last)}")
        parts = head.split(".")
        if len(parts) > 1:
            yield entry.becomes(target, ".".join([*parts[:-1], last]))


OPERATOR = Operator(
    id="config_target",
    title="a name of code that is not there",
    source=(f"{ZHANG_2020}: library not found, no such attribute; {ISLAM_2019}: configuration"),
    weight=1.5,
    targets=("config",),
    mutate=mutate,
)
