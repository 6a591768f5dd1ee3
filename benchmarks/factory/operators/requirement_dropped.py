"""A package is not in the list of those that a program needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ZHANG_2020
from factory.operators._text import is_requirements, lines_of
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each package of a list as deleted."""
    if not is_requirements(target):
        return
    for line, start in lines_of(target.text):
        if re.match(r"\s*(- )?[\"']?[A-Za-z][\w\-.\[\]]*\s*([=<>~!].*)?[\"']?,?\s*$", line):
            if ":" in line or start + len(line) >= len(target.text):
                continue
            edit = Edit(target.path, start, start + len(line) + 1, "")
            yield Mutation((edit,), f"{line.strip()} is gone")


OPERATOR = Operator(
    id="requirement_dropped",
    title="a package is missing",
    source=f"{ZHANG_2020}: library not found",
    weight=1.0,
    targets=("requirements",),
    mutate=mutate,
)
