"""A setting is missing."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each setting of one line as deleted."""
    for entry in settings(target):
        if not entry.key or entry.nested or entry.harmless:
            continue
        edit = entry.line_dropped(target)
        if edit is not None:
            yield Mutation((edit,), f"the setting {entry.key} is gone")


OPERATOR = Operator(
    id="config_key_dropped",
    title="a setting is missing",
    source=(f"{ZHANG_2020}: no such key; {ISLAM_2019}: configuration"),
    weight=2.0,
    targets=("config",),
    mutate=mutate,
)
