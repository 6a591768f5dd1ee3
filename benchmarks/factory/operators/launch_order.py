"""Two steps of a script stand in the other order, or the folder is not changed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import short
from factory.operators._studies import ZHANG_2020
from factory.operators._text import is_launch
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``cd``, ``mkdir`` and ``source`` of a script as deleted."""
    if not is_launch(target):
        return
    for match in re.finditer(
        r"^[ \t]*(cd|mkdir|source|pip|\.|module|conda) [^\n\\]*\n", target.text, re.M
    ):
        edit = Edit(target.path, *match.span(), "")
        yield Mutation((edit,), f"{short(match.group())} is gone")


OPERATOR = Operator(
    id="launch_order",
    title="a step of a script is missing",
    source=f"{ZHANG_2020}: path not found, environment",
    weight=1.0,
    targets=("launch",),
    mutate=mutate,
)
