"""The settings count other classes, labels or tokens than the data hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._places import COUNT_NAMES
from factory.operators._studies import HUMBATOVA, ZHANG_2020
from factory.operators._text import pick, settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each number of classes, labels or tokens as one less or as half."""
    for entry in settings(target):
        if entry.key.lower() in COUNT_NAMES and re.fullmatch(r"\d{1,8}", entry.value):
            old = int(entry.value)
            if old > 1:
                yield entry.becomes(target, str(pick(target, entry.start, [old - 1, old // 2])))


OPERATOR = Operator(
    id="config_class_count",
    title="labels outside of the classes of the settings",
    source=(f"{HUMBATOVA}: wrong number of classes; {ZHANG_2020}: out of bounds"),
    weight=1.5,
    targets=("config",),
    mutate=mutate,
)
