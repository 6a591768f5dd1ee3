"""A statement stands inside of the block before it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import indentation, neighbours, redented
from factory.operators._reading import has_jump, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each statement behind a loop, condition or ``with`` as the last one of it."""
    for before, line in neighbours(target):
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            continue
        node = line.body[0]
        if not isinstance(before, cst.For | cst.While | cst.With | cst.If):
            continue
        if isinstance(node, cst.Import | cst.ImportFrom | cst.Global):
            continue
        last: cst.CSTNode = before
        while isinstance(last, cst.If) and last.orelse is not None:
            last = last.orelse
        inner = getattr(last, "body", None)
        if not isinstance(inner, cst.IndentedBlock) or not inner.body:
            continue
        if isinstance(before, cst.For | cst.While) and before.orelse is not None:
            continue
        if has_jump(inner.body[-1]):
            continue
        edits = redented(
            target, line, indentation(target, line), indentation(target, inner.body[0])
        )
        if edits:
            yield Mutation(edits, f"{short(source(target, line))} stands inside of the block above")


OPERATOR = Operator(
    id="statement_indented",
    title="a statement inside of the block above",
    source=(f"{SWE_SMITH}: lines moved; {ISLAM_2019}: logic bug; {HUMBATOVA}: scheduler's place"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
