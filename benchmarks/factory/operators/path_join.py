"""A path lacks its folder."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import dotted, is_text, short, source, whole
from factory.operators._studies import ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``os.path.join(a, b)`` as ``b`` and ``a / b`` of paths as ``b``."""
    for call in target.nodes(cst.Call):
        if dotted(call.func).endswith("path.join") and len(call.args) > 1:
            if call.args[0].star or is_text(target, call):
                continue
            note = f"{short(source(target, call))} lost its folder"
            yield Mutation((drop_item(target, call.args, 0),), note)
    for node in target.nodes(cst.BinaryOperation):
        if not isinstance(node.operator, cst.Divide) or is_text(target, node):
            continue
        if isinstance(node.right, cst.SimpleString | cst.FormattedString):
            left = target.text[slice(*whole(target, node.left))]
            if isinstance(node.left, cst.BinaryOperation):
                new = f"{target.text[slice(*whole(target, node.left.left))]} / "
                new += target.text[slice(*whole(target, node.right))]
            else:
                new = f"Path({target.text[slice(*whole(target, node.right))]})"
            note = f"{short(source(target, node))} lost a folder"
            if left:
                yield Mutation((target.replace(node, new),), note)


OPERATOR = Operator(
    id="path_join",
    title="a path without its folder",
    source=f"{ZHANG_2020}: path not found",
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
