"""A layer is applied twice."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import insert_after, statements
from factory.operators._reading import dotted, last_name, short, source
from factory.operators._studies import DEEPCRIME, ISLAM_2020, JAHANGIROVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``x = self.layer(x)`` and each layer that is added a second time."""
    for line, node in statements(target):
        call = node.value if isinstance(node, cst.Assign | cst.Expr) else None
        if not isinstance(call, cst.Call) or "\n" in source(target, node):
            continue
        given = [source(target, argument.value) for argument in call.args]
        if isinstance(node, cst.Assign):
            left = source(target, node.targets[0].target)
            if not dotted(call.func).startswith("self.") or left not in given:
                continue
        elif (
            last_name(call) != "add"
            or not call.args
            or not isinstance(call.args[0].value, cst.Call)
        ):
            continue
        text = source(target, node)
        yield Mutation((insert_after(target, line, text),), f"{short(text)} is done twice")


OPERATOR = Operator(
    id="layer_duplicated",
    title="a layer is applied twice",
    source=(f"{JAHANGIROVA}: layers; {DEEPCRIME}: add layer; {ISLAM_2020}: layers"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
