"""A word that selects something is another one."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import misspelt, words
from factory.operators._studies import ISLAM_2020, SEMSEED, ZHANG_2020
from factory.operators._text import KEYWORDS, WORD, settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each word among the values as another word of the file or misspelt."""
    entries = [entry for entry in settings(target) if WORD.fullmatch(entry.value)]
    for entry in entries:
        if entry.harmless or entry.value.lower() in KEYWORDS:
            continue
        others = sorted(
            {
                other.value
                for other in entries[:200]
                if {*words(other.key)} & {*words(entry.key)} and other.value != entry.value
            }
            - KEYWORDS
        )
        new = others[0] if others else misspelt(entry.value)
        yield entry.becomes(target, new)


OPERATOR = Operator(
    id="config_word",
    title="another word in the settings",
    source=(
        f"{ISLAM_2020}: wrong argument value; {SEMSEED}: wrong literal; {ZHANG_2020}: no such name"
    ),
    weight=2.0,
    targets=("config",),
    mutate=mutate,
)
