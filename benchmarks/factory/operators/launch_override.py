"""A setting that a command overrides has another name or depth."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import is_launch, lines_of
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``a.b=c`` behind a command without its section, and misspelt."""
    if not is_launch(target):
        return
    continued = False
    for line, start in lines_of(target.text):
        first = line.split(maxsplit=1)[:1]
        sets = not first or first[0] in {"export", "ENV", "set", "#"} or "=" in first[0]
        if continued or not sets:
            for match in re.finditer(r"(?<=\s)[+~]{0,2}([A-Za-z_]\w*(?:\.\w+)*)=[^\s=]", line):
                old = match.group(1)
                new = old.partition(".")[2] if "." in old else misspelt(old)
                edit = Edit(target.path, start + match.start(1), start + match.end(1), new)
                yield Mutation((edit,), f"the override of {old} became one of {new}")
        continued = line.endswith("\\")


OPERATOR = Operator(
    id="launch_override",
    title="an override of another setting",
    source=(f"{ZHANG_2020}: wrong option, no such key; {ISLAM_2019}: configuration"),
    weight=1.2,
    targets=("launch",),
    mutate=mutate,
)
