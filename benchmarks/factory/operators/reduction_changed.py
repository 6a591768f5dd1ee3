"""A loss or a metric is summed where it is averaged, or the other way round."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, named_values, requoted, short, source, text_of
from factory.operators._studies import DEEPCRIME, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``mean`` as ``sum`` and each ``sum`` as ``mean``."""
    for node in target.nodes(cst.Attribute):
        parent = target.parents.get(node)
        old = node.attr.value
        if not isinstance(parent, cst.Call) or parent.func is not node:
            continue
        if old in {"mean", "sum"} and not is_text(target, node):
            new = "sum" if old == "mean" else "mean"
            edit = target.replace(node.attr, new)
            yield Mutation((edit,), f"{short(source(target, parent))} became a {new}")
    for name, value in named_values(target):
        if name == "reduction" and isinstance(value, cst.SimpleString):
            old = text_of(value) or ""
            new = {"mean": "sum", "sum": "none", "none": "mean"}.get(old, "")
            if new:
                edit = target.replace(value, requoted(value, new))
                yield Mutation((edit,), f"reduction {old} became {new}")


OPERATOR = Operator(
    id="reduction_changed",
    title="summed or averaged",
    source=(f"{HUMBATOVA}: wrong loss computation; {DEEPCRIME}: loss; {ISLAM_2020}: loss function"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
