"""A size is no whole number."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import (
    HARMLESS,
    integer,
    is_text,
    named_values,
    short,
    source,
)
from factory.operators._studies import BUGLAB, ZHANG_2018, ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``//`` as ``/``, and named whole numbers of at least 2 as decimal ones."""
    for node in target.nodes(cst.BinaryOperation):
        if isinstance(node.operator, cst.FloorDivide) and not is_text(target, node):
            start, end = target.span(node.operator)
            edit = Edit(target.path, start, end, target.text[start:end].replace("//", "/"))
            yield Mutation((edit,), f"{short(source(target, node))} is divided with /")
    for name, value in named_values(target):
        old = integer(value)
        if old is not None and old > 1 and name not in HARMLESS and not is_text(target, value):
            yield Mutation((target.replace(value, f"{old}.0"),), f"{name} {old} became {old}.0")


OPERATOR = Operator(
    id="float_for_integer",
    title="a size that is no whole number",
    source=(f"{ZHANG_2020}: type mismatch; {BUGLAB}: wrong operator; {ZHANG_2018}: type confusion"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
