"""A program asks for a graphics card that the machine has not."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, requoted, source, text_of
from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``"cuda" if ... else "cpu"`` as ``"cuda"``, and each ``"cpu"`` alone as ``"cuda"``."""
    inside: set[cst.CSTNode] = set()
    for node in target.nodes(cst.IfExp):
        for value in (node.body, node.orelse):
            if "cpu" in (text_of(value) or "") and not is_text(target, node):
                inside.update((node.body, node.orelse))
                other = node.body if value is node.orelse else node.orelse
                kept = source(target, other)
                yield Mutation((target.replace(node, kept),), f"the device is always {kept}")
    for text in target.nodes(cst.SimpleString):
        if text_of(text) == "cpu" and text not in inside and not is_text(target, text):
            edit = target.replace(text, requoted(text, "cuda"))
            yield Mutation((edit,), "the device cpu became cuda")


OPERATOR = Operator(
    id="device_fixed",
    title="the device is fixed",
    source=(f"{HUMBATOVA}: GPU usage; {ZHANG_2020}: no such device; {ISLAM_2019}: GPU"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
