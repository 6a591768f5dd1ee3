"""A line is not as deep as its block."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import indentation
from factory.operators._reading import short, source
from factory.operators._studies import ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield the second statement of each block one blank deeper."""
    for node in target.nodes(cst.IndentedBlock):
        if len(node.body) < 2 or not isinstance(node.body[1], cst.SimpleStatementLine):
            continue
        line = node.body[1]
        depth = indentation(target, line)
        if depth and not depth.strip():
            start = target.span(line)[0]
            edit = Edit(target.path, start, start, " ")
            yield Mutation((edit,), f"{short(source(target, line))} is one blank deeper")


OPERATOR = Operator(
    id="syntax_indentation",
    title="a line of another depth",
    source=f"{ZHANG_2020}: syntax error",
    weight=0.2,
    targets=("python",),
    mutate=mutate,
)
