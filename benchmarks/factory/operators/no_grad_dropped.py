"""Gradients are followed where none are wanted."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import unwrap
from factory.operators._reading import last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``with torch.no_grad()`` as its body."""
    for node in target.nodes(cst.With):
        names = {last_name(item.item) for item in node.items}
        if len(node.items) == 1 and names & {"no_grad", "inference_mode", "autocast"}:
            edits = unwrap(target, node)
            if edits:
                note = f"with {short(source(target, node.items[0]))} is gone"
                yield Mutation(edits, note)


OPERATOR = Operator(
    id="no_grad_dropped",
    title="gradients where none are wanted",
    source=(f"{ISLAM_2019}: memory; {HUMBATOVA}: missing no_grad"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
