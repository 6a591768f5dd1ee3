"""A statement stands outside of the block that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import indentation, redented
from factory.operators._reading import has_jump, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield the last statement of each loop, condition and ``with`` behind it."""
    for node in target.nodes(cst.For, cst.While, cst.With, cst.If):
        body = node.body
        if not isinstance(body, cst.IndentedBlock) or len(body.body) < 2:
            continue
        if isinstance(node, cst.If | cst.For | cst.While) and node.orelse is not None:
            continue
        if isinstance(target.parents.get(node), cst.If):
            continue
        line = body.body[-1]
        if not isinstance(line, cst.SimpleStatementLine) or has_jump(line):
            continue
        edits = redented(target, line, indentation(target, line), indentation(target, node))
        if edits:
            note = f"{short(source(target, line))} stands outside of its block"
            yield Mutation(edits, note)


OPERATOR = Operator(
    id="statement_dedented",
    title="a statement outside of its block",
    source=(
        f"{SWE_SMITH}: lines moved; {ISLAM_2019}: logic bug; {HUMBATOVA}: wrong place of a call"
    ),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
