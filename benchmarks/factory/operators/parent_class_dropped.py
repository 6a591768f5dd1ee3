"""A class lacks a base class."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import dotted, short, source
from factory.operators._studies import ISLAM_2019, SWE_SMITH
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each class without its last base class."""
    for node in target.nodes(cst.ClassDef):
        if not node.bases or dotted(node.bases[0].value) in {"ABC", "object", "Protocol"}:
            continue
        base = node.bases[-1]
        note = f"the class {node.name.value} lost its base {short(source(target, base))}"
        if len(node.bases) == 1 and not node.keywords:
            start, end = target.span(node.name)[1], target.span(node.body)[0]
            head = target.text[start:end]
            close = head.rfind(")")
            if close < 0 or "#" in head or head.count("(") != 1:
                continue
            yield Mutation((Edit(target.path, start, start + close + 1, ""),), note)
        elif len(node.bases) > 1 and not node.keywords:
            yield Mutation((drop_item(target, node.bases, len(node.bases) - 1),), note)


OPERATOR = Operator(
    id="parent_class_dropped",
    title="no base class",
    source=(f"{SWE_SMITH}: parent class removed; {ISLAM_2019}: structure bug"),
    weight=0.7,
    targets=("python",),
    mutate=mutate,
)
