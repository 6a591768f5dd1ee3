"""Weights begin with one and the same value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import insert_after, statements
from factory.operators._reading import dotted, named_values, requoted, source, text_of
from factory.operators._studies import DEEPCRIME, HUMBATOVA, JAHANGIROVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield layers whose weights are set to zero, and other initializers as zeros."""
    for line, node in statements(target):
        if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call):
            continue
        name = dotted(node.targets[0].target)
        made = dotted(node.value.func)
        if name.startswith("self.") and re.search(r"nn\.(Linear|Conv\dd|Embedding)$", made):
            edit = insert_after(target, line, f"nn.init.zeros_({name}.weight)")
            yield Mutation((edit,), f"{name} begins with zeros")
    for node in target.nodes(cst.Attribute):
        if re.match(r"(xavier|kaiming|trunc|orthogonal|normal|uniform)\w*_$", node.attr.value):
            parent = target.parents.get(node)
            if dotted(node.value).endswith("init") and isinstance(parent, cst.Call) and parent.args:
                kept = source(target, parent.args[0])
                new = f"{dotted(node.value)}.zeros_({kept})"
                yield Mutation((target.replace(parent, new),), f"{dotted(node)} became zeros_")
    for name, value in named_values(target):
        if name != "kernel_initializer" or not isinstance(value, cst.SimpleString):
            continue
        if text_of(value) not in {"zeros", None}:
            edit = target.replace(value, requoted(value, "zeros"))
            yield Mutation((edit,), f"{name} {text_of(value)} became zeros")


OPERATOR = Operator(
    id="constant_weights",
    title="weights begin alike",
    source=(
        f"{DEEPCRIME}: change weights initialisation; "
        f"{HUMBATOVA}: wrong initialization; "
        f"{JAHANGIROVA}: initial weights"
    ),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
