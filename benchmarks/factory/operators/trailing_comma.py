"""A comma after a value makes a tuple of it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import statements
from factory.operators._reading import HARMLESS, assigned_name, dotted, short, source, whole
from factory.operators._studies import SWE_SMITH, ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each plain value, and each one of an attribute, with a comma behind it."""
    for _line, node in statements(target):
        if not isinstance(node, cst.Assign) or isinstance(node.value, cst.Tuple | cst.Yield):
            continue
        copied = (cst.Integer, cst.Float, cst.SimpleString, cst.Name, cst.Attribute)
        if not isinstance(node.value, copied) and not dotted(node.targets[0].target).count("."):
            continue
        if assigned_name(node).startswith("__") or assigned_name(node) in HARMLESS:
            continue
        end = whole(target, node.value)[1]
        note = f"a comma follows {short(source(target, node))}"
        yield Mutation((Edit(target.path, end, end, ","),), note)


OPERATOR = Operator(
    id="trailing_comma",
    title="a comma too many",
    source=(f"{ZHANG_2020}: type mismatch; {SWE_SMITH}: procedural"),
    weight=0.7,
    targets=("python",),
    mutate=mutate,
)
