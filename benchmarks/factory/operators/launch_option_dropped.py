"""A command lacks an option."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import short
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import is_launch, options
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each option of a command in a script as deleted, with its value."""
    for start, end in options(target):
        match = re.match(
            r"(=|[ \t]+)(?![-&|;>\\])(\"[^\"\n]*\"|'[^'\n]*'|[^\s\\]+)", target.text[end:]
        )
        stop = end + (match.end() if match else 0)
        rest = re.match(r"[ \t]*\\\r?\n[ \t]*|[ \t]+", target.text[stop:])
        stop += rest.end() if rest else 0
        note = f"{short(target.text[start:stop].rstrip(chr(92) + chr(10) + ' '))} is gone"
        if is_launch(target):
            yield Mutation((Edit(target.path, start, stop, ""),), note)


OPERATOR = Operator(
    id="launch_option_dropped",
    title="an option is missing",
    source=(f"{ZHANG_2020}: wrong option; {ISLAM_2019}: configuration"),
    weight=1.5,
    targets=("launch",),
    mutate=mutate,
)
