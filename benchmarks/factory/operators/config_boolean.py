"""A switch in a file of settings is the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ISLAM_2020
from factory.operators._text import settings
from factory.values import Mutation, Operator, Target

OTHER = {
    "true": "false",
    "false": "true",
    "True": "False",
    "False": "True",
    "yes": "no",
    "no": "yes",
    "on": "off",
    "off": "on",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each switch as its opposite."""
    for entry in settings(target):
        if entry.value in OTHER and not entry.quoted and not entry.harmless:
            yield entry.becomes(target, OTHER[entry.value])


OPERATOR = Operator(
    id="config_boolean",
    title="a switch of the settings the other way",
    source=(f"{ISLAM_2020}: wrong argument value; {ISLAM_2019}: configuration"),
    weight=1.5,
    targets=("config",),
    mutate=mutate,
)
