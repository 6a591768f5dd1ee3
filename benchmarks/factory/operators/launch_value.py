"""An option of a command has another value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.operators._text import NUMBER, WORD, pick, values
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each number as another one, each word misspelt, and each value as missing."""
    for start, end in values(target):
        old = target.text[start:end]
        if re.fullmatch(r"\d{1,9}", old):
            new = str(pick(target, start, [int(old) + 1, int(old) * 2, f"{old}.0"]))
        elif NUMBER.fullmatch(old):
            new = pick(target, start, [f"{float(old) * 1000:g}", f"{old}x"])
        elif WORD.fullmatch(old):
            new = misspelt(old)
        else:
            continue
        yield Mutation((Edit(target.path, start, end, new),), f"the value {old} became {new}")


OPERATOR = Operator(
    id="launch_value",
    title="another value of an option",
    source=(
        f"{ZHANG_2020}: wrong option; "
        f"{HUMBATOVA}: wrong hyperparameter; "
        f"{ISLAM_2019}: configuration"
    ),
    weight=2.0,
    targets=("launch",),
    mutate=mutate,
)
