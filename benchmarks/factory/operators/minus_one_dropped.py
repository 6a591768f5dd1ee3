"""A correction by one is missing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import integer, is_text, short, source, whole
from factory.operators._studies import BUGLAB, SWE_SMITH
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``n - 1`` and ``n + 1`` as ``n``."""
    for node in target.nodes(cst.BinaryOperation):
        if not isinstance(node.operator, cst.Add | cst.Subtract) or integer(node.right) != 1:
            continue
        if is_text(target, node):
            continue
        text = source(target, node)
        kept = target.text[slice(*whole(target, node.left))]
        yield Mutation((target.replace(node, kept),), f"{short(text)} became {short(kept)}")


OPERATOR = Operator(
    id="minus_one_dropped",
    title="a correction by one is missing",
    source=(f"{BUGLAB}: off by one; {SWE_SMITH}: operation changed"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
