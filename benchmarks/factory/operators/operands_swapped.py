"""Two operands stand in the other order."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import swap
from factory.operators._reading import calls, is_text, positional, short, source
from factory.operators._studies import BUGLAB, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield products of matrices, differences and quotients with their operands exchanged."""
    kinds = (cst.MatrixMultiply, cst.Subtract, cst.Divide, cst.FloorDivide, cst.Modulo)
    for node in target.nodes(cst.BinaryOperation):
        strings = (cst.SimpleString, cst.FormattedString)
        if not isinstance(node.operator, kinds) or is_text(target, node):
            continue
        if isinstance(node.left, (strings, cst.BinaryOperation)):
            continue
        if source(target, node.left) != source(target, node.right):
            edits = swap(target, node.left, node.right)
            yield Mutation(edits, f"{short(source(target, node))} has its operands exchanged")
    for call in calls(target, {"matmul", "mm", "bmm", "dot", "outer", "einsum"}):
        places = positional(call)[-2:]
        if len(places) == 2 and not is_text(target, call):
            edits = swap(target, call.args[places[0]].value, call.args[places[1]].value)
            if source(target, call.args[places[0]]) != source(target, call.args[places[1]]):
                yield Mutation(edits, f"{short(source(target, call))} has its operands exchanged")


OPERATOR = Operator(
    id="operands_swapped",
    title="operands exchanged",
    source=(f"{SWE_SMITH}: operands swapped; {BUGLAB}: argument swap"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
