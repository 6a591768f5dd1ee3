"""The loss is made greater instead of smaller."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import statements
from factory.operators._reading import assigned_name, dotted, last_name, number, source, whole
from factory.operators._studies import HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each loss that is assigned with its sign changed."""
    for line, node in statements(target):
        if not isinstance(node, cst.Assign) or "loss" not in assigned_name(node).lower():
            continue
        value = node.value
        if (
            number(value) is not None
            or dotted(value)
            or not isinstance(value, cst.Call | cst.UnaryOperation | cst.BinaryOperation)
        ):
            continue
        if last_name(value)[:1].isupper() or "fn" in assigned_name(node) or line is None:
            continue
        text = source(target, value)
        if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus):
            new = target.text[slice(*whole(target, value.expression))]
        else:
            new = f"-({text})" if isinstance(value, cst.BinaryOperation) else f"-{text}"
        yield Mutation((target.replace(value, new),), f"{assigned_name(node)} has the other sign")


OPERATOR = Operator(
    id="loss_sign",
    title="the loss has the other sign",
    source=(f"{HUMBATOVA}: wrong loss computation; {ISLAM_2020}: loss function"),
    weight=0.5,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
