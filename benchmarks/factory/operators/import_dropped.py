"""A module or a name is not imported."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item, drop_statement, statements
from factory.operators._reading import dotted, short, source
from factory.operators._studies import HUMBATOVA, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each import as deleted, and each name of one that has several."""
    for line, node in statements(target):
        if not isinstance(node, cst.Import | cst.ImportFrom):
            continue
        text = short(source(target, node))
        if isinstance(node, cst.ImportFrom) and dotted(node.module) == "__future__":
            continue
        names = node.names if not isinstance(node.names, cst.ImportStar) else ()
        if len(names) > 1:
            for index, name in enumerate(names):
                note = f"{text} lost {short(source(target, name.name))}"
                yield Mutation((drop_item(target, names, index),), note)
        else:
            yield Mutation((drop_statement(target, line),), f"{text} is gone")


OPERATOR = Operator(
    id="import_dropped",
    title="an import is missing",
    source=(f"{ZHANG_2020}: library not found; {HUMBATOVA}: missing import"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
