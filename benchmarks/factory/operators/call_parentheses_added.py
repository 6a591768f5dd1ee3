"""An attribute is called."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, is_text, source
from factory.operators._studies import ISLAM_2020, SEMSEED
from factory.values import Edit, Mutation, Operator, Target

NAMES = {"shape", "T", "dtype", "device", "ndim", "data", "grad", "columns", "values", "is_cuda"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield attributes of tensors and tables as calls."""
    for node in target.nodes(cst.Attribute):
        parent = target.parents.get(node)
        if node.attr.value not in NAMES or is_text(target, node):
            continue
        if isinstance(parent, cst.Attribute | cst.AssignTarget | cst.AugAssign | cst.ImportFrom):
            continue
        if isinstance(parent, cst.Call) and parent.func is node:
            continue
        if dotted(node.value) in {"torch", "np", "torch.utils", "tf", "keras"}:
            continue
        end = target.span(node)[1]
        yield Mutation((Edit(target.path, end, end, "()"),), f"{source(target, node)} is called")


OPERATOR = Operator(
    id="call_parentheses_added",
    title="an attribute is called",
    source=(f"{ISLAM_2020}: API misuse; {SEMSEED}: wrong identifier"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
