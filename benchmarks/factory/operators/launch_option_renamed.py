"""A command has an option under another name."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import ISLAM_2019, SEMSEED, ZHANG_2020
from factory.operators._text import options
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each option of a command in a script misspelt, or with ``_`` for ``-``."""
    for start, end in options(target):
        old = target.text[start:end]
        if "-" in old[2:]:
            new = f"--{old[2:].replace('-', '_')}"
        elif "_" in old[2:] and len(old) % 2:
            new = f"--{old[2:].replace('_', '-')}"
        else:
            new = f"--{misspelt(old[2:])}"
        yield Mutation((Edit(target.path, start, end, new),), f"the option {old} became {new}")


OPERATOR = Operator(
    id="launch_option_renamed",
    title="another name of an option",
    source=(
        f"{ZHANG_2020}: wrong option; {ISLAM_2019}: configuration; {SEMSEED}: wrong identifier"
    ),
    weight=2.0,
    targets=("launch",),
    mutate=mutate,
)
