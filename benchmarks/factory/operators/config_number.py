"""A number in a file of settings becomes another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2018
from factory.operators._text import pick, settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each whole number of at least 2 as one beside it, its half or its double."""
    for entry in settings(target):
        if not re.fullmatch(r"\d{1,9}", entry.value) or entry.quoted or entry.harmless:
            continue
        old = int(entry.value)
        if old < 2:
            continue
        even = old & (old - 1) == 0 and old > 2
        new = pick(target, entry.start, [old * 2, old // 2] if even else [old + 1, old - 1])
        yield entry.becomes(target, str(new))


OPERATOR = Operator(
    id="config_number",
    title="another number in the settings",
    source=(
        f"{HUMBATOVA}: wrong hyperparameter; "
        f"{ZHANG_2018}: incorrect model parameter; "
        f"{ISLAM_2019}: configuration"
    ),
    weight=3.0,
    targets=("config",),
    mutate=mutate,
)
