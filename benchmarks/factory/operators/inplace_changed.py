"""A tensor that is still needed is changed in place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import statements
from factory.operators._reading import calls, dotted, is_text, keyword, number, short, source, whole
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``x = x + y`` as ``x += y`` and ``relu(x)`` as ``relu_``."""
    kinds: dict[type[cst.CSTNode], str] = {cst.Add: "+=", cst.Multiply: "*=", cst.Divide: "/="}
    for _, node in statements(target):
        if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.BinaryOperation):
            continue
        left = source(target, node.targets[0].target)
        value = node.value
        sign = kinds.get(type(value.operator))
        if sign and left == source(target, value.left) and number(value.right) is None:
            right = target.text[slice(*whole(target, value.right))]
            text = f"{left} {sign} {right}"
            if value.lpar:
                continue
            yield Mutation(
                (target.replace(node, text),), f"{short(source(target, node))} is in place"
            )
    for call in calls(target, {"ReLU", "LeakyReLU", "ELU", "Dropout", "SiLU"}):
        if keyword(call, "inplace") is None and call.func and not is_text(target, call):
            if not dotted(call.func).startswith(("nn.", "torch.nn.")):
                continue
            end = target.span(call)[1] - 1
            lead = ", " if call.args and not target.text[:end].rstrip().endswith(",") else ""
            edit = Edit(target.path, end, end, f"{lead}inplace=True")
            yield Mutation((edit,), f"{short(source(target, call))} works in place")


OPERATOR = Operator(
    id="inplace_changed",
    title="changed in place",
    source=(f"{ISLAM_2019}: API bug; {HUMBATOVA}: wrong tensor operation"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
