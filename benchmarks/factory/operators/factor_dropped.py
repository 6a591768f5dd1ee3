"""A product that gives a size lacks a factor."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, short, source, whole
from factory.operators._studies import BUGLAB, HUMBATOVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each product in a call or an index without its last factor."""
    for node in target.nodes(cst.BinaryOperation):
        if not isinstance(node.operator, cst.Multiply) or is_text(target, node):
            continue
        parent = target.parents.get(node)
        if not isinstance(parent, cst.Arg | cst.Index | cst.Assign | cst.Element):
            continue
        if isinstance(node.left, cst.Float) or isinstance(node.right, cst.Float):
            continue
        kept = target.text[slice(*whole(target, node.left))]
        yield Mutation(
            (target.replace(node, kept),), f"{short(source(target, node))} became {short(kept)}"
        )


OPERATOR = Operator(
    id="factor_dropped",
    title="a factor of a size is missing",
    source=(f"{HUMBATOVA}: wrong tensor shape; {BUGLAB}: wrong operator"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
