"""A class sets attributes before it initializes its base class."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import move_after, siblings, statements
from factory.operators._reading import is_super_init, short, source
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call of a base class's ``__init__`` behind the last statement of its block."""
    for line, node in statements(target):
        block = siblings(target, line)
        if not is_super_init(target, node) or len(block) < 2 or block[-1] is line:
            continue
        edits = move_after(target, line, block[-1])
        if edits:
            yield Mutation(edits, f"{short(source(target, node))} came to the end")


OPERATOR = Operator(
    id="super_init_late",
    title="base class initialized too late",
    source=(f"{ISLAM_2019}: API bug; {ZHANG_2020}: wrong order of calls"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
