"""A setting has another name than the one it is read by."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import ISLAM_2019, SEMSEED, ZHANG_2020
from factory.operators._text import settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each key of a setting misspelt, and with ``-`` for ``_`` or the reverse."""
    for entry in settings(target):
        if entry.key and not entry.harmless:
            new = misspelt(entry.key)
            if "_" in entry.key and len(entry.key) % 2:
                new = entry.key.replace("_", "-")
            yield entry.renamed(target, new)


OPERATOR = Operator(
    id="config_key_renamed",
    title="another name of a setting",
    source=(f"{ZHANG_2020}: no such key; {SEMSEED}: wrong identifier; {ISLAM_2019}: configuration"),
    weight=2.5,
    targets=("config",),
    mutate=mutate,
)
