"""One element stands where a list of it is needed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import whole_edit
from factory.operators._reading import is_text, short, whole
from factory.operators._studies import ISLAM_2020, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield lists and tuples of one element as the element."""
    for node in target.nodes(cst.List, cst.Tuple):
        parent = target.parents.get(node)
        if len(node.elements) != 1 or is_text(target, node) or isinstance(parent, cst.AssignTarget):
            continue
        if isinstance(node.elements[0], cst.StarredElement) or isinstance(parent, cst.For):
            continue
        kept = target.text[slice(*whole(target, node.elements[0].value))]
        text = short(target.text[slice(*whole(target, node))])
        yield Mutation((whole_edit(target, node, kept),), f"{text} became {short(kept)}")


OPERATOR = Operator(
    id="list_unwrapped",
    title="an element for a list",
    source=(f"{ZHANG_2020}: type mismatch; {ISLAM_2020}: wrong type"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
