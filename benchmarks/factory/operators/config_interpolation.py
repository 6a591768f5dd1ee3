"""A setting refers to one that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import is_config
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``${a.b}``, anchor and alias with its name misspelt."""
    for match in re.finditer(r"\$\{([\w.:]+)\}|(?<=[\s:])\*(\w+)", target.text):
        group = 1 if match.group(1) else 2
        old = match.group(group)
        edit = Edit(target.path, match.start(group), match.end(group), misspelt(old))
        if is_config(target):
            yield Mutation((edit,), f"the reference to {old} became {misspelt(old)}")


OPERATOR = Operator(
    id="config_interpolation",
    title="a reference to nothing",
    source=(f"{ZHANG_2020}: no such key; {ISLAM_2019}: configuration"),
    weight=0.8,
    targets=("config",),
    mutate=mutate,
)
