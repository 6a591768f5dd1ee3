"""Conditions are put together in another way."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, short, source
from factory.operators._studies import BUGLAB, SWE_SMITH
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``and`` as ``or`` and each ``or`` as ``and``."""
    for node in target.nodes(cst.BooleanOperation):
        if is_text(target, node):
            continue
        start, end = target.span(node.operator)
        old = target.text[start:end]
        pair = ("and", "or") if isinstance(node.operator, cst.And) else ("or", "and")
        yield Mutation(
            (Edit(target.path, start, end, old.replace(*pair)),),
            f"{pair[0]} became {pair[1]} in {short(source(target, node))}",
        )


OPERATOR = Operator(
    id="logical_operator",
    title="and for or",
    source=(f"{BUGLAB}: wrong operator; {SWE_SMITH}: operation changed"),
    weight=0.7,
    targets=("python",),
    mutate=mutate,
)
