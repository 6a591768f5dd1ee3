"""A class does not initialize its base class."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import drop_statement, statements
from factory.operators._reading import is_super_init, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call of a base class's ``__init__`` as deleted."""
    for line, node in statements(target):
        if is_super_init(target, node):
            note = f"{short(source(target, node))} is gone"
            yield Mutation((drop_statement(target, line),), note)


OPERATOR = Operator(
    id="super_init_dropped",
    title="base class not initialized",
    source=(f"{ISLAM_2019}: API bug; {HUMBATOVA}: missing call"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
