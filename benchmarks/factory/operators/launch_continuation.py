"""A command ends too early."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import is_launch
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    r"""Yield each ``\\\\`` at a line's end as deleted, and with a blank behind it."""
    if not is_launch(target):
        return
    for match in re.finditer(r"(?<![ \t])[ \t]*\\(?=\r?\n)", target.text):
        edit = Edit(target.path, match.start(), match.end(), "")
        yield Mutation((edit,), "a command ends too early")
        yield Mutation((Edit(target.path, match.end(), match.end(), " "),), "a blank follows \\")


OPERATOR = Operator(
    id="launch_continuation",
    title="a command ends too early",
    source=(f"{ZHANG_2020}: wrong option; {ISLAM_2019}: configuration"),
    weight=1.0,
    targets=("launch",),
    mutate=mutate,
)
