"""Another operation is computed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, short, source
from factory.operators._studies import BUGLAB, SWE_SMITH
from factory.values import Edit, Mutation, Operator, Target

OTHERS: dict[type[cst.CSTNode], tuple[str, str]] = {
    cst.Add: ("+", "-"),
    cst.Subtract: ("-", "+"),
    cst.Multiply: ("*", "/"),
    cst.Divide: ("/", "*"),
    cst.MatrixMultiply: ("@", "*"),
    cst.Power: ("**", "*"),
    cst.Modulo: ("%", "//"),
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each operation as its opposite, and a product of matrices as one of elements."""
    for node in target.nodes(cst.BinaryOperation):
        pair = OTHERS.get(type(node.operator))
        strings = (cst.SimpleString, cst.FormattedString)
        if pair is None or is_text(target, node) or isinstance(node.left, strings):
            continue
        start, end = target.span(node.operator)
        old = target.text[start:end]
        yield Mutation(
            (Edit(target.path, start, end, old.replace(*pair)),),
            f"{short(source(target, node))} is computed with {pair[1]}",
        )


OPERATOR = Operator(
    id="arithmetic_operator",
    title="another operation",
    source=(f"{BUGLAB}: wrong operator; {SWE_SMITH}: operation changed"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
